"""Leases: which annotator has which output until when (data rule 6). `admission` decides who may.

Each function is one short transaction. A lease shares the campaign's lock (`locks`), takes a free
slot that nobody has locked, and ends with one conditional update of the campaign's row of totals.
Where that row, or no free slot, refuses it, all is undone and done again with the campaign locked
alone, which leases or says why not.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, DateTimeField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.campaigns import totals
from annotate.common import locks, marks
from annotate.common.errors import Gone, NotFound
from annotate.instruments.base import Instrument
from annotate.models import Assignment, Campaign, Participation
from annotate.pay import promises
from annotate.studies import queries as studies_queries
from annotate.work import admission, picking, slots, task, tutorial_queries
from annotate.work.picking import Picked, TaskCounts
from annotate.work.task import with_begin

LONGEST = 6  # lease lengths by which a page that stays open can extend a lease
LEASED = Assignment.Status.LEASED

Lease = Assignment | admission.NoTask


class Alone(Exception):
    """Undo the transaction, and begin again with the campaign locked alone."""


def lease(participation_id: int) -> Lease:
    """Return the open assignment of this participation, or lease the next output."""
    return _in_hand(participation_id) or _leased(participation_id)


def lease_ahead(participation_id: int, *, after: int) -> Lease:
    """Return the open assignment other than `after`, or lease it (prefetch).

    This needs an open campaign. A closing campaign keeps its slots for annotators who ask for a
    task now.
    """
    return _in_hand(participation_id, besides=after) or _leased(participation_id, besides=after)


def _leased(participation_id: int, *, besides: int | None = None) -> Lease:
    try:
        return _lease(participation_id, besides=besides, alone=False)
    except Alone:
        return _lease(participation_id, besides=besides, alone=True)


@transaction.atomic
def _lease(participation_id: int, *, besides: int | None, alone: bool) -> Lease:
    who = locks.person(participation_id, alone=alone)
    expire(who.campaign_id, now=timezone.now())
    mine = list(admission.open_of(who.pk).order_by("leased_at", "pk"))
    others = [each for each in mine if each.pk != besides]
    if others:
        return others[0]
    if besides is not None and who.campaign.status == Campaign.Status.CLOSING:
        return admission.none_free(who.campaign)
    now = picking.standing_of(who, now=timezone.now())
    got, within = choose(
        who, now, studies_queries.instrument_of(who.campaign), besides=besides, alone=alone
    )
    if isinstance(got, admission.NoTask):
        promises.look(who.campaign, who.annotator_id)
        return got
    assignment = take(got, who)
    count(who, got, within)
    return assignment


def choose(
    who: Participation,
    now: TaskCounts,
    instrument: Instrument,
    *,
    besides: int | None = None,
    alone: bool,
) -> tuple[Picked | admission.NoTask, Q]:
    """Lock the slot that this person gets next, or say why none, with what its lease is `within`.

    The caller has locked the person. Raises `Alone` where only the campaign's own lock can tell.
    """
    campaign, step = who.campaign, tutorial_queries.step(who.campaign, who)
    refusal = admission.personal(campaign, who, n_open=now.n_open, step=step, now=now)
    if refusal is None and alone:
        refusal = admission.gate(campaign, who, n_open=now.n_open)
    elif refusal is None:
        is_late = campaign.deadline is not None and timezone.now() >= campaign.deadline
        if step != tutorial_queries.TutorialStep.PASSED or is_late:
            raise Alone  # limits come before the tutorial
    if refusal is not None:
        return refusal, Q()
    within = admission.within(campaign, who)
    found = _gold(who, now) or picking.pick_side_by_side(instrument, who, besides=besides)
    if found is None and not alone:
        raise Alone  # others may have locked slots that they do not take
    return found or admission.none_free(campaign), within


def take(picked: Picked, who: Participation) -> Assignment:
    """Lease a slot that was picked, or a gold item."""
    now, slot = timezone.now(), picked.slot
    assignment = Assignment.objects.create(
        campaign=who.campaign,
        participation=who,
        annotator_id=who.annotator_id,
        output=None if slot is None else slot.output,
        gold_id=picked.gold_id,
        leased_at=now,
        expires_at=_until(who, who.campaign),
    )
    if slot is not None:
        held = (slots.begin if picked.begins else slots.take)(slot.pk, assignment)
        if not held:
            raise Alone  # somebody has begun the item meanwhile
    return assignment


def count(who: Participation, picked: Picked, within: Q, **more: Any) -> None:
    """Count a lease in the totals, with whatever else this transaction brings; its last act.

    Raises `Alone` where limits or budget do not cover it any more.
    """
    leased = 1 + more.pop("leased", 0)
    held = int(picked.slot is not None)
    if not totals.change(who.campaign_id, held=held, leased=leased, within=within, **more):
        raise Alone


def _gold(who: Participation, now: TaskCounts) -> Picked | None:
    campaign = who.campaign
    if campaign.status != Campaign.Status.OPEN or not campaign.gold_share:
        return None
    is_due = picking.is_due(campaign, who.annotator_id, held=now.held, had=now.had_gold)
    return picking.pick_gold(campaign, who.annotator_id) if is_due else None


def _in_hand(participation_id: int, *, besides: int | None = None) -> Lease | None:
    """Return the open assignment whose time is not over: it needs no lock and no new lease.

    A consent text that was changed meanwhile comes before it.
    """
    mine = admission.open_of(participation_id).filter(expires_at__gt=timezone.now())
    if besides is not None:
        mine = mine.exclude(pk=besides)
    read = mine.select_related("participation", "campaign__texts")
    found = read.order_by("leased_at", "pk").first()
    if found is None:
        return None
    owed = task.owed(found.campaign, found.participation)
    return admission.first(owed) if owed else found


def shown(assignment_id: int, *, participation_id: int) -> None:
    """Record that the annotator sees the task for the first time, which starts its time."""
    Assignment.objects.filter(
        pk=assignment_id, participation=participation_id, started_at=None
    ).update(started_at=timezone.now())


def expire_due(campaign_id: int, *, now: datetime) -> int:
    """End the expired leases and free their slots; return how many."""
    with transaction.atomic():
        locks.shared(campaign_id)
        return expire(campaign_id, now=now)


def expire(campaign_id: int, *, now: datetime) -> int:
    """Do the same in the caller's transaction, which has the campaign's lock."""
    due = list(  # what others have locked is submitted or ended at this moment
        Assignment.objects.select_for_update(no_key=True, skip_locked=True)
        .filter(campaign=campaign_id, status=LEASED, expires_at__lte=now)
        .values_list("pk", flat=True)
    )
    return _end(due, campaign_id, to=Assignment.Status.EXPIRED, now=now)


def give_back(assignment_id: int, *, participation_id: int) -> None:
    """Return a lease unfinished; its output goes to the front of the queue."""
    campaign_id = own(assignment_id, participation_id=participation_id).campaign_id
    with transaction.atomic():
        locks.shared(campaign_id)
        _end([assignment_id], campaign_id, to=Assignment.Status.RETURNED, now=timezone.now())


def end_open(campaign_id: int, annotator_id: int, *, now: datetime) -> int:
    """End an annotator's open leases in a campaign, in the caller's transaction."""
    mine = Assignment.objects.filter(campaign=campaign_id, annotator=annotator_id)
    return end_leases(mine, now=now)


def end_leases(assignments: QuerySet[Assignment], *, now: datetime) -> int:
    """End those of these leases that are open, in the caller's transaction."""
    ended: dict[int, list[int]] = {}
    open_ = assignments.filter(status=LEASED).order_by("pk").values_list("pk", "campaign_id")
    for pk, campaign_id in open_:
        ended.setdefault(campaign_id, []).append(pk)
    return sum(
        _end(mine, campaign_id, to=Assignment.Status.RETURNED, now=now)
        for campaign_id, mine in ended.items()
    )


def heartbeat(assignment_id: int, *, participation_id: int) -> datetime:
    """Extend a lease, and the prefetched one, while its page is in use; return its end.

    There is a limit, so that a forgotten page does not keep a campaign from closing. The lease also
    ends when the crowd's own time is over. Two statements.
    """
    rows = Assignment.objects.select_related("campaign", "participation")
    mine = rows.filter(Q(pk=assignment_id) | Q(status=LEASED), participation=participation_id)
    found = {one.pk: one for one in mine}
    if assignment_id not in found:
        raise NotFound(_("This is not one of your tasks."))
    ends = {pk: _end_of(one) for pk, one in found.items() if one.status == LEASED}
    if assignment_id not in ends or not _extend(ends, seen=assignment_id):
        raise Gone(_("This task is no longer reserved for you. Your draft is kept."))
    return ends[assignment_id]


def hold(participation_id: int) -> None:
    """Extend the open leases of a participation while its annotator corrects a submitted text."""
    mine = admission.open_of(participation_id).select_related("campaign", "participation")
    for one in mine.filter(expires_at__gt=timezone.now()):
        still = Assignment.objects.filter(pk=one.pk, status=LEASED)
        still.update(expires_at=max(one.expires_at, _end_of(one)))


def _end_of(assignment: Assignment) -> datetime:
    """Return when this lease ends if its page is in use now."""
    longest = LONGEST * timedelta(minutes=assignment.campaign.lease_minutes)
    return min(
        _until(assignment.participation, assignment.campaign), assignment.leased_at + longest
    )


def _until(who: Participation, campaign: Campaign) -> datetime:
    """Return the end of a lease that starts now."""
    end = timezone.now() + timedelta(minutes=campaign.lease_minutes)
    return end if who.deadline_at is None else min(end, who.deadline_at)


def _extend(ends: dict[int, datetime], *, seen: int) -> bool:
    """Set the ends of leases that still hold; return whether the one that is `seen` does."""
    now, time = timezone.now(), DateTimeField()
    end = Case(*(When(pk=pk, then=Value(at, time)) for pk, at in ends.items()))
    begun = Case(When(pk=seen, then=Coalesce("started_at", Value(now, time))), default="started_at")
    held = Assignment.objects.filter(pk__in=ends, status=LEASED)
    extended = held.update(expires_at=end, started_at=begun)
    return extended == len(ends) or Assignment.objects.filter(pk=seen, status=LEASED).exists()


def own(assignment_id: int, *, participation_id: int) -> Assignment:
    """Return the assignment if it belongs to this participation."""
    mine = Assignment.objects.select_related("campaign", "participation", "output__item", "gold")
    try:
        return with_begin(mine).get(pk=assignment_id, participation_id=participation_id)
    except Assignment.DoesNotExist:
        raise NotFound(_("This is not one of your tasks.")) from None


def own_status(assignment_id: int, participation_id: int) -> str:
    """Return the status of the assignment if it belongs to this participation."""
    mine = Assignment.objects.filter(pk=assignment_id, participation=participation_id)
    status = mine.values_list("status", flat=True).first()
    if status is None:
        raise NotFound(_("This is not one of your tasks."))
    return status


def _end(
    assignments: Collection[int], campaign_id: int, *, to: Assignment.Status, now: datetime
) -> int:
    """Move each from leased to `to`, in the caller's transaction; return how many had not ended.

    All slots are freed before the totals change. Who picks a slot may hold one that was leased
    meanwhile: to wait for it with the totals locked would be to wait in a circle.
    """
    ended = [
        pk
        for pk in assignments
        if slots.move([pk], to, campaign_id=campaign_id, sources=[LEASED], ended_at=now)
    ]
    if ended:
        slots.free(ended, campaign_id=campaign_id)
        totals.change(campaign_id, leased=-len(ended))
        for _pk in ended:
            marks.mark(campaign_id, to.value)
    return len(ended)
