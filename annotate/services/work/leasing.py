"""Leases: which annotator has which output until when (data rule 6). `admission` decides who may.

Each function is one short transaction. Most leases spend from the campaign's allowance (`spending`,
decision 040). The others lock the campaign's row, one after another (`no_key`, so that inserts that
only refer to the campaign do not wait), look at its limits, and allow further leases. The slot
(free or held by one assignment) and the unique constraints of `Assignment` guard behind the locks.

Locks are taken in this order: the campaign, its allowance of leases, the person's participations,
assignments, slots. `spending` takes from the allowance last, but never waits for it.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Case, DateTimeField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Gone, NotFound
from annotate.models import Assignment, Campaign, Participation
from annotate.selectors.studies import instruments
from annotate.selectors.work import admission, beforehand, gold, standing
from annotate.selectors.work.in_hand import with_begin
from annotate.selectors.work.picking import Picked, recent_items
from annotate.selectors.work.side_by_side import picking
from annotate.services import change_marks, lease_allowances, locks
from annotate.services.pay import promises
from annotate.services.work import assignment_states, slots, spending

LONGEST = 6  # lease lengths by which a page that stays open can extend a lease
LEASED = Assignment.Status.LEASED

Lease = Assignment | admission.Nothing


def lease(participation_id: int, *, ahead: bool = False) -> Lease:
    """Return the open assignment of this participation, or lease the next output.

    With `ahead`, an annotator with one open assignment gets a second one (prefetch).
    """
    if not ahead and (in_hand := _in_hand(participation_id)):
        return in_hand
    if quick := _at_once(participation_id, ahead=ahead):
        return quick
    with transaction.atomic():
        who, campaign, mine = _come(participation_id)
        return mine[0] if mine and not ahead else _next(campaign, who, n_open=len(mine))


def lease_ahead(participation_id: int, *, after: int) -> Lease:
    """Return the open assignment other than `after`, or lease it (prefetch).

    This needs an open campaign. A closing campaign keeps its slots for annotators who ask for a
    task now.
    """
    if in_hand := _in_hand(participation_id, besides=after):
        return in_hand
    if quick := _at_once(participation_id, besides=after):
        return quick
    with transaction.atomic():
        who, campaign, mine = _come(participation_id)
        if others := [each for each in mine if each.pk != after]:
            return others[0]
        if campaign.status == Campaign.Status.CLOSING:
            return admission.none_free(campaign)
        return _next(campaign, who, n_open=len(mine), besides=after)


def _at_once(
    participation_id: int, *, ahead: bool = True, besides: int | None = None
) -> Assignment | None:
    """Lease the next output without the campaign's lock, where nothing speaks against it.

    ahead, besides: whether another task may be open, and which one.
    """

    def act(who: Participation) -> Assignment:
        known, now = spending.begin(who), standing.of(who, now=timezone.now())
        if now.n_open and (not ahead or (besides is not None and now.waiting != besides)):
            raise spending.Otherwise  # another tab was faster
        return spending.lease(known, who, now, besides=besides)[0]

    return spending.tried(participation_id, act)


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
    owed = beforehand.owed(found.campaign, found.participation)
    return admission.first(owed) if owed else found


def _come(participation_id: int) -> tuple[Participation, Campaign, list[Assignment]]:
    """Lock the campaign and expire leases; return participation, campaign and open assignments."""
    known = Participation.objects.values_list("campaign", flat=True)
    campaign = locks.campaign_with_allowance(known.get(pk=participation_id))
    who = locks.person(participation_id)
    expire_due(campaign.pk, now=timezone.now())
    return who, campaign, list(admission.open_of(who.pk).order_by("leased_at", "pk"))


def _next(
    campaign: Campaign, who: Participation, *, n_open: int, besides: int | None = None
) -> Lease:
    """Lease the next output. If no further task can follow, the tutorial bonus is due now."""
    refusal = admission.personal(campaign, who, n_open=n_open)
    if refusal is None:
        lease_allowances.withdraw(campaign.pk)  # from here on, limits and budget decide
        refusal = admission.gate(campaign, who, n_open=n_open)
    got = refusal or _take(campaign, who, now=timezone.now(), besides=besides)
    if isinstance(got, admission.Nothing):
        promises.look(campaign, who.annotator_id)
    return got


def shown(assignment_id: int, *, participation_id: int) -> None:
    """Record that the annotator sees the task for the first time, which starts its time."""
    Assignment.objects.filter(
        pk=assignment_id, participation=participation_id, started_at=None
    ).update(started_at=timezone.now())


def expire_due(campaign_id: int, *, now: datetime) -> int:
    """End the expired leases and free their slots; return how many."""
    with transaction.atomic():
        due = list(
            Assignment.objects.select_for_update(no_key=True)
            .filter(campaign=campaign_id, status=LEASED, expires_at__lte=now)
            .order_by("pk")  # one order for all, which prevents deadlocks
            .values_list("pk", flat=True)
        )
        return sum(_end(pk, campaign_id, to=Assignment.Status.EXPIRED, now=now) for pk in due)


def give_back(assignment_id: int, *, participation_id: int) -> None:
    """Return a lease unfinished; its output goes to the front of the queue."""
    campaign_id = own(assignment_id, participation_id=participation_id).campaign_id
    with transaction.atomic():
        _end(assignment_id, campaign_id, to=Assignment.Status.RETURNED, now=timezone.now())


def end_open(campaign_id: int, annotator_id: int, *, now: datetime) -> int:
    """End an annotator's open leases in a campaign, in the caller's transaction."""
    mine = Assignment.objects.filter(campaign=campaign_id, annotator=annotator_id)
    return end_leases(mine, now=now)


def end_leases(assignments: QuerySet[Assignment], *, now: datetime) -> int:
    """End those of these leases that are open, in the caller's transaction."""
    ended = assignments.filter(status=LEASED).order_by("pk").values_list("pk", "campaign_id")
    return sum(
        _end(pk, campaign_id, to=Assignment.Status.RETURNED, now=now) for pk, campaign_id in ended
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
    length = spending.length(assignment.campaign)
    return min(
        spending.until(assignment.participation, length), assignment.leased_at + LONGEST * length
    )


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


def _take(campaign: Campaign, who: Participation, *, now: datetime, besides: int | None) -> Lease:
    recent = [item for (item,) in recent_items(campaign.pk, who.annotator_id)]
    slot = picking.pick(instruments.of(campaign), who, recent=recent, besides=besides)
    if slot is None:
        return admission.none_free(campaign)
    if campaign.status == Campaign.Status.OPEN and campaign.gold_share:
        slot = _gold(campaign, who) or slot
    assignment = spending.take(slot, campaign, who, now=now)
    if campaign.status == Campaign.Status.OPEN:
        lease_allowances.grant(campaign, admission.room(campaign))
    return assignment


def _gold(campaign: Campaign, who: Participation) -> Picked | None:
    held, had = admission.held_by(who), gold.had_by(campaign.pk, who.annotator_id)
    is_due = gold.is_due(campaign, who.annotator_id, held=held, had=had)
    return gold.pick(campaign, who.annotator_id) if is_due else None


def _end(assignment_id: int, campaign_id: int, *, to: Assignment.Status, now: datetime) -> int:
    """Move leased -> `to`, in the caller's transaction; 0 if the lease had already ended."""
    mine = [assignment_id]
    ended = assignment_states.move(
        mine, to, campaign_id=campaign_id, sources=[LEASED], ended_at=now
    )
    if ended:
        slots.free(mine)
        change_marks.mark(campaign_id, to.value)
    return ended
