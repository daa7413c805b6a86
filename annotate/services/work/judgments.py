"""Submitting judgments and keeping drafts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

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
from annotate.selectors.work.terms import CampaignTerms
from annotate.services import audit, change_marks, locks
from annotate.services.pay import ledger, promises
from annotate.services.work import assignment_states, leasing, page_signals, slots, submissions
from annotate.services.work.page_signals import PageSent
from annotate.services.work.submissions import CheckedResponse

Status = Assignment.Status


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
    assignment = leasing.own(assignment_id, participation_id=participation_id)
    if assignment.status in Assignment.JUDGED:
        return _receipt(assignment_id, already=True)
    given = HandedIn(raw, active_seconds, version, page)
    work = checked(in_hand.of(assignment), instruments.of(assignment.campaign), given)
    work = replace(work, signals=page_signals.counted(signal_keys.of(assignment.campaign), page))
    try:
        # These are two transactions. The first, on finding the lease ended, holds the assignment's
        # row, and a transaction that holds it must not wait for the campaign.
        return _in_time(work) or _late(work)
    except IntegrityError:
        # The same submit was faster in another tab, or this person has judged this output before.
        if Assignment.objects.filter(Assignment.has_work(), pk=assignment_id).exists():
            return _receipt(assignment_id, already=True)
        raise Gone(_("You already have this task, in another tab or an earlier visit.")) from None


def store_in_time(
    assignment_id: int, who: Participation, known: CampaignTerms, given: HandedIn
) -> Receipt | None:
    """Store a response while its lease holds, as `submit` does; None where that is not so.

    It runs in the caller's transaction, which locks the person. A bonus that this judgment brings
    is left to the caller.
    """
    task = in_hand.leased(assignment_id, who.pk)
    if task is None:
        return None
    task.assignment.campaign, task.assignment.participation = known.campaign, who
    work = checked(task, known.study.instrument, given)
    work = replace(work, signals=page_signals.counted(known.signal_key, given.page))
    to = _state(who)
    if not assignment_states.hand_in(assignment_id, to, ended_at=work.at, signals=work.signals):
        return None
    return _store(work, kind=LedgerEntry.Kind.REWARD, counts=True)


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


@transaction.atomic
def _in_time(work: CheckedResponse) -> Receipt | None:
    """Store it if the lease still holds its slot; otherwise return None.

    The tasks of a paid unit are processed in sequence, because their fees depend on each other.
    """
    who = work.assignment.participation
    if who.tasks is not None:
        who = _locked(who)
    if not _advance(work, sources=[Status.LEASED], who=who):
        return None
    return _store_and_promise(work, kind=LedgerEntry.Kind.REWARD, counts=True)


@transaction.atomic
def _late(work: CheckedResponse) -> Receipt:
    """Store work after its lease: it counts if a slot is free; otherwise it is compensated."""
    campaign = locks.campaign(work.assignment.campaign_id)
    who = _standing(work)
    promised = admission.has_room(who, besides=work.assignment)
    if not _advance(work, sources=[Status.EXPIRED, Status.RETURNED], who=who):
        return _receipt(work.assignment.pk, already=True)
    counts = _retake(work.assignment, campaign, promised=promised)
    if not counts and not promised and not budget.affordable(campaign):
        audit.record(
            "compensation_needed",
            campaign_id=campaign.pk,
            subject=f"assignment:{work.assignment.pk}",
        )
        return _store_and_promise(work, kind=None, counts=False)
    kind = LedgerEntry.Kind.REWARD if counts else LedgerEntry.Kind.COMPENSATION
    return _store_and_promise(work, kind=kind, counts=counts)


def _standing(work: CheckedResponse) -> Participation:
    """Return the participation, locked if its crowd may confirm it at this moment.

    Raises `Gone` where its paid unit takes no more work, unless it contains this work already.
    """
    who = work.assignment.participation
    if who.tasks is None:
        return who
    who = _locked(who)
    over = admission.closed_unit(who)
    mine = Assignment.objects.filter(Assignment.has_work(), pk=work.assignment.pk)
    if over is not None and not mine.exists():
        raise Gone(over.message, code=over.reason)
    return who


def _locked(who: Participation) -> Participation:
    return Participation.objects.select_for_update(no_key=True).get(pk=who.pk)


def _advance(
    work: CheckedResponse, *, sources: Collection[Assignment.Status], who: Participation
) -> bool:
    """Record the submission of a task that is in one of `sources`."""
    return bool(
        assignment_states.move(
            [work.assignment.pk],
            _state(who),
            campaign_id=work.assignment.campaign_id,
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


def _store_and_promise(
    work: CheckedResponse, *, kind: LedgerEntry.Kind | None, counts: bool
) -> Receipt:
    """Store it, with the bonus that it brings."""
    campaign = work.assignment.campaign
    promise = promises.locked(campaign, work.assignment.annotator_id)
    receipt = _store(work, kind=kind, counts=counts)
    promises.fall_due(promise, campaign)
    return receipt


def _store(work: CheckedResponse, *, kind: LedgerEntry.Kind | None, counts: bool) -> Receipt:
    assignment, campaign = work.assignment, work.assignment.campaign
    judgment_id = submissions.add(work)
    if kind is not None:
        ledger.earn_task(assignment, campaign=campaign, kind=kind)
    if work.task.has_draft:
        Draft.objects.filter(assignment=assignment).delete()
    change_marks.mark(campaign.pk, "judgment")
    earned = budget.price(campaign).reward if kind is not None else Decimal(0)
    return Receipt(judgment_id, counts, earned)


def _receipt(assignment_id: int, *, already: bool) -> Receipt:
    judgment = Judgment.objects.filter(assignment=assignment_id).first()
    entry = LedgerEntry.objects.filter(assignment=assignment_id).first()
    holds = Slot.objects.filter(assignment=assignment_id).exists()
    earned = entry.amount if entry else Decimal(0)
    if judgment is None:  # a gold item
        counts = entry is not None and entry.kind == LedgerEntry.Kind.REWARD
        return Receipt(None, counts, earned, already=already)
    return Receipt(judgment.pk, holds, earned, already=already)
