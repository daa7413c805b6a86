"""Applies what a crowd lists: confirmed work counts, and the pay of lost work is cancelled.

A crowd is read again and again, so each function is safe to repeat. Each one locks the campaign
first (`services.work.leasing`).
"""

from collections.abc import Collection

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Submission, UnitState
from annotate.crowds.terms import from_json
from annotate.models import Annotator, Assignment, Participation, Posting
from annotate.selectors.work import units
from annotate.services import locks
from annotate.services.marketplace import adjudication
from annotate.services.pay import settling, unit_ledger
from annotate.services.work import confirmed_work, participation_states

Status = Participation.Status
HERE = (Status.ACTIVE, Status.HANDED_IN)
SAME = {
    UnitState.SUBMITTED: Participation.LISTED,
    UnitState.APPROVED: (Status.APPROVED,),
    UnitState.REJECTED: (Status.REJECTED, Status.APPROVED),  # lists lag behind an override
    UnitState.RETURNED: (Status.LEFT, Status.APPROVED, Status.REJECTED),
}

NOBODY = (
    "The crowd lists this submission as handed in, but no one entered with it here: there is no "
    "work to count. Decide whether it is paid."
)
ELSEWHERE = (
    "This submission was begun in another posting here than the one that the crowd lists it in: "
    "the work does not count. Decide whether it is paid."
)
NO_RECEIPT = (
    "It was handed in at the crowd without the receipt that our last page gives: the work cannot "
    "be verified and does not count. Decide whether it is paid."
)
RETURNED = (
    "It was handed in after {n} of {tasks} tasks; {k} more were to be had and were returned "
    "undone. Decide whether the whole submission is paid."
)
TOO_LITTLE = (
    "It was handed in at the crowd after {n} of {tasks} tasks, without our last page. Decide "
    "whether the whole submission is paid."
)


def news(posting_id: int, listed: Collection[Submission]) -> list[Submission]:
    """Return the listed submissions that are new here, with two queries for any length."""
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    units = [seen.unit for seen in listed]
    rows = (
        _ours(posting)
        .filter(external_key__in=units)
        .values_list("posting", "external_key", "annotator__external_id", "status")
    )
    known = {
        (unit, person): Status(status)
        # This posting's rows come last, so they take precedence.
        for _posting, unit, person, status in sorted(rows, key=lambda row: row[0] == posting_id)
    }
    return [seen for seen in listed if _is_news(seen, known.get((seen.unit, seen.person)))]


def _is_news(seen: Submission, status: Status | None) -> bool:
    if seen.state == UnitState.ACTIVE:
        return False
    return seen.state != UnitState.RETURNED if status is None else status not in SAME[seen.state]


def take(posting_id: int, seen: Submission) -> None:
    """Compare a listed submission with ours, and apply what the crowd says."""
    posting = Posting.objects.select_related("batch").get(pk=posting_id)
    found = _known(posting, seen)
    if not _is_news(seen, Status(found.status) if found else None):
        return
    with transaction.atomic():
        locks.campaign(posting.batch.campaign_id)
        found = _known(posting, seen) or _unknown(posting, seen)
        _others_left(found)
        _follow(found, posting, seen)
    settling.settle_everywhere(found.annotator_id)


def lapse(posting: Posting, listed: Collection[tuple[str, str]], *, nobody: bool = False) -> int:
    """End the units whose time is over and that are not `listed` (unit, person); return how many.

    `listed` is a complete list, read after the time was over. nobody: the crowd counts no one at
    work, so units that are not listed were returned. Lists may be late by the grace time.
    """
    late = timezone.now() - settings.CROWD_GRACE
    over = Q(deadline_at__lte=late)
    if nobody:
        begun_before = Q(deadline_at__lte=late + from_json(posting.batch.terms).duration)
        over |= begun_before & (Q(handed_in_at=None) | Q(handed_in_at__lte=late))
    here = Participation.objects.filter(over, posting=posting, status__in=HERE)
    rows = here.order_by("pk").values_list("pk", "external_key", "annotator__external_id")
    due = [pk for pk, unit, person in rows if (unit, person) not in listed]
    return sum(_lapse(here, pk, posting) for pk in due)


def _lapse(over: QuerySet[Participation], participation_id: int, posting: Posting) -> bool:
    """End this unit, unless a newer list contains it or it was started again."""
    with transaction.atomic():
        locks.campaign(posting.batch.campaign_id)
        return over.filter(pk=participation_id).exists() and leave(participation_id)


def leave(participation_id: int) -> bool:
    """End a unit that was returned or timed out: its slots become free and its pay is cancelled."""
    found = _get(participation_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        if not participation_states.move(
            participation_id, Status.LEFT, sources=(*HERE, Status.CONFIRMED)
        ):
            return False
        confirmed_work.lose(found, now=timezone.now())
        unit_ledger.lapse(found)
    return True


def _known(posting: Posting, seen: Submission) -> Participation | None:
    """Return our row of this person's unit. After a return, another person may have that unit."""
    mine = _ours(posting).filter(external_key=seen.unit, annotator__external_id=seen.person)
    mine = mine.select_related("campaign", "annotator", "posting__batch")
    found = list(mine.order_by("pk"))
    here = [one for one in found if one.posting_id == posting.pk]
    return next(iter([*here, *found]), None)


def _ours(posting: Posting) -> QuerySet[Participation]:
    """Return the units of a posting's crowd and environment."""
    return Participation.objects.filter(
        annotator__crowd=posting.batch.crowd, posting__environment=posting.environment
    )


def _unknown(posting: Posting, seen: Submission) -> Participation:
    """Create a row without work, so that a reviewer sees it and decides about its pay."""
    annotator, _made = Annotator.objects.get_or_create(
        crowd=posting.batch.crowd, environment=posting.environment, external_id=seen.person
    )
    made = Participation.objects.create(
        campaign_id=posting.batch.campaign_id,
        annotator=annotator,
        external_key=seen.unit,
        posting=posting,
        listing=seen.listing,
        tasks=posting.batch.tasks,
        problem=NOBODY,
    )
    return _get(made.pk)


def _others_left(found: Participation) -> None:
    """Record that the people who had this unit before have returned it."""
    others = Participation.objects.filter(
        posting=found.posting_id, external_key=found.external_key, status__in=HERE
    ).exclude(pk=found.pk)
    for pk in others.order_by("pk").values_list("pk", flat=True):
        leave(pk)


def _follow(found: Participation, posting: Posting, seen: Submission) -> None:
    if seen.state == UnitState.RETURNED:
        leave(found.pk)
        return
    _confirm(found, posting, seen)
    if seen.state == UnitState.APPROVED:
        adjudication.approved(found.pk)
    elif seen.state == UnitState.REJECTED:
        adjudication.rejected(found.pk)


def _confirm(found: Participation, posting: Posting, seen: Submission) -> None:
    """Count the work if both sides agree that it was submitted; otherwise a person decides."""
    now = timezone.now()
    disagrees = _disagreement(found, posting, seen)
    confirmed = participation_states.move(
        found.pk,
        Status.CONFIRMED,
        sources=(*HERE, Status.LEFT),
        submitted_at=seen.submitted_at or now,
        auto_approval_at=seen.auto_approval_at,
        verified_at=None if disagrees else found.verified_at or now,
        problem=disagrees or _shortfall(found),
    )
    if not confirmed:
        return
    unit_ledger.unlapse(found)
    if not disagrees:
        confirmed_work.verify(found, now=now)


def _disagreement(found: Participation, posting: Posting, seen: Submission) -> str:
    """Return the disagreement between the crowd and this database; "" if there is none."""
    if found.problem == NOBODY:
        return NOBODY
    if found.posting_id != posting.pk or found.listing != seen.listing:
        return ELSEWHERE
    by_receipt = not adapters.marketplace(posting.batch.crowd).can.verify_at_entry
    if by_receipt and (not found.receipt or seen.receipt != found.receipt):
        return NO_RECEIPT
    return ""


def _shortfall(found: Participation) -> str:
    """Return why the work is short of a whole unit; "" if it is not.

    The person submitted at the crowd before finishing here, or returned tasks undone.
    """
    tasks, given_back = found.tasks or 0, units.given_back(found.pk)
    judged = Assignment.objects.filter(Assignment.has_work(), participation=found).count()
    if judged >= tasks or (found.handed_in_at is not None and not given_back):
        return ""
    if found.handed_in_at is not None:
        return RETURNED.format(n=judged, tasks=tasks, k=given_back)
    return TOO_LITTLE.format(n=judged, tasks=tasks)


def _get(participation_id: int) -> Participation:
    return Participation.objects.select_related("campaign", "annotator", "posting__batch").get(
        pk=participation_id
    )
