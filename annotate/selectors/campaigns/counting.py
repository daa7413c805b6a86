"""What counts in a campaign, as plain values and arrays: the input of `estimation`."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

import numpy as np
from django.db.models import Min, QuerySet
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Campaign,
    ChangeMark,
    Exclusion,
    Judgment,
    Protocol,
    Slot,
    System,
    Target,
)
from annotate.selectors import bulk, scoring
from annotate.selectors.campaigns import opening
from annotate.selectors.studies import instruments
from annotate.states import StopMode
from estimation.core import Estimand


@dataclass(frozen=True)
class Brief:
    """What was decided about a campaign before any judgment, and its state."""

    campaign_id: int
    status: str
    close_reason: str
    metrics: tuple[str, ...]
    stop_mode: str
    estimand: Estimand
    level: float
    targets: dict[str, float]  # widths, by criterion; none in a ranking
    margins: dict[str, float]  # of a ranking
    planned_items: int | None
    criteria: tuple[Criterion, ...]
    protocol: Protocol
    cap: int | None = None  # judgments of one annotator
    compares: bool = False  # a system is two systems, whose texts are judged side by side
    n_pairs: int = 0  # of such systems; a ranking divides alpha among them

    @property
    def primary(self) -> tuple[Criterion, ...]:
        """The criteria that decide when collection stops."""
        names = {**self.targets, **self.margins}
        return tuple(criterion for criterion in self.criteria if criterion.name in names)

    @property
    def is_ranking(self) -> bool:
        return self.stop_mode == StopMode.RANKING

    @property
    def is_final(self) -> bool:
        return self.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


@dataclass(frozen=True)
class SystemStanding:
    """A system, and where its sample ends (None: it continues)."""

    system_id: int
    name: str
    stop_position: int | None


@dataclass(frozen=True)
class SystemOutputs(SystemStanding):
    """A system's N outputs by ascending id: ids and positions are (N,) ints.

    group: (N,) numbers of the groups of their items; None where no item has one.
    """

    output: NDArray[np.int64]
    position: NDArray[np.int64]
    group: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Scores:
    """The counting judgments in order of arrival, with their scores on all criteria.

    output, annotator: (T,) database keys.
    value: {criterion: (T,)}, NaN where a judgment has no score on it. Criteria without scores are
        left out.
    waiting: how many judgments lack a score, because it is still being computed or has an earlier
        definition.
    judgment: (T,) their ids, ascending.
    unscored: (U,) ids of judgments that nobody had begun to score when they were read. They came
        just now; they are left out of all others, and have a change mark for the next refresh.
    """

    output: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: dict[str, NDArray[np.float64]]
    waiting: int
    judgment: NDArray[np.int64]
    unscored: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def is_whole(self) -> bool:
        """Return whether every judgment that counts has its scores."""
        return not self.waiting and not self.unscored.size


def pseudonyms(annotators: Collection[int]) -> dict[int, str]:
    """Return the pseudonyms of these annotators."""
    found = Annotator.objects.filter(pk__in=annotators)
    return dict(found.values_list("pk", "pseudonym"))


def marks(campaign_id: int, *, before: datetime | None = None) -> list[int]:
    """Return the ids of the change marks that no estimate has removed yet."""
    found = ChangeMark.objects.filter(campaign=campaign_id)
    if before is not None:
        found = found.filter(at__lt=before)
    return list(found.values_list("pk", flat=True))


def changes(campaign_id: int) -> dict[int, str]:
    """Return the reasons of the change marks that no estimate has removed yet, by id."""
    return dict(ChangeMark.objects.filter(campaign=campaign_id).values_list("pk", "reason"))


def marked_campaigns(*, before: datetime) -> list[int]:
    """Return the campaigns with marks older than `before`, the longest waiting first."""
    old = ChangeMark.objects.filter(at__lt=before).order_by().values("campaign")
    waiting = old.annotate(first=Min("at")).order_by("first", "campaign")
    return list(waiting.values_list("campaign", flat=True))


def brief(campaign_id: int) -> Brief:
    campaign = Campaign.objects.get(pk=campaign_id)
    instrument = instruments.of(campaign)
    return Brief(
        campaign_id=campaign_id,
        status=campaign.status,
        close_reason=campaign.close_reason,
        metrics=tuple(campaign.metrics),
        stop_mode=campaign.stop_mode,
        estimand=cast(Estimand, campaign.estimand),
        level=campaign.level,
        cap=campaign.annotator_cap,
        **asked(campaign_id),
        planned_items=campaign.planned_items,
        criteria=instrument.criteria,
        compares=instrument.compares,
        n_pairs=System.objects.filter(campaign=campaign).count() if instrument.compares else 0,
        protocol=opening.protocol_of(campaign),
    )


def closed_at(campaign_id: int) -> datetime | None:
    """Return when the campaign was closed; None while it is not."""
    return Campaign.objects.values_list("closed_at", flat=True).get(pk=campaign_id)


def asked(campaign_id: int) -> dict[str, dict[str, float]]:
    """Return the widths (`targets`) and margins (`margins`) of the primary criteria, by name."""
    found: dict[str, dict[str, float]] = {"targets": {}, "margins": {}}
    rows = Target.objects.filter(campaign=campaign_id).order_by("pk")
    for criterion, width, margin in rows.values_list("criterion", "width", "margin"):
        if width is not None:
            found["targets"][criterion] = width
        if margin is not None:
            found["margins"][criterion] = margin
    return found


def standings(campaign_id: int) -> list[SystemStanding]:
    """Return the systems in the order of their upload."""
    found = System.objects.filter(campaign=campaign_id)
    return [SystemStanding(*row) for row in found.values_list("pk", "name", "stop_position")]


def systems(campaign_id: int) -> list[SystemOutputs]:
    """Return every system with its outputs, in the order of their upload."""
    rows = Authorship.objects.filter(item__campaign=campaign_id).order_by()
    author, output, position, group = bulk.columns(
        rows.annotate(group=Coalesce("item__group_start", "item__position")),
        system="i8",
        output="i8",
        item__position="i4",
        group="i4",
    )
    order = np.argsort(output, kind="stable")
    author, output, position, group = (
        values[order] for values in (author, output, position, group)
    )
    alone = np.array_equal(group, position)
    return [
        SystemOutputs(
            one.system_id,
            one.name,
            one.stop_position,
            output[mine],
            position[mine],
            None if alone else group[mine],
        )
        for one in standings(campaign_id)
        for mine in [author == one.system_id]
    ]


def excluded(campaign_id: int) -> int:
    """Return how many judgments are excluded."""
    return exclusions(campaign_id).count()


def scores(campaign_id: int, *, with_excluded: bool = False, of: int | None = None) -> Scores:
    """Return the judgments that hold a slot and are verified, with their scores.

    with_excluded: include excluded judgments, to see their effect.
    of: only the judgments of this annotator.

    It reads three tables one after the other, without a join. Anything written between the reads
    has its own change mark, so another estimate follows.
    """
    verified = Slot.objects.filter(
        campaign=campaign_id, assignment__status=Assignment.Status.VERIFIED
    )
    (held,) = bulk.columns(verified.order_by(), assignment="i8")
    if with_excluded:
        excluded = exclusions(campaign_id)
        if of is not None:
            excluded = excluded.filter(judgment__annotator=of)
        (out,) = bulk.columns(excluded, judgment__assignment="i8")
        held = np.union1d(held, out)
    every = Judgment.objects.filter(campaign=campaign_id).order_by()
    rows = np.stack(bulk.columns(every, id="i8", assignment="i8", output="i8", annotator="i8"))
    rows = rows[:, np.argsort(rows[0], kind="stable")]
    counts = bulk.places(np.sort(held), wanted=rows[1]) >= 0
    pk, _assignment, output, annotator = rows[:, counts]
    asked = instruments.of(Campaign.objects.get(pk=campaign_id))
    names = [criterion.name for criterion in asked.criteria]
    value = scoring.values(campaign_id, pk, names, version=asked.scoring)
    lacks = np.isnan(value).any(axis=0)
    left = scoring.not_begun(campaign_id, pk[lacks])
    kept = ~np.isin(pk, left)
    named = zip(names, value[:, kept], strict=True)
    return Scores(
        output[kept],
        annotator[kept],
        {name: row for name, row in named if not np.isnan(row).all()},
        waiting=int(lacks.sum()) - left.size,
        judgment=pk[kept],
        unscored=left,
    )


def exclusions(campaign_id: int) -> QuerySet[Exclusion]:
    """Select the exclusions of verified judgments that are in force."""
    return Exclusion.objects.filter(
        judgment__campaign=campaign_id,
        judgment__assignment__status=Assignment.Status.VERIFIED,
        restored_at=None,
    ).order_by()


def campaign_id_of(public_id: str) -> int | None:
    """Return the id of the campaign with this public id; None if there is none."""
    return Campaign.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
