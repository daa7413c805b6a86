"""The input of advice, and the advice with precedence over all other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal

from annotate.selectors.campaigns.availability import Availability
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.campaigns.progress import Liveness, Progress
from annotate.selectors.pay.budget import AtMost
from annotate.selectors.pay.open_units import Deadline
from annotate.selectors.work.offered import Offered
from annotate.states import CampaignStatus, CloseReason
from annotate.text.figures import lasting, many, moment, series
from estimation.core.planning import Forecast
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.forecast import Outlook
from estimation.selectors.rankings import Rankings

ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Advice:
    """One act, with its reason in numbers. key: the name of the branch that gave it.

    act: the button's act: a verb of the campaign, "people", "batches", "launch", "reviews", "pay",
        or "" (none).
    also: a second, less important act of the same kind, such as to finish now.
    waits: nothing has to be done, because what is missing comes automatically.
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
    """A primary interval at its target at closing, and wider since an exclusion."""

    cell: ShownCell
    width_before: float


@dataclass(frozen=True)
class Situation:
    """The input of advice; `cells` and `ranking` are those of the primary criteria.

    price: of one judgment.
    most: the highest cost of all planned judgments.
    waiting: annotators under review.
    limit: what forbids any further lease.
    reserved: the rest of the budget is reserved for work in progress.
    deadline_soon: it is near enough to mention.
    in_doubt: paid units that wait for a decision.
    near: when the crowd pays units that are held here.
    unscored: counting judgments whose scores take long.
    due: pay by hand, computed once the campaign is closed.
    outlook: what is forecast of the end; None in tests of other advice.
    short: what the budget lacks for one more place at the crowd.
    expected: what a draft is expected to take, by its plan.
    """

    facts: CampaignFacts
    progress: Progress
    cells: tuple[ShownCell, ...]
    price: Decimal
    most: AtMost
    waiting: int = 0
    availability: Availability = field(default_factory=Availability)
    liveness: Liveness = field(default_factory=Liveness)
    offered: Offered = field(default_factory=Offered)
    ranking: Rankings = field(default_factory=Rankings)
    widened: tuple[Widened, ...] = ()
    limit: CloseReason | None = None
    reserved: bool = False
    deadline_soon: bool = False
    in_doubt: int = 0
    near: Deadline | None = None
    unscored: int = 0
    due: Decimal = ZERO
    outlook: Outlook | None = None
    short: Decimal = ZERO
    expected: Forecast | None = None

    @property
    def status(self) -> CampaignStatus:
        return CampaignStatus(self.facts.status)

    @property
    def market(self) -> str:
        """Return the name of the crowd that publishes work; "" by link."""
        return self.facts.marketplace

    @property
    def missing(self) -> int:
        """Return the slots that can still be judged."""
        return 0 if self.limit else self.progress.missing

    @property
    def wide(self) -> tuple[ShownCell, ...]:
        return tuple(cell for cell in self.cells if not cell.at_target)

    @property
    def is_enough(self) -> bool:
        """Return whether all targets or decisions of the campaign are reached."""
        return not (self.ranking.open_pairs if self.facts.is_ranking else self.wide)

    @property
    def is_gap(self) -> bool:
        """Return whether a closing campaign misses judgments that nothing offers at its crowd."""
        closing = self.status == CampaignStatus.CLOSING
        return closing and bool(self.market and self.missing) and not self.can_come

    @property
    def unconfirmed(self) -> int:
        """Return the judgments that their crowd has not confirmed yet."""
        return max(0, self.progress.running - self.liveness.leases) if self.market else 0

    @property
    def can_come(self) -> bool:
        """Return whether a judgment may still arrive without any act by the owner."""
        if self.liveness.leases:
            return True
        if not self.missing:
            return False
        if self.market:
            return bool(self.offered.at_work) or self.offered.is_offered
        return self.reserved or self.availability.takeable > 0

    def silent(self, at_least: timedelta) -> bool:
        """Return whether no one has been seen at work for this long."""
        silence = self.liveness.silence
        return silence is None or silence >= at_least


# A branch: its advice, or None if it does not apply.
Branch = Callable[[Situation], Advice | None]


def crowd_pays_soon(now: Situation) -> Advice | None:
    if now.near is None:
        return None
    units, one = many(now.near.units, "unit"), now.near.units == 1
    text = (
        f"{units} under review or in doubt {'is' if one else 'are'} approved by {now.market} "
        f"automatically from {moment(now.near.first)}. Pay that was approved there can no longer "
        "be refused."
    )
    act, label = ("batches", "Decide") if now.in_doubt else ("reviews", "Review them")
    return Advice("pays_soon", f"Decide about {units} before the crowd pays", text, act, label)


def crowd_wants_money(now: Situation) -> Advice | None:
    n = now.offered.unfunded
    if not n:
        return None
    text = (
        f"{many(n, 'operation')} at {now.market} {'waits' if n == 1 else 'wait'}, because the "
        "account there does not hold enough money. Nothing is lost: what was refused is tried "
        "again as soon as you say so."
    )
    title = f"Top up the account at {now.market}"
    return Advice("unfunded", title, text, "batches", "See what waits")


def crowd_waits(now: Situation) -> Advice | None:
    n = now.offered.stuck
    if not n:
        return None
    text = (
        f"{many(n, 'operation')} at {now.market} {'was' if n == 1 else 'were'} refused, or may or "
        "may not have happened. Plumbline does not try again until you decide."
    )
    return Advice("stuck", f"Decide about {many(n, 'operation')}", text, "batches", "Decide")


def units_in_doubt(now: Situation) -> Advice | None:
    n = now.in_doubt
    if not n:
        return None
    text = (
        f"What was handed in with {'it' if n == 1 else 'them'} does not agree with what is known "
        "here, and people wait for their pay."
    )
    return Advice("in_doubt", f"Decide whether to pay {many(n, 'unit')}", text, "batches", "Decide")


def worker_is_late(now: Situation) -> Advice | None:
    if not now.liveness.behind:
        return None
    return Advice("worker", "Estimates are behind: is the worker running?", told_late(now.liveness))


def told_late(liveness: Liveness) -> str:
    """Return what follows from estimates that are behind."""
    return (
        f"New judgments have waited for their estimates for {lasting(liveness.behind)}; usually "
        "that takes seconds. Until they are computed, no interval is checked and nothing stops at "
        "its target. Check that the worker and beat are running, and read their logs."
    )


def off_the_scale(now: Situation) -> Advice | None:
    """Advise where an estimate is wrong, and nothing stops because of it."""
    wrong = [cell.name for cell in now.cells if cell.shown and cell.off_scale]
    if not wrong:
        return None
    text = (
        f"{series(wrong)} cannot be right: no mean of scores lies off the scale. Extreme values of "
        "a metric do this. Collection does not stop because of such an estimate. "
    )
    title = f"{many(len(wrong), 'estimate lies', 'estimates lie')} off the scale"
    if not now.facts.raw_metrics:
        return Advice("off_scale", title, text + "More judgments bring it back.", waits=True)
    text += "Let the metrics enter bounded: by their ranks, which no value can stretch."
    if now.status == CampaignStatus.CLOSED:
        text += " To do so, reopen the campaign first."
        return Advice("off_scale", title, text, "reopen", "Reopen…")
    return Advice("off_scale", title, text, "bound_metrics", "Use bounded metrics…")


URGENT = (
    crowd_pays_soon,
    crowd_wants_money,
    crowd_waits,
    units_in_doubt,
    worker_is_late,
    off_the_scale,
)


def widened_since(
    cells: Sequence[ShownCell], at_closing: Mapping[tuple[int, str], tuple[float | None, bool]]
) -> tuple[Widened, ...]:
    """Return the intervals that were at their target at closing and are not any more.

    at_closing: width, and whether it was at its target, by system and criterion.
    """
    found = []
    for cell in cells:
        key = (cell.system.system_id, cell.criterion.name)
        width, reached = at_closing.get(key, (None, False))
        if reached and width is not None and not cell.at_target:
            found.append(Widened(cell, width))
    return tuple(found)
