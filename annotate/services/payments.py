"""The ledger: what is owed to whom, and what a campaign has committed itself to."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Q, Sum

from annotate.models import Assignment, Campaign, LedgerEntry, Participation, TutorialRun
from annotate.selectors import ledger
from annotate.selectors.tutorials import bonus_entry, bonus_key

CENT = Decimal("0.01")
ZERO = Decimal("0.00")
OF_UNIT = (LedgerEntry.Kind.REMAINDER, LedgerEntry.Kind.LAPSE)  # and all that belongs to a task


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


def affordable(
    campaign: Campaign, *, tasks: int = 1, extra: Decimal = ZERO, for_now: bool = True
) -> bool:
    """Return whether the budget pays for so many judgments more, and `extra` beside them.

    What is promised is counted as spent; without `for_now`, of it open leases alone.
    """
    if campaign.budget is None:
        return True
    due = committed(campaign, for_now=for_now) + tasks * price(campaign).total
    return due + extra <= campaign.budget


def committed(campaign: Campaign, *, for_now: bool = True) -> Decimal:
    """Return what is spent or may still become due, fees included.

    Without `for_now`, what may come free again without being done is left out: tutorials under
    way, and tasks that were promised and are not leased.
    """
    sums = ledger.committed(campaign.pk)
    if not for_now:
        return sums.spent + sums.leases * price(campaign).total
    promised = sums.promised * price(campaign).total
    return sums.spent + promised + sums.tutorials * bonus(campaign).total


def excess(campaign: Campaign, *, extra: Decimal = ZERO) -> Decimal:
    """Return by how much the committed money, with `extra` beside it, exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) + extra - campaign.budget)


def pays_tutorial(campaign: Campaign, who: Participation) -> bool:
    """Return whether the budget pays this person's bonus, if still due, and one judgment."""
    due = ZERO if bonus_entry(who.annotator_id, campaign.instrument) else bonus(campaign).total
    return affordable(campaign, tasks=1 if who.tasks is None else 0, extra=due)


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


def top_up(who: Participation, *, campaign: Campaign, reward: Decimal) -> Decimal:
    """Add the rest of what a paid unit was announced to bring; return what it added.

    Nothing where a ruling has refused its pay: what is refused is not topped up.
    """
    mine = LedgerEntry.objects.filter(participation=who)
    if mine.filter(kind=LedgerEntry.Kind.REFUSAL).exists():
        return ZERO
    of_unit = Q(assignment__isnull=False) | Q(kind__in=OF_UNIT)
    rest = reward - (mine.filter(of_unit).aggregate(sum=Sum("amount"))["sum"] or ZERO)
    each = with_fee(rest.quantize(CENT), campaign)
    if each.reward <= 0:
        return ZERO
    before = mine.filter(kind=LedgerEntry.Kind.REMAINDER).count()  # lapsed with it, and begun anew
    LedgerEntry.objects.create(
        campaign=campaign,
        participation=who,
        kind=LedgerEntry.Kind.REMAINDER,
        amount=each.reward,
        fee=each.fee,
        key=f"remainder:{who.pk}" + (f":{before}" if before else ""),
    )
    return each.reward


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
