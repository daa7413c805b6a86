"""The content of the dashboard, as one value: equal values mean that nothing has changed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.utils import timezone

from annotate.selectors import scoring
from annotate.selectors.campaigns import availability, listing, progress, slot_counts
from annotate.selectors.campaigns.availability import Availability
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.campaigns.progress import Liveness, Progress
from annotate.selectors.pay import budget, open_units, people
from annotate.selectors.pay.budget import AtMost
from annotate.selectors.pay.open_units import Deadline
from annotate.selectors.review import eligibility, ruling_statistics
from annotate.selectors.review.ruling_statistics import Conduct, ExcludedCounts
from annotate.selectors.work import admission, offered
from annotate.selectors.work.offered import Offered
from annotate.services.campaigns import planner
from annotate.states import CampaignStatus as Status
from annotate.states import CloseReason
from annotate.text.figures import many
from estimation.core.planning import Forecast
from estimation.selectors import agreement, comparisons, early, history, rankings, savings
from estimation.selectors.activity import ActivityLine, lines
from estimation.selectors.advice import advise
from estimation.selectors.agreement import Agreed
from estimation.selectors.criteria.cells import ShownCell, ShownNotice, notices_of
from estimation.selectors.criteria.contrasts import Adjustment, ContrastTable
from estimation.selectors.criteria.rows import CriterionRow, rows
from estimation.selectors.forecast import Outlook, StoredForecast, newest_forecast
from estimation.selectors.savings import Saving
from estimation.selectors.sensitivity import Sensitivity, compare
from estimation.selectors.shown import Awaited
from estimation.selectors.situation import (
    Advice,
    Situation,
    Widened,
    told_late,
    widened_since,
)

LIVE = (Status.OPEN, Status.CLOSING)
COLLECTS = (Status.OPEN, Status.PAUSED, Status.CLOSING)
SOON = timedelta(days=2)  # a deadline this near is mentioned


@dataclass(frozen=True)
class Dashboard:
    facts: CampaignFacts
    progress: Progress
    price: Decimal
    most: AtMost
    rows: tuple[CriterionRow, ...]
    metric_done: int
    n_pending: int  # counting judgments whose scores take long
    at: datetime | None
    lines: tuple[ActivityLine, ...]
    comparisons: tuple[ContrastTable, ...]
    ranking: rankings.Rankings  # empty in another mode
    n_waiting: int  # annotators who wait for a reviewer's ruling
    agreed: tuple[Agreed, ...]
    excluded: ExcludedCounts
    conduct: Conduct
    end: StoredForecast
    availability: Availability
    liveness: Liveness
    offered: Offered
    at_closing: dict[tuple[int, str], tuple[float | None, bool]]
    limit: CloseReason | None
    reserved: bool
    deadline_soon: bool
    n_in_doubt: int  # paid units with a discrepancy
    near: Deadline | None  # when the crowd automatically pays units that are held here
    due: Decimal
    expected: Forecast | None  # by the plan of a draft
    short: Decimal  # what the budget lacks for one more place at the crowd

    @property
    def primary_rows(self) -> tuple[CriterionRow, ...]:
        return tuple(row for row in self.rows if row.is_primary)

    @property
    def secondary_rows(self) -> tuple[CriterionRow, ...]:
        return tuple(row for row in self.rows if not row.is_primary and row.is_shown)

    @property
    def primary(self) -> tuple[ShownCell, ...]:
        return tuple(cell for row in self.primary_rows for cell in row.cells)

    @property
    def n_at_target(self) -> int:
        return sum(cell.at_target for cell in self.primary)

    @property
    def doubt_untold(self) -> int:
        """Return the paid units that wait for the owner, unless the advice mentions them."""
        return 0 if self.advice.key == "in_doubt" else self.n_in_doubt

    @property
    def stuck_untold(self) -> int:
        """Return the operations that wait for the owner, unless the advice mentions them."""
        return 0 if self.advice.key in ("unfunded", "stuck") else self.offered.stuck

    @property
    def n_wide(self) -> int:
        return len(self.primary) - self.n_at_target

    @property
    def zone(self) -> str:
        return timezone.get_current_timezone_name()

    @property
    def live(self) -> bool:
        """Return whether the numbers may change without an act of the researcher."""
        return self.facts.status in LIVE or self.metric_left > 0 or self.n_pending > 0

    @property
    def late(self) -> str:
        """Return what follows from estimates that are behind; "" if they are not."""
        return told_late(self.liveness) if self.liveness.behind else ""

    @property
    def provisional(self) -> bool:
        return not self.facts.is_final

    @property
    def metric_left(self) -> int:
        """Return the outputs whose metric is not computed yet."""
        return max(0, self.progress.outputs - self.metric_done) if self.facts.metrics else 0

    @property
    def effective_annotators(self) -> float | None:
        """Return the lowest number of the primary estimates, which limits what can be said."""
        found = [cell.shown.effective_annotators for cell in self.primary if cell.shown]
        return min(found, default=None)

    @property
    def is_shown(self) -> bool:
        """Return whether any primary estimate rests on enough items to be shown."""
        return any(row.is_shown for row in self.primary_rows)

    @property
    def awaited(self) -> tuple[tuple[str, Awaited], ...]:
        """Return what each system's first estimates wait for, with its name."""
        cells = self.primary_rows[0].cells if self.primary_rows else ()
        return tuple((cell.system.name, cell.awaited) for cell in cells if cell.awaited)

    @property
    def awaited_by_all(self) -> str:
        """Return the same in one sentence, if several systems wait for equally many items."""
        needed = {awaited.needed for _, awaited in self.awaited}
        if len(self.awaited) < 2 or len(needed) > 1 or self.facts.is_final:
            return ""
        return f"Estimates of a system appear after {many(needed.pop(), 'judged item')}."

    @property
    def awaited_differences(self) -> Awaited | None:
        return comparisons.awaited(self.comparisons)

    @property
    def shows_differences(self) -> bool:
        """Return whether to show differences: after estimates, so that waiting is stated once."""
        return bool(self.comparisons) and (self.is_shown or not self.awaited_differences)

    @property
    def awaited_agreement(self) -> Awaited | None:
        planned = self.progress.doubled
        return agreement.awaited(self.agreed, planned=planned, final=self.facts.is_final)

    @property
    def saving(self) -> Saving:
        """Return what the metrics have saved so far, over all systems."""
        if not self.facts.metrics or self.facts.is_ranking:
            return savings.OF_RANKING if self.facts.metrics else savings.NO_METRIC
        samples = [
            [(c.row, c.target) for c in self.primary if c.system == system and c.row and c.target]
            for system in self.facts.systems
        ]
        return savings.of_campaign(samples, judged=self.progress.judged, price=self.price)

    @property
    def advice(self) -> Advice:
        return advise(
            Situation(
                self.facts,
                self.progress,
                self.primary,
                self.price,
                self.most,
                waiting=self.n_waiting,
                availability=self.availability,
                liveness=self.liveness,
                offered=self.offered,
                ranking=self.ranking,
                widened=self.widened,
                limit=self.limit,
                reserved=self.reserved,
                deadline_soon=self.deadline_soon,
                in_doubt=self.n_in_doubt,
                near=self.near,
                unscored=self.n_pending,
                due=self.due,
                outlook=self.outlook,
                short=self.short,
                expected=self.expected,
            )
        )

    @property
    def sensitivity(self) -> Sensitivity:
        return compare(self.primary, self.excluded, self.conduct)

    @property
    def outlook(self) -> Outlook:
        known = self.facts, self.progress, self.price, self.primary, self.end
        return Outlook(*known, active=self.liveness.active, came=self.availability.came)

    @property
    def widened(self) -> tuple[Widened, ...]:
        """Return the intervals that an exclusion after closing made wider than their targets."""
        moved = self.facts.status == Status.CLOSED and self.excluded.annotators_since
        return widened_since(self.primary, self.at_closing) if moved else ()

    @property
    def notices(self) -> tuple[ShownNotice, ...]:
        """Return the notices of the primary estimates, each sentence once."""
        ended = (ShownNotice(self.ended_early, ()),) if self.ended_early else ()
        return (*ended, *notices_of(self.primary))

    @property
    def ended_early(self) -> str:
        """Return what an early end means for the intervals; "" where it was not early."""
        return early.told(self.facts, self.primary, judged=self.progress.judged)

    @property
    def fingerprint(self) -> str:
        """Return a digest of this content. A page with the same digest is up to date."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def build(
    facts: CampaignFacts,
    *,
    price: Decimal,
    most: AtMost,
    limit: CloseReason | None = None,
    reserved: bool = False,
    short: Decimal = Decimal(0),
    expected: Forecast | None = None,
    adjustment: Adjustment = "holm",
) -> Dashboard:
    """Return the dashboard.

    The number of queries depends only on the campaign's status, its crowd, and whether every
    estimate exists.
    price: of one judgment, with the crowd's fee. most: the highest cost of all planned judgments.
    limit: what forbids any further lease.
    reserved: the rest of the budget is reserved for work in progress.
    short: what the budget lacks for one more place at the crowd.
    expected: what a draft is expected to take, by its plan.
    adjustment: of the differences, for many pairs; the places of systems follow from it.
    """
    pk, newest = facts.campaign_id, history.latest(facts.campaign_id, facts.criterion_names)
    ranked = rankings.rankings(facts, tables := comparisons.tables(facts, adjustment), newest)
    who = slot_counts.by_person(pk)
    counts = progress.progress(pk, cap=facts.annotator_cap, people=who)
    items = history.items(facts, newest, held=counts.judged + counts.running)
    return Dashboard(
        facts=facts,
        progress=counts,
        price=price,
        most=most,
        rows=rows(
            facts,
            newest,
            price=price,
            items=items,
            places=ranked.places,
            decisions=ranked.decisions,
            compared=tables,
        ),
        metric_done=history.metric_scores(facts.public_id, facts.metrics, counts.outputs),
        n_pending=scoring.waiting(pk),
        at=max((row.at for row in newest), default=None),
        lines=lines(pk),
        comparisons=tables,
        ranking=ranked,
        n_waiting=eligibility.waiting(pk),
        agreed=agreement.agreed(facts, planned=counts.doubled),
        excluded=ruling_statistics.excluded(pk, since=facts.closed_at),
        conduct=ruling_statistics.of(pk),
        end=newest_forecast(pk),
        availability=_availability(facts, counts, who),
        liveness=progress.liveness(pk, lease_minutes=facts.lease_minutes),
        offered=offered.offered(pk) if facts.marketplace else Offered(),
        at_closing=history.at_closing(pk, facts.closed_at),
        limit=limit,
        reserved=reserved,
        deadline_soon=facts.deadline is not None and facts.deadline < timezone.now() + SOON,
        n_in_doubt=open_units.count_disputed(pk) if facts.marketplace else 0,
        near=open_units.next_deadline(pk) if facts.marketplace else None,
        due=_due(facts),
        expected=expected,
        short=short,
    )


def of_campaign(campaign: Any, adjustment: Adjustment = "holm") -> Dashboard:
    """Return the dashboard of a campaign as its page shows it."""
    limit, reserved = _limits(campaign)
    most = budget.cost_at_most(campaign)
    return build(
        listing.facts(campaign),
        price=most.of_judgment,
        most=most,
        limit=limit,
        reserved=reserved,
        short=budget.short_of_a_place(campaign) if campaign.status in COLLECTS else Decimal(0),
        expected=planner.of_campaign(campaign) if campaign.status == Status.DRAFT else None,
        adjustment=adjustment,
    )


def _limits(campaign: Any) -> tuple[CloseReason | None, bool]:
    """Return what forbids further leases permanently, and whether something does for now."""
    if campaign.status not in COLLECTS or not admission.blocked(campaign):
        return None, False
    limit = admission.blocked(campaign, for_now=False)
    return limit, limit is None


def _availability(facts: CampaignFacts, counts: Progress, who: slot_counts.People) -> Availability:
    """Return who can judge more, during collection only."""
    known = facts.campaign_id, facts.annotator_cap, counts.missing, who
    return availability.of(*known) if facts.status in LIVE else Availability()


def _due(facts: CampaignFacts) -> Decimal:
    """Return the amount to be paid by hand, once nothing more is earned."""
    by_hand = facts.status == Status.CLOSED and not facts.marketplace
    return people.totals(facts.campaign_id).due if by_hand else Decimal(0)
