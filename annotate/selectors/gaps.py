"""Why a closing campaign waits: places that nobody who has come may take."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate.models import Assignment, Participation
from annotate.selectors import places, standing


@dataclass(frozen=True)
class Gaps:
    """`free` places can be leased; `for_nobody` of them by none of those who have come.

    left_out: people who wait for a ruling, are excluded or blocked. at_cap: of the others, those
    who have done as many tasks as one person may.
    """

    free: int = 0
    for_nobody: int = 0
    left_out: int = 0
    at_cap: int = 0


def gaps(campaign_id: int, *, cap: int | None) -> Gaps:
    """Return who could fill what is missing; five queries."""
    free = Counter(places.free(campaign_id).values_list("output", flat=True))
    came = set(
        Participation.objects.filter(campaign=campaign_id).values_list("annotator", flat=True)
    )
    barred = came & standing.barred_people(campaign_id)
    full = _at_cap(campaign_id, cap) - barred
    able = came - barred - full
    had = _had(campaign_id, set(free), able)
    return Gaps(
        free=free.total(),
        for_nobody=sum(n for output, n in free.items() if had[output] >= len(able)),
        left_out=len(barred),
        at_cap=len(full),
    )


def _at_cap(campaign_id: int, cap: int | None) -> set[int]:
    if cap is None:
        return set()
    rows = Assignment.objects.filter(campaign=campaign_id).order_by().values("annotator")
    held = rows.annotate(n=Count("pk", filter=Q(status__in=Assignment.HELD)))
    return set(held.filter(n__gte=cap).values_list("annotator", flat=True))


def _had(campaign_id: int, outputs: set[int], able: set[int]) -> Counter[int]:
    """How many of the people who may go on have had each of these outputs: nobody has it twice."""
    seen = Assignment.objects.filter(campaign=campaign_id).exclude(
        status=Assignment.Status.EXPIRED, judgment__isnull=True
    )
    pairs = set(seen.values_list("output", "annotator"))
    return Counter(output for output, who in pairs if output in outputs and who in able)
