"""Signs of work in a campaign: who is at work now, and when an annotator was last active."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from annotate.models import Assignment, ChangeMark, Judgment, Participation

ZERO = timedelta(0)
SEEN = timedelta(minutes=15)  # a page that is in use tells so every minute
# How exactly a silence is told: in these steps from these lengths on.
STEPS = (
    (timedelta(days=2), timedelta(days=1)),
    (timedelta(hours=2), timedelta(hours=1)),
    (ZERO, timedelta(minutes=15)),
)


@dataclass(frozen=True)
class Liveness:
    """Times are rounded down (`since`), so that equal values mean that nothing relevant has
    changed.

    leases: open ones whose time is not over. active: those of them whose page was in use within
    `SEEN`. first_end: when the first lease ends, where none is active. silence: since anybody
    judged, took a task, used its page or came; None where nobody ever did. judged_ago: since the
    last judgment. behind: how long what has changed waits for new estimates, which usually take
    seconds.
    """

    leases: int = 0
    active: int = 0
    first_end: datetime | None = None
    silence: timedelta | None = None
    judged_ago: timedelta | None = None
    behind: timedelta = ZERO


def since(at: datetime | None, now: datetime) -> timedelta | None:
    """Return how long ago that was, rounded down to steps that grow with it."""
    if at is None:
        return None
    passed = max(ZERO, now - at)
    step = next(step for least, step in STEPS if passed >= least)
    return passed - passed % step


def liveness(campaign_id: int, *, lease_minutes: int) -> Liveness:
    """Return the signs; four queries."""
    now, length = timezone.now(), timedelta(minutes=lease_minutes)
    judged = Judgment.objects.filter(campaign=campaign_id).aggregate(at=Max("submitted_at"))["at"]
    came = Participation.objects.filter(campaign=campaign_id).aggregate(at=Max("entered_at"))["at"]
    leases = _leases(campaign_id, now, length)
    # A page in use moves its lease's end to a whole length from then.
    used = leases["end"] - length if leases["end"] else None
    signs = [at for at in (judged, came, leases["taken"], used) if at is not None]
    return Liveness(
        leases=leases["n"],
        active=leases["active"],
        first_end=None if leases["active"] else leases["first"],
        silence=since(max(signs, default=None), now),
        judged_ago=since(judged, now),
        behind=since(_oldest_mark(campaign_id), now) or ZERO,
    )


def _leases(campaign_id: int, now: datetime, length: timedelta) -> dict[str, Any]:
    rows = Assignment.objects.filter(
        campaign=campaign_id, status=Assignment.Status.LEASED, expires_at__gt=now
    )
    in_use = Q(leased_at__gt=now - SEEN) | Q(expires_at__gt=now - SEEN + length)
    return rows.aggregate(
        n=Count("pk"),
        active=Count("pk", filter=in_use),
        taken=Max("leased_at"),
        end=Max("expires_at"),
        first=Min("expires_at"),
    )


def _oldest_mark(campaign_id: int) -> datetime | None:
    marks = ChangeMark.objects.filter(campaign=campaign_id)
    found: datetime | None = marks.aggregate(at=Min("at"))["at"]
    return found
