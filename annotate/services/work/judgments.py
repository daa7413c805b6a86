"""Submitting judgments and keeping drafts."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Conflict, Gone, Invalid
from annotate.instruments.base import Instrument, InvalidResponse, Material
from annotate.models import (
    Assignment,
    Campaign,
    Draft,
    Judgment,
    LedgerEntry,
    Participation,
    Slot,
)
from annotate.selectors.pay import budget
from annotate.selectors.review import eligibility
from annotate.selectors.studies import instruments
from annotate.selectors.work import admission, in_hand, signal_keys
from annotate.selectors.work.in_hand import InHand
from annotate.services import audit, change_marks, locks, totals
from annotate.services.pay import ledger, promises
from annotate.services.work import assignment_states, leasing, page_signals, slots, submissions
from annotate.services.work.page_signals import PageSent
from annotate.services.work.submissions import CheckedResponse

Status = Assignment.Status
T = TypeVar("T")


@dataclass(frozen=True)
class Receipt:
    """The result of a submitted response: whether it counts, and what it earned.

    judgment_id: None for a gold item. Annotators are not told it, nor that gold enters no estimate.
    """

    judgment_id: int | None
    counts: bool
    earned: Decimal
    already: bool = False


@dataclass(frozen=True)
class HandedIn:
    """What a page hands in. version: of the instrument with which it asked; None: this process.

    page: what it sent beside the response; it is used only where the campaign counts signals.
    """

    raw: Mapping[str, Any]
    active_seconds: float | None = None
    version: str | None = None
    page: PageSent | None = None


def submit(
    assignment_id: int,
    *,
    participation_id: int,
    raw: Mapping[str, Any],
    active_seconds: float | None = None,
    version: str | None = None,
    page: PageSent | None = None,
) -> Receipt:
    """Store a response as a judgment, once. A repeated submit returns the first receipt.

    version: of the instrument that the page asked with; None where this process asked.
    Raises `Invalid` with what is missing; `Gone` where the annotator has the same output open
    again, or has left or submitted its paid unit; `NotFound` for another person's assignment;
    `Conflict` where the instrument has another version now. A worker computes the scores after the
    change mark (`scoring.ensure`).
    """
    given = HandedIn(raw, active_seconds, version, page)

    def act(who: Participation, alone: bool) -> Receipt:
        instrument = instruments.of(who.campaign)
        receipt, due = store(assignment_id, who, given, instrument, alone=alone)
        if due:
            totals.change(who.campaign_id, **due)
            promises.fall_due(who.campaign, who.annotator_id)
        return receipt

    return in_turn(participation_id, act)


def in_turn(participation_id: int, act: Callable[[Participation, bool], T]) -> T:
    """Submit a task by `act`, in a transaction that locks the person.

    Where that is not enough it is undone, and done again with the campaign locked alone.
    """
    try:
        try:
            with transaction.atomic():
                return act(locks.person(participation_id), False)
        except leasing.Alone:
            with transaction.atomic():
                return act(locks.person(participation_id, alone=True), True)
    except IntegrityError:  # this person has the same output in another task
        raise Gone(_("You already have this task, in another tab or an earlier visit.")) from None


def store(
    assignment_id: int, who: Participation, given: HandedIn, instrument: Instrument, *, alone: bool
) -> tuple[Receipt, dict[str, Any]]:
    """Store a response in the caller's transaction, which `in_turn` has begun.

    Return the receipt, and what the caller adds to the campaign's totals and then looks whether a
    bonus falls due; nothing where it had been stored before. Raises as `submit` does, and
    `leasing.Alone` for late work that needs the campaign's own lock.
    """
    assignment = leasing.own(assignment_id, participation_id=who.pk)
    is_late = assignment.status != Status.LEASED
    mine = Assignment.objects.filter(Assignment.has_work(), pk=assignment_id)
    if is_late and mine.exists():  # its unit may have been returned since
        return _receipt(assignment_id, already=True), {}
    if is_late and not alone:
        raise leasing.Alone
    assignment.campaign, assignment.participation = who.campaign, who
    work = checked(in_hand.of(assignment), instrument, given)
    work = replace(work, signals=page_signals.counted(signal_keys.of(who.campaign), given.page))
    if is_late:
        return _late(work, who)
    if not _advance(work, who, sources=[Status.LEASED]):
        raise leasing.Alone  # its time was over meanwhile
    receipt, due = _store(work, kind=LedgerEntry.Kind.REWARD, counts=True)
    return receipt, due | {"leased": -1}


def save_draft(
    assignment_id: int, *, participation_id: int, revision: int, data: Mapping[str, Any]
) -> int:
    """Store the answers entered so far; return the new revision.

    Raises `Conflict` where another tab has saved since `revision`, and `Gone` after the submit.
    """
    if leasing.own_status(assignment_id, participation_id) in Assignment.JUDGED:
        raise Gone(_("You have submitted this task already."), code="submitted")
    earlier = Draft.objects.filter(assignment=assignment_id, revision=revision)
    saved = earlier.update(revision=revision + 1, data=dict(data), saved_at=timezone.now())
    if not saved and not (revision == 0 and _first_draft(assignment_id, data)):
        raise Conflict(
            _("This task is open in another tab, with newer answers. Reload to see them."),
            code="stale",
        )
    return revision + 1


def _first_draft(assignment_id: int, data: Mapping[str, Any]) -> bool:
    """Store the first draft of a task; False if another tab has stored one meanwhile."""
    try:
        with transaction.atomic():
            Draft.objects.create(assignment_id=assignment_id, revision=1, data=dict(data))
    except IntegrityError:
        return False
    return True


def checked(task: InHand, instrument: Instrument, given: HandedIn) -> CheckedResponse:
    """Return the submission, after checking that the page asked with this version.

    Raises `Invalid` with what is missing, and `Conflict` for another version.
    """
    if given.version not in (None, instrument.version):
        raise Conflict(
            _(
                "The wording of this study has changed since you opened this page. Your answers "
                "are kept: reload, look them over, and submit again."
            ),
            code="stale_version",
        )
    response = _read(instrument, task.material, given.raw)
    at = timezone.now()
    return CheckedResponse(task, instrument, response, given.active_seconds, at, page=given.page)


def _read(instrument: Instrument, material: Material, raw: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return instrument.check(raw, material=material)
    except InvalidResponse as error:
        raise Invalid(error.errors) from None


def _late(work: CheckedResponse, who: Participation) -> tuple[Receipt, dict[str, Any]]:
    """Store work after its lease: it counts if a slot is free; otherwise it is compensated."""
    campaign, task = who.campaign, work.assignment
    over = admission.closed_unit(who)
    if over is not None:  # its paid unit takes no more work
        raise Gone(over.message, code=over.reason)
    promised = admission.has_room(who, besides=task)
    _advance(work, who, sources=[Status.EXPIRED, Status.RETURNED])
    counts = _retake(task, campaign, promised=promised)
    if not counts and not promised and not budget.affordable(campaign):
        subject = f"assignment:{task.pk}"
        audit.record("compensation_needed", campaign_id=campaign.pk, subject=subject)
        return _store(work, kind=None, counts=False)
    kind = LedgerEntry.Kind.REWARD if counts else LedgerEntry.Kind.COMPENSATION
    return _store(work, kind=kind, counts=counts)


def _advance(
    work: CheckedResponse, who: Participation, *, sources: Collection[Assignment.Status]
) -> bool:
    """Record the submission of a task that is in one of `sources`."""
    return bool(
        assignment_states.move(
            [work.assignment.pk],
            _state(who),
            campaign_id=who.campaign_id,
            sources=sources,
            ended_at=work.at,
            signals=work.signals,
        )
    )


def _state(who: Participation) -> Status:
    """Return what its submissions are: verified where the crowd has confirmed the participation."""
    return Status.SUBMITTED if who.verified_at is None else Status.VERIFIED


def _retake(assignment: Assignment, campaign: Campaign, *, promised: bool) -> bool:
    """Take a free slot of the same output again, if the campaign still collects and can pay.

    A gold item needs no slot.
    """
    if campaign.status not in (*admission.COLLECTING, Campaign.Status.PAUSED):
        return False
    if admission.blocked(campaign, promised=promised) or admission.over_cap(assignment, campaign):
        return False
    if eligibility.excluded(campaign.pk, assignment.annotator_id):
        return False
    return assignment.output_id is None or slots.take_for(assignment)


def _store(
    work: CheckedResponse, *, kind: LedgerEntry.Kind | None, counts: bool
) -> tuple[Receipt, dict[str, Any]]:
    assignment, campaign = work.assignment, work.assignment.campaign
    judgment_id = submissions.add(work)
    spent, earned = Decimal(0), Decimal(0)
    if kind is not None:
        entry = ledger.earn_task(assignment, campaign=campaign, kind=kind)
        spent, earned = entry.amount + entry.fee, budget.price(campaign).reward
    Draft.objects.filter(assignment=assignment).delete()
    change_marks.mark(campaign.pk, "judgment")
    return Receipt(judgment_id, counts, earned), {"spent": spent}


def _receipt(assignment_id: int, *, already: bool) -> Receipt:
    judgment = Judgment.objects.filter(assignment=assignment_id).first()
    entry = LedgerEntry.objects.filter(assignment=assignment_id).first()
    holds = Slot.objects.filter(assignment=assignment_id).exists()
    earned = entry.amount if entry else Decimal(0)
    if judgment is None:  # a gold item
        counts = entry is not None and entry.kind == LedgerEntry.Kind.REWARD
        return Receipt(None, counts, earned, already=already)
    return Receipt(judgment.pk, holds, earned, already=already)
