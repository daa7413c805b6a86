"""The tasks of people as the signals look at them: times, lengths and counts, no texts."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.functions import Length

from annotate.models import Judgment, Participation
from annotate.screening.signals import PageCounts, TaskTrace, new_characters
from annotate.selectors.review import screening

FACTS = (
    *("annotator", "active_seconds", "elapsed_seconds"),
    *("response__edit", "response__distance", "before", "assignment__signals"),
)

OVERLAP = timedelta(minutes=2)  # longer than a transaction takes


def people_after(campaign_id: int, judgment_id: int, *, most: int) -> tuple[list[int], int]:
    """Return who has handed in work after a judgment, and the last judgment that this covers.

    most: how many judgments are looked at.
    """
    rows = _of(campaign_id).filter(pk__gt=judgment_id).order_by("pk")
    last = rows[:most].aggregate(last=Max("pk"))["last"] or judgment_id
    new = rows.filter(pk__lte=last).order_by().values_list("annotator", flat=True)
    return sorted(new.distinct()), last


def confirmed_since(campaign_id: int, at: datetime | None) -> list[int]:
    """Return whom a marketplace has confirmed since then, or shortly before.

    Work counts from then on, under an id that may be far below the last one.
    """
    rows = Participation.objects.filter(campaign=campaign_id, posting__isnull=False)
    rows = rows.filter(verified_at__isnull=False)
    if at is not None:
        rows = rows.filter(verified_at__gte=at - OVERLAP)
    return sorted(rows.values_list("annotator", flat=True).distinct())


def traces(campaign_id: int, people: Collection[int]) -> dict[int, list[TaskTrace]]:
    """Return the tasks of these people in the order in which they came."""
    rows = _of(campaign_id).filter(annotator__in=people).annotate(before=Length("output__text"))
    found: defaultdict[int, list[TaskTrace]] = defaultdict(list)
    for who, active, elapsed, edit, distance, before, signals in rows.order_by("pk").values_list(
        *FACTS
    ):
        seconds = screening.seconds(active, elapsed)
        found[who].append(TaskTrace(seconds, _new(edit, distance, before), _counts(signals)))
    return dict(found)


def _of(campaign_id: int) -> QuerySet[Judgment]:
    return screening.known().filter(campaign=campaign_id, assignment__signals__isnull=False)


def _new(edit: Any, distance: Any, before: int) -> int | None:
    if not isinstance(edit, str) or not isinstance(distance, int):
        return None
    return new_characters(distance, before, len(edit))


def _counts(signals: Mapping[str, Any] | None) -> PageCounts | None:
    return None if signals is None else PageCounts.stored(signals)
