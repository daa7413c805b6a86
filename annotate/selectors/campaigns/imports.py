"""Imports as plain rows, for pages and the API."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from annotate.models import CampaignImport

LATE = timedelta(seconds=15)  # longer than a worker takes to look for work


@dataclass(frozen=True)
class Underway:
    """One line of the list of unfinished imports."""

    public_id: str
    name: str
    status: str
    percent: int | None
    steps_done: int


@dataclass(frozen=True)
class ImportStanding:
    """The progress of an import.

    is_waiting: no worker is busy with it.
    is_late: no worker has been for so long that perhaps none is running.
    is_behind: a worker processes another import first.
    """

    status: str
    done: int
    total: int
    is_running: bool
    is_waiting: bool
    is_late: bool
    is_behind: bool

    @property
    def percent(self) -> int | None:
        return min(100, 100 * self.done // self.total) if self.total else None


def unfinished(user_id: int) -> list[Underway]:
    """Return this person's waiting and running imports, the newest first."""
    statuses = (*CampaignImport.RUNNING, *CampaignImport.WAITING)
    rows = CampaignImport.objects.filter(owner=user_id, status__in=statuses).order_by("-pk")
    return [
        Underway(public_id, plan["name"], status, 100 * done // total if total else None, steps)
        for public_id, plan, status, done, total, steps in rows.values_list(
            "public_id", "plan", "status", "done", "total", "steps_done"
        )
    ]


def standing(of: CampaignImport) -> ImportStanding:
    now = timezone.now()
    running = of.status in CampaignImport.RUNNING
    waiting = running and not _is_claimed(of.claimed_until, now)
    others = CampaignImport.objects.filter(
        status__in=CampaignImport.RUNNING, claimed_until__gt=now
    ).exclude(pk=of.pk)
    behind = waiting and others.exists()
    return ImportStanding(
        status=of.status,
        done=of.done,
        total=of.total,
        is_running=running,
        is_waiting=waiting,
        is_late=waiting and not behind and now - of.changed_at > LATE,
        is_behind=behind,
    )


def _is_claimed(until: datetime | None, now: datetime) -> bool:
    return until is not None and until > now
