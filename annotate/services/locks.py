"""Locks: of a campaign's row, in the order of the lock hierarchy, and leases of a task's turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.db.models import QuerySet
from django.utils import timezone

from annotate.models import Campaign, Participation, TaskLease
from annotate.selectors.prepared import Prepared, columns, instance
from annotate.services import lease_allowances
from annotate.statements import Row


def campaign(campaign_id: int) -> Campaign:
    """Lock the campaign's row until the end of the transaction.

    Leases that are made without this lock have been committed or fail (`lease_allowances`), so what
    is read now does not change by them.
    """
    found = campaign_with_allowance(campaign_id)
    lease_allowances.withdraw(campaign_id)
    return found


def campaign_with_allowance(campaign_id: int) -> Campaign:
    """Lock the campaign's row, and let leases go on that need no lock.

    Only for what concerns one person, and before a lease is known to need the limits.
    """
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)


def person(participation_id: int) -> Participation:
    """Lock all participations of its annotator in its campaign; return this one.

    What is counted of a person then changes by no other request of theirs.
    """
    rows = [instance(Participation, row) for row in _PERSON.rows(participation=participation_id)]
    for one in rows:
        if one.pk == participation_id:
            one.is_alone = len(rows) == 1
            return one
    raise Participation.DoesNotExist


def _person(participation: int) -> "QuerySet[Participation, Row]":
    me = Participation.objects.filter(pk=participation)
    theirs = Participation.objects.filter(
        campaign__in=me.values("campaign"), annotator__in=me.values("annotator")
    )
    return theirs.order_by("pk").values_list(*columns(Participation))


_PERSON = Prepared(_person, numbers=("participation",), locks=" FOR NO KEY UPDATE")


@dataclass(frozen=True)
class Held:
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
def hold(name: str, duration: timedelta) -> Iterator[Held | None]:
    """Hold the lease of this name while the block runs; yield None where another task holds it.

    Call it outside of transactions: other tasks see a lease once it is committed. A killed task
    holds it until `duration` is over; a slower task renews it.
    """
    held = Held(name, uuid4().hex, duration)
    if not _take(held):
        yield None
        return
    try:
        yield held
    finally:
        held.release()


def _take(wanted: Held) -> bool:
    now = timezone.now()
    until = now + wanted.duration
    over = TaskLease.objects.filter(name=wanted.name, expires_at__lte=now)
    if over.update(holder=wanted.holder, expires_at=until):
        return True
    return TaskLease.objects.get_or_create(
        name=wanted.name, defaults={"holder": wanted.holder, "expires_at": until}
    )[1]
