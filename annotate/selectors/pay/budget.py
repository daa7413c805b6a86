"""What a campaign has committed itself to, and whether its budget pays for more."""

from decimal import Decimal

from annotate.crowds.tariffs import ZERO, Price
from annotate.errors import Conflict
from annotate.models import Campaign
from annotate.selectors.pay import commitments
from annotate.selectors.pay.commitments import tariff, unit_price
from annotate.text.figures import money

__all__ = [
    "BEYOND",
    "affordable",
    "ask",
    "committed",
    "excess",
    "left",
    "price",
    "tariff",
    "unit_price",
]

BEYOND = "budget"  # the code of a `Conflict` that asks before the budget is exceeded


def price(campaign: Campaign) -> Price:
    """Return the price of one judgment that is paid separately."""
    return tariff(campaign).unit(campaign.reward)


def affordable(
    campaign: Campaign, *, tasks: int = 1, extra: Decimal = ZERO, for_now: bool = True
) -> bool:
    """Return whether the budget covers `tasks` more judgments and `extra`.

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


def left(campaign: Campaign) -> Decimal | None:
    """Return what a budget leaves for new batches, which may be negative; None without one."""
    if campaign.budget is None:
        return None
    return campaign.budget - committed(campaign)


def ask(campaign: Campaign, *, before: Decimal, beyond_budget: bool) -> Decimal:
    """Return by how much a person's act leaves the budget exceeded, in the transaction of the act.

    before: by how much it was. Raises `Conflict`, which names the excess, where the act adds to it
    and `beyond_budget` does not accept that.
    """
    now = excess(campaign)
    if now > before and not beyond_budget:
        raise Conflict(
            f"The campaign would exceed its budget of {money(campaign.budget)} by {money(now)}, "
            "fees included. Nothing was done. Confirm it if you mean it.",
            code=BEYOND,
        )
    return now


def excess(campaign: Campaign, *, extra: Decimal = ZERO) -> Decimal:
    """Return by how much the committed money, with `extra` beside it, exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) + extra - campaign.budget)
