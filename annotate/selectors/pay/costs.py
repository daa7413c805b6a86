"""What a campaign's judgments cost, each and at most: the one source for all pages."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds import bills, tariffs
from annotate.crowds.bills import Bill
from annotate.crowds.tariffs import ZERO, Tariff
from annotate.crowds.terms import USUAL_TASKS, usual_tasks
from annotate.models import Batch, Campaign, Slot
from annotate.selectors.pay import promises
from annotate.selectors.pay.commitments import tariff

CROWDS = tuple(tariffs.USUAL_SHARES)


@dataclass(frozen=True)
class AtMost:
    """bill: of all planned judgments, up to the maximum. budget: may end the collection before."""

    bill: Bill
    budget: Decimal | None

    @property
    def amount(self) -> Decimal:
        """The most that the campaign can come to cost."""
        return self.bill.total if self.budget is None else min(self.bill.total, self.budget)

    @property
    def of_judgment(self) -> Decimal:
        """What one of them costs, the fee included; perhaps a fraction of a cent."""
        return self.bill.each

    @property
    def capped(self) -> bool:
        return self.amount < self.bill.total


def at_most(campaign: Campaign, *, planned: int | None = None, tasks: int | None = None) -> AtMost:
    """Return what all planned judgments of a campaign cost at most.

    planned, tasks: of the judgments, and in a unit of the last batch, where they are known.
    """
    if planned is None:
        planned = Slot.objects.filter(campaign=campaign).count()
    judgments = min(planned, campaign.max_judgments or planned)
    return AtMost(_bill(campaign, judgments, tasks), campaign.budget)


def before(
    charges: Tariff,
    *,
    reward: Decimal,
    judgments: int,
    cap: int | None,
    bonus: Decimal,
    budget: Decimal | None,
) -> AtMost:
    """Return the same of a campaign that is only planned: in units as they are suggested."""
    bill = bills.of_judgments(
        charges, reward=reward, judgments=judgments, tasks=usual_tasks(cap), bonus=bonus
    )
    return AtMost(bill, budget)


def of_judgment(campaign: Campaign) -> Decimal:
    """Return what one judgment costs, the fee included; perhaps a fraction of a cent."""
    return _bill(campaign, 1).each


def prices(
    crowd: str, *, reward: Decimal, share: Decimal | None, tasks: int | None, bonus: Decimal
) -> tuple[Decimal, Decimal]:
    """Return the fee on one judgment, and what a new person costs, before there is a campaign.

    share, tasks: None for what is usual there.
    """
    charges, n = tariffs.of(crowd, share), tasks or USUAL_TASKS
    one = bills.of_judgments(charges, reward=reward, judgments=n, tasks=n, bonus=ZERO)
    return one.each - reward, charges.bonus(bonus).total


def tasks_of(campaign: Campaign) -> int:
    """Return how many tasks a paid unit holds: as launched last, or as suggested."""
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
