"""Submits, with the next task; drafts, corrections, signals of pages, and feedback."""

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.campaigns import totals
from annotate.common import audit, locks, marks
from annotate.common.errors import Conflict, Gone, Invalid
from annotate.instruments import base as instruments_base
from annotate.instruments.base import Instrument, InvalidResponse
from annotate.models import (
    Assignment,
    Campaign,
    Draft,
    Exclusion,
    Feedback,
    GoldAnswer,
    GoldCorrection,
    Judgment,
    LedgerEntry,
    Participation,
    PendingScore,
    SignalKey,
    Slot,
)
from annotate.pay import budget, ledger, promises
from annotate.review import eligibility
from annotate.screening.signals import PageCounts, hashed, screen_of, sent, signals_on
from annotate.studies import queries as studies_queries
from annotate.work import admission, leasing, picking, slots
from annotate.work import queries as work_queries
from annotate.work import task as work_task
from annotate.work.picking import Picked
from annotate.work.queries import Answered
from annotate.work.task import Figures, Work


def supersede(
    judgment_id: int,
    *,
    response: dict[str, Any],
    actor_id: int | None = None,
    version: str | None = None,
    seconds: float = 0.0,
    at: datetime | None = None,
) -> int:
    """Store a checked response in place of a judgment; return the id of the new one.

    It has the same assignment, so it counts and is paid as the earlier one was. version: of the
    instrument with which it was asked; None: that of the earlier one. seconds: the time that the
    correction took, which is added. Raises `Conflict` where the earlier one is excluded or already
    superseded.
    """
    with transaction.atomic():
        earlier = Judgment.every.select_related("campaign").get(pk=judgment_id)
        locks.campaign(earlier.campaign_id)
        if Exclusion.objects.filter(judgment=earlier, restored_at=None).exists():
            raise Conflict("This judgment is excluded. Rule on that before it is corrected.")
        now = at or timezone.now()
        if not Judgment.supersede(earlier.pk, at=now):
            raise Conflict("This judgment has been corrected already. Look at the later one.")
        active = earlier.active_seconds
        later = Judgment.objects.create(
            assignment_id=earlier.assignment_id,
            campaign_id=earlier.campaign_id,
            output_id=earlier.output_id,
            annotator_id=earlier.annotator_id,
            instrument=earlier.instrument,
            instrument_version=version or earlier.instrument_version,
            response=response,
            submitted_at=now,
            elapsed_seconds=earlier.elapsed_seconds + seconds,
            active_seconds=None if active is None else active + seconds,
            supersedes=earlier,
        )
        PendingScore.objects.filter(judgment=earlier).delete()
        subject = f"judgment:{earlier.pk}"
        audit.record(
            "supersede", campaign_id=earlier.campaign_id, actor_id=actor_id, subject=subject
        )
        marks.mark(earlier.campaign_id, "superseded")
    return int(later.pk)


# Annotators' opinions of the work: optional, once a day per participation.


LEVELS = range(1, 6)
LONGEST = 2000


def give(
    participation_id: int,
    *,
    clarity: int | None = None,
    enjoyment: int | None = None,
    pay: int | None = None,
    comment: str = "",
) -> Feedback:
    """Store an opinion. Each part is optional, but not all may be missing.

    Raises `Invalid` for a level that does not exist or an overlong comment, and `Conflict` where
    this participation has given feedback today.
    """
    levels = {"clarity": clarity, "enjoyment": enjoyment, "pay": pay}
    comment = comment.strip()
    wrong = [name for name, level in levels.items() if level is not None and level not in LEVELS]
    errors = {name: _("Choose one of the five answers, or none.") for name in wrong}
    if len(comment) > LONGEST:
        message = _("At most %(most)d characters, please; these are %(n)d.")
        errors["comment"] = message % {"most": LONGEST, "n": len(comment)}
    if not comment and all(level is None for level in levels.values()):
        errors["comment"] = _("Nothing is filled in yet. All of it is optional.")
    if errors:
        raise Invalid(errors)
    with transaction.atomic():
        # Of two simultaneous clicks, the second waits here and then finds the first.
        Participation.objects.select_for_update().get(pk=participation_id)
        if work_queries.given_today(participation_id):
            raise Conflict(_("You have told us today already. Thank you!"), code="already")
        return Feedback.objects.create(participation_id=participation_id, comment=comment, **levels)


# What is kept of the signals of an annotator's page: counts and keyed hashes, nothing else.


KEY = 32  # bytes


@dataclass(frozen=True)
class PageResponse:
    """What a page sends with a submit. version: of the instrument with which it asked.

    signals: whatever the page counted, used only where the campaign counts signals. network: the
    address of the connection. agent: the browser's description of itself. "" if unknown.
    """

    raw: Mapping[str, Any]
    active_seconds: float | None = None
    version: str | None = None  # None: this process asked
    signals: Any = None
    network: str = ""
    agent: str = ""


def begin(campaign: Campaign) -> None:
    """Make the key of a campaign that opens, if its settings ask for signals. Safe to repeat."""
    if signals_on(campaign.screening):
        SignalKey.objects.get_or_create(
            campaign=campaign, defaults={"key": secrets.token_bytes(KEY)}
        )


def counted(key: bytes | None, given: PageResponse) -> dict[str, Any] | None:
    """Return what is stored of a task; None where signals are off or the page sent none.

    Nothing that a page sends raises an error here, so no judgment is lost by it.
    """
    counts = None if key is None else sent(given.signals)
    if counts is None or key is None:
        return None
    device = f"{given.agent}\n{screen_of(given.signals)}" if given.agent else ""
    return replace(
        counts,
        network=hashed(key, "network", given.network),
        device=hashed(key, "device", device),
    ).as_data()


# Submitting judgments and keeping drafts.


Status = Assignment.Status
Fact = Judgment | GoldAnswer
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


def submit_judgment(
    assignment_id: int,
    *,
    participation_id: int,
    raw: Mapping[str, Any],
    **page: Any,
) -> Receipt:
    """Store a response as a judgment, once. A repeated submit returns the first receipt.

    page: further fields of `PageResponse`.
    Raises `Invalid` with what is missing; `Gone` where the annotator has the same output open
    again, or has left or submitted its paid unit; `NotFound` for another person's assignment;
    `Conflict` where the instrument has another version now. A worker computes the scores after the
    change mark (`scoring.ensure`).
    """
    given = PageResponse(raw, **page)

    def act(who: Participation, alone: bool) -> Receipt:
        instrument = studies_queries.instrument_of(who.campaign)
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
    assignment_id: int,
    who: Participation,
    given: PageResponse,
    instrument: Instrument,
    *,
    alone: bool,
) -> tuple[Receipt, dict[str, Any]]:
    """Store a response in the caller's transaction, which `in_turn` has begun.

    Return the receipt, and what the caller adds to the campaign's totals and then looks whether a
    bonus falls due; nothing where it had been stored before. Raises as `submit_judgment` does, and
    `leasing.Alone` for late work that needs the campaign's own lock.
    """
    assignment = leasing.own(assignment_id, participation_id=who.pk)
    is_late = assignment.status != Status.LEASED
    mine = Assignment.objects.filter(Assignment.has_work(), pk=assignment_id)
    if is_late and mine.exists():  # its unit may have been returned since
        return _first_receipt(assignment_id), {}
    if is_late and not alone:
        raise leasing.Alone
    assignment.campaign, assignment.participation = who.campaign, who
    fact = checked(assignment, instrument, given)
    signals = counted(work_task.signal_keys_of(who.campaign), given)
    if is_late:
        return _late(fact, who, signals)
    if not _advance(fact, who, signals, sources=[Status.LEASED]):
        raise leasing.Alone  # its time was over meanwhile
    receipt, due = _store(fact, kind=LedgerEntry.Kind.REWARD, counts=True)
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
    if not saved and not _first_draft(assignment_id, revision + 1, data):
        raise Conflict(
            _("This task is open in another tab, with newer answers. Reload to see them."),
            code="stale",
        )
    return revision + 1


def _first_draft(assignment_id: int, revision: int, data: Mapping[str, Any]) -> bool:
    """Store the draft where the task has none; False if it has one."""
    try:
        with transaction.atomic():
            Draft.objects.create(assignment_id=assignment_id, revision=revision, data=dict(data))
    except IntegrityError:
        return False
    return True


def checked(assignment: Assignment, instrument: Instrument, given: PageResponse) -> Fact:
    """Return the judgment, or the answer to a gold item, that `given` is; it is not stored yet.

    Raises `Invalid` with what is missing, and `Conflict` if the page asked with another version.
    """
    if given.version not in (None, instrument.version):
        raise Conflict(
            _(
                "The wording of this study has changed since you opened this page. Your answers "
                "are kept: reload, look them over, and submit again."
            ),
            code="stale_version",
        )
    material = work_task.judgment_material(assignment, assignment.campaign.output_form)
    if instrument.ranks:
        material = picking.beside(instrument, assignment, material)
    try:
        response = instrument.check(given.raw, material=material)
    except InvalidResponse as error:
        raise Invalid(error.errors) from None
    campaign, at = assignment.campaign, timezone.now()
    alike: dict[str, Any] = {
        "assignment": assignment,
        "campaign": campaign,
        "annotator_id": assignment.annotator_id,
        "instrument_version": instrument.version,
        "response": response,
        "submitted_at": at,
        "elapsed_seconds": (at - work_task.begin_of(assignment)).total_seconds(),
        "active_seconds": given.active_seconds,
    }
    gold = assignment.gold
    if gold is None:
        return Judgment(output=assignment.output, instrument=campaign.instrument, **alike)
    right = instruments_base.is_right(instrument, gold.expected, response)
    return GoldAnswer(item=gold, right=right, **alike)


def _late(
    fact: Fact, who: Participation, signals: dict[str, Any] | None
) -> tuple[Receipt, dict[str, Any]]:
    """Store work after its lease: it counts if a slot is free; otherwise it is compensated."""
    campaign, task = who.campaign, fact.assignment
    over = admission.closed_unit(who)
    if over is not None:  # its paid unit takes no more work
        raise Gone(over.message, code=over.reason)
    promised = admission.has_room(who, besides=task)
    _advance(fact, who, signals, sources=[Status.EXPIRED, Status.RETURNED])
    counts = _retake(task, campaign, promised=promised)
    if not counts and not promised and not budget.affordable(campaign):
        subject = f"assignment:{task.pk}"
        audit.record("compensation_needed", campaign_id=campaign.pk, subject=subject)
        return _store(fact, kind=None, counts=False)
    kind = LedgerEntry.Kind.REWARD if counts else LedgerEntry.Kind.COMPENSATION
    return _store(fact, kind=kind, counts=counts)


def _advance(
    fact: Fact,
    who: Participation,
    signals: dict[str, Any] | None,
    *,
    sources: Collection[Assignment.Status],
) -> bool:
    """Record the submission of a task in one of `sources`: verified where the crowd has confirmed
    the participation."""
    return bool(
        slots.move(
            [fact.assignment_id],
            Status.SUBMITTED if who.verified_at is None else Status.VERIFIED,
            campaign_id=who.campaign_id,
            sources=sources,
            ended_at=fact.submitted_at,
            signals=signals,
        )
    )


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
    if eligibility.released(campaign, assignment.annotator_id):
        return False
    return assignment.output_id is None or slots.take_for(assignment)


def _store(
    fact: Fact, *, kind: LedgerEntry.Kind | None, counts: bool
) -> tuple[Receipt, dict[str, Any]]:
    assignment, campaign = fact.assignment, fact.campaign
    fact.save()
    spent, earned = Decimal(0), Decimal(0)
    if kind is not None:
        entry = ledger.earn_task(assignment, campaign=campaign, kind=kind)
        spent, earned = entry.amount + entry.fee, budget.price(campaign).reward
    Draft.objects.filter(assignment=assignment).delete()
    marks.mark(campaign.pk, "judgment")
    return Receipt(_id(fact), counts, earned), {"spent": spent}


def _first_receipt(assignment_id: int) -> Receipt:
    judgment = Judgment.objects.filter(assignment=assignment_id).first()
    entry = LedgerEntry.objects.filter(assignment=assignment_id).first()
    holds = Slot.objects.filter(assignment=assignment_id).exists()
    earned = entry.amount if entry else Decimal(0)
    if judgment is None:  # a gold item
        counts = entry is not None and entry.kind == LedgerEntry.Kind.REWARD
        return Receipt(None, counts, earned, already=True)
    return Receipt(judgment.pk, holds, earned, already=True)


# A judgment comes in, and the task after the next one goes out: one transaction.


@dataclass(frozen=True)
class AfterSubmit:
    """What comes after a task.

    next: the assignment that comes now; None where the page must ask what there is.
    coming: the task that was leased last; None if none was. It may be `next` itself.
    """

    study: work_task.Study
    figures: Figures
    next: int | None
    coming: Work | None


def submit(
    assignment_id: int, *, participation_id: int, given: PageResponse
) -> tuple[Receipt, AfterSubmit]:
    """Store a response as a judgment, once, and lease the task after the next one.

    Raises as `submit_judgment` does.
    """

    def act(who: Participation, alone: bool) -> tuple[Receipt, AfterSubmit]:
        study = work_task.study_of(who.campaign)
        receipt, due = store(assignment_id, who, given, study.instrument, alone=alone)
        return receipt, _follow(who, study, due, alone=alone)

    return in_turn(participation_id, act)


def what_follows(participation_id: int) -> AfterSubmit:
    """Lease the task after the next one, or the next one."""
    try:
        return _after(participation_id, alone=False)
    except leasing.Alone:
        return _after(participation_id, alone=True)


@transaction.atomic
def _after(participation_id: int, *, alone: bool) -> AfterSubmit:
    who = locks.person(participation_id, alone=alone)
    return _follow(who, work_task.study_of(who.campaign), {}, alone=alone)


def _follow(
    who: Participation, study: work_task.Study, due: dict[str, Any], *, alone: bool
) -> AfterSubmit:
    """Lease the next task of a locked person. due: what else this transaction adds to the totals.

    What comes before the next task, such as a changed consent text, is asked on a page.
    """
    leasing.expire(who.campaign_id, now=timezone.now())
    submitted = bool(due)
    if alone and due:  # limits are read from the totals now, and nobody else changes them
        totals.change(who.campaign_id, **due)
        due = {}
    now = picking.standing_of(who, now=timezone.now())
    picked, coming, waiting = None, None, now.waiting
    # A closing campaign keeps its slots for people who ask for a task now.
    keeps = who.campaign.status == Campaign.Status.CLOSING and waiting is not None
    if now.n_open < admission.AT_ONCE and not keeps:
        picked, within = leasing.choose(who, now, study.instrument, alone=alone)
    if isinstance(picked, Picked):
        assignment = leasing.take(picked, who)
        leasing.count(who, picked, within, **due)
        coming = work_task.current(assignment, study, has_draft=picked.has_draft)
        waiting = waiting or coming.id
    elif due:
        totals.change(who.campaign_id, **due)
    if coming is None and now.n_open > 1:
        mine = admission.open_of(who.pk).select_related("participation", "output__item", "gold")
        other = mine.exclude(pk=waiting or 0).order_by("leased_at", "pk").first()
        coming = None if other is None else work_task.current(other, study)
    if submitted:
        promises.fall_due(who.campaign, who.annotator_id)
    if isinstance(picked, admission.NoTask):
        promises.look(who.campaign, who.annotator_id)
    if work_task.owed(who.campaign, who):
        waiting = None
    figures = work_task.figures_of(who, now, goes_on=coming is not None)
    return AfterSubmit(study, figures, waiting, coming)


# An annotator corrects the text submitted last: a second fact, which supersedes the first.
#
# One transaction, which locks the campaign and the person: of acts that end the time
# for corrections (a text submitted later, a unit handed in, a ruling, the end of the campaign) and
# of two corrections at once, each sees what the one before has done.


def correct(
    assignment_id: int, *, participation_id: int, given: PageResponse, after: int
) -> int | None:
    """Store a response in place of the last one to this task, once.

    Return the judgment that counts; None for a gold item. after: how many answers to it the page
    knew; a repeated request is answered as the first one was. Raises `Invalid` with what is
    missing, `Conflict` where another tab has corrected it or the instrument has another version,
    `Gone` where it may not be corrected any more, and `NotFound` for another person's task.
    """
    task = leasing.own(assignment_id, participation_id=participation_id)
    new = checked(task, studies_queries.instrument_of(task.campaign), given)
    with transaction.atomic():
        campaign = locks.campaign(task.campaign_id)
        who = locks.person(participation_id)
        found = work_queries.answered(assignment_id)
        if found.answers == after + 1 and found.response == new.response:
            return _id(found.fact)
        last = work_queries.last_submitted(participation_id)
        if last is not None and last.pk != assignment_id:
            raise Gone(
                _("You have submitted another text since, so this one stays as it is."),
                code="not_correctable",
            )
        now = timezone.now()
        why = work_queries.refusal(campaign, who, last, now=now) or work_queries.too_many(found)
        if why is not None:
            raise Gone(why.message, code=why.reason)
        if found.answers != after:
            raise Conflict(
                _("This text was corrected in another tab. Go back, and open it again."),
                code="corrected",
            )
        return _store_correction(new, given, campaign, found)


def _store_correction(
    new: Fact, given: PageResponse, campaign: Campaign, found: Answered
) -> int | None:
    now = timezone.now()
    spent = min(new.active_seconds or 0.0, max(0.0, (now - found.at).total_seconds()))
    _add_signals(new.assignment, given, campaign)
    _stop_clock(new.assignment, spent)
    if isinstance(found.fact, Judgment):
        return supersede(
            found.fact.pk,
            response=new.response,
            version=new.instrument_version,
            seconds=spent,
            at=now,
        )
    GoldCorrection.objects.create(  # the first answer to a gold item counts
        answer=found.fact,
        number=found.answers,
        instrument_version=new.instrument_version,
        response=new.response,
        submitted_at=timezone.now(),
        active_seconds=None if new.active_seconds is None else spent,
    )
    subject = f"gold_answer:{found.fact.pk}"
    audit.record("correct_gold", campaign_id=campaign.pk, subject=subject)
    return None


def _add_signals(task: Assignment, given: PageResponse, campaign: Campaign) -> None:
    """Add what the page counted to what it counted before: the last text came about in both."""
    more = counted(work_task.signal_keys_of(campaign), given)
    if more is None:
        return
    mine = Assignment.objects.filter(pk=task.pk)
    before = mine.values_list("signals", flat=True).get()
    both = PageCounts.stored(before or {}).plus(PageCounts.stored(more))
    mine.update(signals=both.as_data())


def _stop_clock(corrected: Assignment, spent: float) -> None:
    """Take the time of the correction from that of the task that waited meanwhile."""
    waiting = Assignment.objects.filter(
        participation=corrected.participation_id, status=Assignment.Status.LEASED
    )
    task = work_task.with_begin(waiting).order_by("leased_at", "pk").first()
    if task is None:
        return
    began = work_task.begin_of(task) + timedelta(seconds=spent)
    waiting.filter(pk=task.pk).update(started_at=min(began, timezone.now()))


def _id(fact: Fact) -> int | None:
    """Return the judgment's id. People are not told which of their tasks were gold items."""
    return fact.pk if isinstance(fact, Judgment) else None
