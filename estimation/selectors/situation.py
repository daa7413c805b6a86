"""What advice depends on, and what it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from annotate.selectors.campaigns.availability import Availability
from annotate.selectors.campaigns.listing import Facts
from annotate.selectors.campaigns.liveness import Liveness
from annotate.selectors.campaigns.progress import Progress
from annotate.selectors.pay.costs import AtMost
from annotate.selectors.pay.deadlines import Deadline
from annotate.selectors.work.offered import Offered
from annotate.states import CampaignStatus, CloseReason
from estimation.selectors.cells import Cell

ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Advice:
    """One act, with its reason in numbers. key: the name of the branch that gave it.

    act: what the button does: a verb of the campaign, "people", "batches", "launch", "reviews",
    "pay", or "" (none). also: a second, lesser act of the same kind, such as to finish now.
    waits: nothing has to be done here, because what is missing comes without it.
    """

    key: str
    title: str
    text: str
    act: str = ""
    label: str = ""
    also: str = ""
    also_label: str = ""
    waits: bool = False


@dataclass(frozen=True)
class Widened:
    """A primary interval that was at its target at the closing, and is not since an exclusion."""

    cell: Cell
    width_before: float


@dataclass(frozen=True)
class Situation:
    """All that advice depends on; `cells` are those of the primary criteria.

    price: of one judgment. most: of all that are planned, at most. waiting: annotators under
    review. limit: what forbids any further lease. reserved: the rest of the budget is kept for
    what people have begun. deadline_soon: it is worth naming. in_doubt: paid units that wait for a
    decision. near: when the crowd pays what is held back here. unscored: judgments that count and
    whose scores take long. due: pay by hand, looked for when it is closed.
    """

    facts: Facts
    progress: Progress
    cells: tuple[Cell, ...]
    price: Decimal
    most: AtMost
    waiting: int = 0
    availability: Availability = field(default_factory=Availability)
    liveness: Liveness = field(default_factory=Liveness)
    offered: Offered = field(default_factory=Offered)
    widened: tuple[Widened, ...] = ()
    limit: CloseReason | None = None
    reserved: bool = False
    deadline_soon: bool = False
    in_doubt: int = 0
    near: Deadline | None = None
    unscored: int = 0
    due: Decimal = ZERO

    @property
    def status(self) -> CampaignStatus:
        return CampaignStatus(self.facts.status)

    @property
    def market(self) -> str:
        """The name of the crowd that publishes work; "" where people come by link."""
        return self.facts.marketplace

    @property
    def missing(self) -> int:
        """Slots that can still be judged."""
        return 0 if self.limit else self.progress.missing

    @property
    def wide(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if not cell.at_target)

    @property
    def unconfirmed(self) -> int:
        """Judgments that their crowd has not confirmed yet."""
        return max(0, self.progress.running - self.liveness.leases) if self.market else 0

    @property
    def can_come(self) -> bool:
        """Whether a judgment may come although nothing is done here first."""
        if self.liveness.leases:
            return True
        if not self.missing:
            return False
        if self.market:
            return bool(self.offered.at_work) or self.offered.is_offered
        return self.reserved or self.availability.takeable > 0

    def silent(self, at_least: timedelta) -> bool:
        """Whether nobody was seen at work for so long."""
        silence = self.liveness.silence
        return silence is None or silence >= at_least


# A branch: advice, if it applies.
Branch = Callable[[Situation], Advice | None]
