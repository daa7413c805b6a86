"""What judgments cost, what a campaign has committed, and whether its budget covers more."""

from dataclasses import dataclass
from decimal import Decimal

from annotate import adapters
from annotate.crowds import bills
from annotate.crowds.bills import Bill
from annotate.crowds.registry import CROWDS
from annotate.crowds.tariffs import ZERO, Price, Tariff
from annotate.crowds.terms import usual_tasks
from annotate.errors import Conflict
from annotate.models import GOLD_BLOCK, Batch, Campaign
from annotate.selectors.pay import commitments, promises
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

    All commitments count as spent. Without `for_now`, only those that are certain count, and a unit
    in progress that still has tasks counts as a judgment that the budget pays for.
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
    """Return what the budget leaves for new batches (may be negative); None without a budget."""
    if campaign.budget is None:
        return None
    return campaign.budget - committed(campaign)


def short_of_a_place(campaign: Campaign) -> Decimal:
    """Return what the budget lacks for one more submission with one task, by somebody new.

    0 where it pays for one, and by link, where a judgment alone is a place.
    """
    if campaign.budget is None or not adapters.publishes(campaign.crowd):
        return ZERO
    one = unit_price(campaign, campaign.reward)
    return max(ZERO, committed(campaign) + one - campaign.budget)


def ask(campaign: Campaign, *, before: Decimal, beyond_budget: bool) -> Decimal:
    """Return by how much a person's act exceeds the budget, in the transaction of the act.

    before: the excess before the act. Raises `Conflict` with the new excess if the act adds to it
        and `beyond_budget` is not set.
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
    """Return by how much the committed money plus `extra` exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) + extra - campaign.budget)


@dataclass(frozen=True)
class AtMost:
    """The highest cost of a campaign.

    bill: of all planned judgments, up to the maximum.
    budget: may end the collection before.
    gold_share: how many of 25 tasks are gold items, which are paid alike.
    """

    bill: Bill
    budget: Decimal | None
    gold_share: int = 0

    @property
    def amount(self) -> Decimal:
        """Return the highest possible cost of the campaign."""
        return self.bill.total if self.budget is None else min(self.bill.total, self.budget)

    @property
    def of_judgment(self) -> Decimal:
        """Return what one judgment costs with its fee and gold; it may be a fraction of a cent."""
        return self.bill.each * gold_factor(self.gold_share)

    @property
    def capped(self) -> bool:
        return self.amount < self.bill.total


def cost_at_most(
    campaign: Campaign, *, planned: int | None = None, tasks: int | None = None
) -> AtMost:
    """Return the highest cost of all planned judgments of a campaign, with its share of gold.

    planned: the number of judgments, if known.
    tasks: the number in a unit of the latest batch, if known.
    """
    if planned is None:
        planned = Campaign.objects.values_list("planned", flat=True).get(pk=campaign.pk)
    judgments = min(planned, campaign.max_judgments or planned)
    return AtMost(
        _bill(campaign, with_gold(judgments, campaign.gold_share), tasks),
        campaign.budget,
        campaign.gold_share,
    )


def with_gold(judgments: int, share: int) -> int:
    """Return how many tasks bring so many judgments, if `share` of each 25 are gold items."""
    return -(-judgments * GOLD_BLOCK // (GOLD_BLOCK - share))


def judgments_of(tasks: int, share: int) -> int:
    """Return how many judgments so many tasks bring at least, on average; not the gold items."""
    return tasks * (GOLD_BLOCK - share) // GOLD_BLOCK


def gold_factor(share: int) -> Decimal:
    """Return how many tasks one judgment takes, if `share` of each 25 are gold items."""
    return Decimal(GOLD_BLOCK) / (GOLD_BLOCK - share)


def cost_of_plan(
    charges: Tariff,
    *,
    reward: Decimal,
    judgments: int,
    cap: int | None,
    bonus: Decimal,
    budget: Decimal | None,
    gold_share: int = 0,
) -> AtMost:
    """Return the highest cost of a campaign that is only planned, in suggested units."""
    bill = bills.of_judgments(
        charges,
        reward=reward,
        judgments=with_gold(judgments, gold_share),
        tasks=usual_tasks(cap),
        bonus=bonus,
    )
    return AtMost(bill, budget, gold_share)


def cost_of_judgment(campaign: Campaign) -> Decimal:
    """Return what one judgment costs with its fee and gold; it may be a fraction of a cent."""
    return _bill(campaign, 1).each * gold_factor(campaign.gold_share)


def crowds() -> list[str]:
    """Return the names of the crowds whose prices are known."""
    return list(CROWDS)


def tasks_of(campaign: Campaign) -> int:
    """Return how many tasks a paid unit holds: as last launched, or as suggested."""
    last = Batch.objects.filter(campaign=campaign).order_by("-pk").values_list("tasks", flat=True)
    return last.first() or usual_tasks(campaign.annotator_cap)


def _bill(campaign: Campaign, judgments: int, tasks: int | None = None) -> Bill:
    charges = tariff(campaign)
    tasks = (tasks or tasks_of(campaign)) if charges.whole_units else 1
    return bills.of_judgments(
        charges,
        reward=campaign.reward,
        judgments=judgments,
        tasks=tasks,
        bonus=promises.offered(campaign),
    )
