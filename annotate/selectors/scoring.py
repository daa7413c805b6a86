"""The scores of judgments, and which of them have none yet, or those of an earlier definition."""

import numpy as np
from django.db.models import Case, Exists, OuterRef, QuerySet, Value, When
from numpy.typing import NDArray

from annotate.models import Assignment, Judgment, PendingScore, Score, Slot
from annotate.selectors import bulk

Ints = NDArray[np.int64]


def unscored(campaign_id: int) -> QuerySet[Judgment]:
    """Select the judgments without any score, except those that wait for the separate task."""
    # `scores=None` would join every score of the campaign; this looks up one per judgment.
    scored = Exists(Score.objects.filter(judgment=OuterRef("pk")))
    return _with_material(Judgment.objects.filter(~scored, ~_pending(), campaign=campaign_id))


def outdated(campaign_id: int, *, version: str) -> QuerySet[Judgment]:
    """Select the judgments with a score of another version, except those that wait."""
    other = Exists(Score.objects.filter(judgment=OuterRef("pk")).exclude(version=version))
    return _with_material(Judgment.objects.filter(other, ~_pending(), campaign=campaign_id))


def waiting(campaign_id: int) -> int:
    """Return how many counting judgments wait for the separate task."""
    holds = Slot.objects.filter(
        assignment=OuterRef("judgment__assignment"),
        assignment__status=Assignment.Status.VERIFIED,
    )
    pending = PendingScore.objects.filter(Exists(holds), campaign=campaign_id)
    return pending.filter(judgment__superseded_at=None).count()


def values(
    campaign_id: int, judgment: Ints, names: list[str], *, version: str
) -> NDArray[np.float64]:
    """Return the scores (C, T) of these judgments (T,), ids ascending.

    A score of another version than `version` is NaN, because a sample must not mix two definitions.
    """
    value = np.full((len(names), judgment.size), np.nan)
    if not judgment.size:
        return value
    cases = (When(criterion=name, then=Value(i)) for i, name in enumerate(names))
    found = _scores_of(campaign_id, judgment).filter(version=version)
    found = found.annotate(number=Case(*cases, default=Value(-1)))
    pk, row, score = bulk.columns(found.order_by(), judgment="i8", number="i4", value="f8")
    column = bulk.places(judgment, wanted=pk)
    known = np.flatnonzero((column >= 0) & (row >= 0))
    value[row[known], column[known]] = score[known]
    return value


def _scores_of(campaign_id: int, judgment: Ints) -> QuerySet[Score]:
    first, last = int(judgment[0]), int(judgment[-1])
    if last - first < 2 * judgment.size:
        # Few judgments of other campaigns lie in this range, so it is read without a join.
        return Score.objects.filter(judgment__gte=first, judgment__lte=last)
    return Score.of(campaign_id)


def not_begun(campaign_id: int, lacking: Ints) -> Ints:
    """Return which of these judgments (L,), ids ascending, nobody has begun to score."""
    if not lacking.size:
        return lacking
    (found,) = bulk.columns(
        unscored(campaign_id).filter(pk__gte=int(lacking[0])).order_by(), id="i8"
    )
    return lacking[np.isin(lacking, found)]


def _pending() -> Exists:
    return Exists(PendingScore.objects.filter(judgment=OuterRef("pk")))


def _with_material(judgments: QuerySet[Judgment]) -> QuerySet[Judgment]:
    return judgments.select_related("output__item").order_by("pk")
