"""The ledger: what is owed to whom, and what a campaign has committed itself to."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from annotate.models import Assignment, Campaign, LedgerEntry
from annotate.selectors import ledger

CENT = Decimal("0.01")


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
    fee = (campaign.reward * campaign.fee_rate).quantize(CENT, ROUND_HALF_UP)
    return Price(campaign.reward, fee)


def affordable(campaign: Campaign) -> bool:
    """Return whether the budget pays for one more judgment, open leases counted as spent."""
    if campaign.budget is None:
        return True
    spent, open_leases = ledger.committed(campaign.pk)
    each = price(campaign).total
    return spent + (open_leases + 1) * each <= campaign.budget


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
