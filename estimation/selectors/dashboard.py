"""All that the dashboard shows, as one value: equal values mean that nothing has changed."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256

from django.conf import settings

from annotate.selectors import (
    batches,
    deadlines,
    doubtful,
    exclusions,
    operations,
    progress,
    standing,
)
from annotate.selectors.campaigns import Facts
from annotate.selectors.costs import AtMost
from annotate.selectors.deadlines import Deadline
from annotate.selectors.exclusions import Excluded
from annotate.selectors.gaps import Gaps, gaps
from annotate.selectors.progress import Progress
from annotate.states import CampaignStatus as Status
from estimation.selectors import agreement, cells, comparisons, history, savings
from estimation.selectors.activity import Line, lines
from estimation.selectors.advice import advise
from estimation.selectors.agreement import Agreed
from estimation.selectors.cells import Cell, Row
from estimation.selectors.comparisons import Table
from estimation.selectors.savings import Saving
from estimation.selectors.sensitivity import Sensitivity, compare
from estimation.selectors.situation import Advice, Situation, Widened

LIVE = (Status.OPEN, Status.CLOSING)


@dataclass(frozen=True)
class Notice:
    """Something a reader must be told, and for which cells."""

    text: str
    about: tuple[str, ...]


@dataclass(frozen=True)
class Dashboard:
    facts: Facts
    progress: Progress
    price: Decimal
    most: AtMost
    rows: tuple[Row, ...]
    metric_done: int
    at: datetime | None
    lines: tuple[Line, ...]
    comparisons: tuple[Table, ...]
    n_waiting: int  # annotators who wait for a reviewer's ruling
    agreed: tuple[Agreed, ...]
    excluded: Excluded
    gaps: Gaps
    at_closing: dict[tuple[int, str], tuple[float | None, bool]]
    collects: bool
    offered: bool
    launched: bool
    n_in_doubt: int  # paid units about which something does not agree with their crowd
    near: Deadline | None  # when the crowd pays by itself what is held back here
    n_stuck: int  # acts at the crowd that do not go on until a person acts

    @property
    def primary_rows(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.target is not None)

    @property
    def secondary_rows(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.target is None)

    @property
    def primary(self) -> tuple[Cell, ...]:
        return tuple(cell for row in self.primary_rows for cell in row.cells)

    @property
    def n_at_target(self) -> int:
        return sum(cell.at_target for cell in self.primary)

    @property
    def n_wide(self) -> int:
        return len(self.primary) - self.n_at_target

    @property
    def zone(self) -> str:
        return settings.TIME_ZONE

    @property
    def live(self) -> bool:
        """Whether the numbers may change by themselves."""
        return self.facts.status in LIVE or self.metric_left > 0

    @property
    def provisional(self) -> bool:
        return self.facts.status not in (Status.CLOSED, Status.ARCHIVED)

    @property
    def metric_left(self) -> int:
        """Outputs whose metric is still to be computed."""
        return max(0, self.progress.outputs - self.metric_done) if self.facts.metrics else 0

    @property
    def effective_annotators(self) -> float | None:
        """The lowest of the primary estimates: the one that limits what can be said."""
        found = [cell.row.effective_annotators for cell in self.primary if cell.row]
        return min(found, default=None)

    @property
    def n_unfinished(self) -> int:
        return max((cell.row.n_unfinished for cell in self.primary if cell.row), default=0)

    @property
    def saving(self) -> Saving:
        """What the metrics have saved so far, over all systems."""
        if not self.facts.metrics:
            return savings.NO_METRIC
        samples = [
            [(c.row, c.target) for c in self.primary if c.system == system and c.row and c.target]
            for system in self.facts.systems
        ]
        return savings.of_campaign(samples, judged=self.progress.judged, price=self.price)

    @property
    def advice(self) -> Advice:
        return advise(
            Situation(
                self.facts, self.progress, self.primary, self.price, self.most,
                waiting=self.n_waiting,
                gaps=self.gaps, widened=self.widened, collects=self.collects,
                offered=self.offered, launched=self.launched,
            )
        )  # fmt: skip

    @property
    def sensitivity(self) -> Sensitivity:
        return compare(self.primary, self.excluded)

    @property
    def widened(self) -> tuple[Widened, ...]:
        """What an exclusion after the closing has made wider than its target (data rule 10)."""
        if self.facts.status != Status.CLOSED or not self.excluded.annotators_since:
            return ()
        found = []
        for cell in self.primary:
            key = (cell.system.system_id, cell.criterion.name)
            width, reached = self.at_closing.get(key, (None, False))
            if reached and width is not None and not cell.at_target:
                found.append(Widened(cell, width))
        return tuple(found)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the primary estimates say about themselves, each sentence once."""
        about: dict[str, list[str]] = {}
        for cell in self.primary:
            for notice in cell.row.detail.get("notices", []) if cell.row else []:
                about.setdefault(notice["text"], []).append(cell.name)
        everywhere = len(self.primary)
        return tuple(
            Notice(text, () if len(names) == everywhere else tuple(names))
            for text, names in about.items()
        )

    @property
    def fingerprint(self) -> str:
        """A short name of this content: a page that has it needs no new one."""
        return sha256(repr(self).encode()).hexdigest()[:16]


def build(facts: Facts, *, price: Decimal, most: AtMost, collects: bool = True) -> Dashboard:
    """Return the dashboard; the number of queries depends on nothing but the campaign's status.

    price: of one judgment, the crowd's fee included. most: of all that are planned, at most.
    collects: whether its limits, such as the budget, still allow a lease.
    """
    newest = history.latest(facts.campaign_id)
    return Dashboard(
        facts=facts,
        progress=progress.progress(facts.campaign_id, cap=facts.annotator_cap),
        price=price,
        most=most,
        rows=cells.rows(facts, newest, price=price),
        metric_done=history.metric_scores(facts.campaign_id, facts.metrics),
        at=max((row.at for row in newest), default=None),
        lines=lines(facts.campaign_id),
        comparisons=comparisons.tables(facts),
        n_waiting=standing.waiting(facts.campaign_id),
        agreed=agreement.agreed(facts),
        excluded=exclusions.excluded(facts.campaign_id, since=facts.closed_at),
        gaps=_gaps(facts),
        at_closing=history.at_closing(facts.campaign_id, facts.closed_at),
        collects=collects,
        offered=not facts.marketplace or batches.offered(facts.campaign_id),
        launched=bool(facts.marketplace) and batches.launched(facts.campaign_id),
        n_in_doubt=doubtful.count(facts.campaign_id) if facts.marketplace else 0,
        near=deadlines.near(facts.campaign_id) if facts.marketplace else None,
        n_stuck=operations.stuck(facts.campaign_id) if facts.marketplace else 0,
    )


def _gaps(facts: Facts) -> Gaps:
    """Looked for only while they are what a campaign waits for."""
    if facts.status != Status.CLOSING:
        return Gaps()
    return gaps(facts.campaign_id, cap=facts.annotator_cap)
