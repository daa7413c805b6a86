"""What a campaign's judgments cost, and all of them at most: one number wherever it is told."""

from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds import bills
from annotate.crowds.bills import Bill
from annotate.crowds.terms import usual_tasks
from annotate.models import Batch, Campaign
from annotate.selectors import promises
from annotate.selectors.commitments import tariff


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
    def capped(self) -> bool:
        return self.amount < self.bill.total


def at_most(campaign: Campaign, *, planned: int) -> AtMost:
    """Return what all `planned` judgments of a campaign cost at most."""
    judgments = min(planned, campaign.max_judgments or planned)
    return AtMost(_bill(campaign, judgments), campaign.budget)


def of_judgment(campaign: Campaign) -> Decimal:
    """Return what one judgment costs, the fee included; perhaps a fraction of a cent."""
    return _bill(campaign, 1).each


def tasks_of(campaign: Campaign) -> int:
    """Return how many tasks a paid unit holds: as launched last, or as suggested."""
    last = Batch.objects.filter(campaign=campaign).order_by("-pk").values_list("tasks", flat=True)
    return last.first() or usual_tasks(campaign.annotator_cap)


def _bill(campaign: Campaign, judgments: int) -> Bill:
    charges = tariff(campaign)
    tasks = tasks_of(campaign) if charges.whole_units else 1
    return bills.of_judgments(
        charges, reward=campaign.reward, judgments=judgments, tasks=tasks,
        bonus=promises.offered(campaign),
    )  # fmt: skip
