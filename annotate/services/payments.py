"""What things cost, what a campaign has committed itself to, and whether its budget pays for more."""

from decimal import Decimal

from annotate.crowds.tariffs import ZERO, Price
from annotate.models import Campaign
from annotate.selectors import commitments, promises, underway
from annotate.selectors.commitments import tariff

__all__ = [
    "affordable", "committed", "excess", "left", "price", "promised", "tariff", "unit_price",
]  # fmt: skip


def price(campaign: Campaign) -> Price:
    """Return the price of one judgment that is paid by itself."""
    return tariff(campaign).unit(campaign.reward)


def unit_price(campaign: Campaign, reward: Decimal) -> Decimal:
    """Return what one unit may cost that nobody has taken: its reward, and a new person's bonus."""
    charges = tariff(campaign)
    return (charges.unit(reward) + charges.bonus(promises.offered(campaign))).total


def affordable(
    campaign: Campaign, *, tasks: int = 1, extra: Decimal = ZERO, for_now: bool = True
) -> bool:
    """Return whether the budget pays for so many judgments more, and `extra` beside them.

    What is promised is counted as spent. Without `for_now`, of that only what surely comes; and a
    unit under way that still has tasks is a judgment that the budget pays for.
    """
    if campaign.budget is None:
        return True
    found = commitments.of(campaign)
    if not for_now and found.todo:
        return True
    due = found.total if for_now else found.sure
    return due + tasks * price(campaign).total + extra <= campaign.budget


def committed(campaign: Campaign) -> Decimal:
    """Return what is spent or may still become due, fees included."""
    return commitments.of(campaign).total


def promised(campaign: Campaign) -> Decimal:
    """Return what units may cost that are published and that nobody has taken yet."""
    untaken = underway.untaken(campaign.pk)
    return sum((one.units * unit_price(campaign, one.reward) for one in untaken), ZERO)


def left(campaign: Campaign) -> Decimal | None:
    """Return what a budget leaves for new batches, which may be negative; None without one."""
    if campaign.budget is None:
        return None
    return campaign.budget - committed(campaign) - promised(campaign)


def excess(campaign: Campaign, *, extra: Decimal = ZERO) -> Decimal:
    """Return by how much the committed money, with `extra` beside it, exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) + extra - campaign.budget)
