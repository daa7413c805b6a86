"""Imports as pages and the API show them: plain rows."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from annotate.models import CampaignImport

LATE = timedelta(seconds=15)  # longer than a worker needs to look


@dataclass(frozen=True)
class Underway:
    """One line of the list of imports that are not campaigns yet."""

    public_id: str
    name: str
    status: str
    percent: int | None


@dataclass(frozen=True)
class ImportStanding:
    """How far an import is.

    is_waiting: no worker is at it. is_late: none has been for so long that perhaps none runs.
    is_behind: a worker is at another import first.
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
    """Return the imports of this person that wait or run, the newest first."""
    statuses = (*CampaignImport.RUNNING, *CampaignImport.WAITING)
    rows = CampaignImport.objects.filter(owner=user_id, status__in=statuses).order_by("-pk")
    return [
        Underway(public_id, plan["name"], status, 100 * done // total if total else None)
        for public_id, plan, status, done, total in rows.values_list(
            "public_id", "plan", "status", "done", "total"
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
