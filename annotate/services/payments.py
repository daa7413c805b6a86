"""The ledger: what is owed to whom, and what a campaign has committed itself to."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from annotate.models import Assignment, Campaign, LedgerEntry, TutorialRun
from annotate.selectors import ledger
from annotate.selectors.tutorials import bonus_entry, bonus_key

CENT = Decimal("0.01")
ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Price:
    """What one judgment costs: to the annotator, and to the crowd."""

    reward: Decimal
    fee: Decimal

    @property
    def total(self) -> Decimal:
        return self.reward + self.fee


def price(campaign: Campaign) -> Price:
    """Return the price of one judgment; the fee is rounded half up to the cent."""
    return with_fee(campaign.reward, campaign)


def bonus(campaign: Campaign) -> Price:
    """Return the price of one tutorial passed."""
    return with_fee(campaign.tutorial_bonus, campaign)


def with_fee(amount: Decimal, campaign: Campaign) -> Price:
    """Return what paying this amount costs; the crowd's fee is rounded half up to the cent."""
    return Price(amount, (amount * campaign.fee_rate).quantize(CENT, ROUND_HALF_UP))


def affordable(campaign: Campaign, *, extra: Decimal = ZERO, tutorials: bool = True) -> bool:
    """Return whether the budget pays for one more judgment, and `extra` beside it.

    Open leases are counted as spent, and so are tutorials under way, unless told otherwise.
    """
    if campaign.budget is None:
        return True
    due = committed(campaign, tutorials=tutorials) + price(campaign).total
    return due + extra <= campaign.budget


def committed(campaign: Campaign, *, tutorials: bool = True) -> Decimal:
    """Return what is spent or may still become due, fees included."""
    sums = ledger.committed(campaign.pk)
    due = sums.spent + sums.leases * price(campaign).total
    return due + sums.tutorials * bonus(campaign).total if tutorials else due


def excess(campaign: Campaign, *, extra: Decimal = ZERO) -> Decimal:
    """Return by how much the committed money, with `extra` beside it, exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) + extra - campaign.budget)


def pays_tutorial(campaign: Campaign, annotator_id: int) -> bool:
    """Return whether the budget pays this person's bonus, if still due, and one judgment."""
    due = ZERO if bonus_entry(annotator_id, campaign.instrument) else bonus(campaign).total
    return affordable(campaign, extra=due)


def earn(assignment: Assignment, *, campaign: Campaign, kind: LedgerEntry.Kind) -> None:
    """Add what this assignment has earned; a second row for it violates the unique key."""
    each = price(campaign)
    LedgerEntry.objects.create(
        campaign=campaign,
        participation_id=assignment.participation_id,
        assignment=assignment,
        kind=kind,
        amount=each.reward,
        fee=each.fee,
        key=f"assignment:{assignment.pk}",
    )


def reward_tutorial(run: TutorialRun, *, campaign: Campaign) -> Decimal:
    """Add the bonus of a tutorial, once per annotator and instrument; return what it added."""
    each = bonus(campaign)
    if not each.reward:
        return ZERO
    _entry, added = LedgerEntry.objects.get_or_create(
        key=bonus_key(run.annotator_id, run.instrument),
        defaults={
            "campaign": campaign,
            "participation_id": run.participation_id,
            "kind": LedgerEntry.Kind.TUTORIAL,
            "amount": each.reward,
            "fee": each.fee,
        },
    )
    return each.reward if added else ZERO
