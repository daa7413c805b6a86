"""Locks: of a campaign, in the order of the lock hierarchy, and leases of a task's turn.

Each campaign has one lock, which Postgres gives in the order in which it is asked for. People who
work share it (`person`, `shared`). Whoever changes the campaign holds it alone (`campaign`): this
waits for the leases and submits that are under way, and later ones wait for it before they lock
anything else.

Then come the campaign's row, the person's participations, assignments, slots, and the totals.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from annotate.models import Campaign, Participation, TaskLease

OF_CAMPAIGNS = 1  # the first number of the advisory locks of campaigns; nothing else uses any
ALONE, SHARED = "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared"


def campaign(campaign_id: int) -> Campaign:
    """Lock the campaign alone until the end of the transaction: nothing is leased meanwhile."""
    _lock(ALONE, campaign_id)
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)


def shared(campaign_id: int) -> None:
    """Keep others from changing the campaign until the end of the transaction."""
    _lock(SHARED, campaign_id)


def person(participation_id: int, *, alone: bool = False) -> Participation:
    """Share the campaign's lock and lock all participations of the annotator; return this one.

    What is counted of a person then changes by no other request of theirs. alone: hold the
    campaign's lock alone, so that nothing is leased meanwhile by anyone.
    """
    me = Participation.objects.filter(pk=participation_id)
    campaign_id = me.values_list("campaign", flat=True).get()
    _lock(ALONE if alone else SHARED, campaign_id)
    theirs = Participation.objects.filter(
        campaign=campaign_id, annotator__in=me.values("annotator")
    )
    rows = theirs.select_related("campaign__texts", "annotator").order_by("pk")
    locked = rows.select_for_update(no_key=True, of=("self",))
    return next(one for one in locked if one.pk == participation_id)


def _lock(how: str, campaign_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {how}(%s, %s)", [OF_CAMPAIGNS, campaign_id])


@dataclass(frozen=True)
class LeaseHandle:
    """A lease that the caller holds."""

    name: str
    holder: str
    duration: timedelta

    def renew(self) -> bool:
        """Extend the lease by its duration; False if another task has taken it over."""
        return self._until(self.duration)

    def release(self) -> None:
        self._until(timedelta(0))

    def _until(self, duration: timedelta) -> bool:
        mine = TaskLease.objects.filter(name=self.name, holder=self.holder)
        return bool(mine.update(expires_at=timezone.now() + duration))


@contextmanager
def hold(name: str, duration: timedelta) -> Iterator[LeaseHandle | None]:
    """Hold the lease of this name while the block runs; yield None where another task holds it.

    Call it outside of transactions: other tasks see a lease once it is committed. A killed task
    holds it until `duration` is over; a slower task renews it.
    """
    held = LeaseHandle(name, uuid4().hex, duration)
    if not _take(held):
        yield None
        return
    try:
        yield held
    finally:
        held.release()


def _take(wanted: LeaseHandle) -> bool:
    now = timezone.now()
    until = now + wanted.duration
    over = TaskLease.objects.filter(name=wanted.name, expires_at__lte=now)
    if over.update(holder=wanted.holder, expires_at=until):
        return True
    return TaskLease.objects.get_or_create(
        name=wanted.name, defaults={"holder": wanted.holder, "expires_at": until}
    )[1]
