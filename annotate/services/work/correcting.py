"""An annotator corrects the text submitted last: a second fact, which supersedes the first.

One transaction, which locks the campaign and the person: of acts that end the time
for corrections (a text submitted later, a unit handed in, a ruling, the end of the campaign) and
of two corrections at once, each sees what the one before has done.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Conflict, Gone
from annotate.models import Assignment, Campaign, GoldAnswer, GoldCorrection, Judgment
from annotate.screening.signals import PageCounts
from annotate.selectors.studies import instruments
from annotate.selectors.work import corrections, in_hand, signal_keys
from annotate.selectors.work.corrections import Answered
from annotate.services import audit, locks
from annotate.services.work import leasing, page_signals, superseding
from annotate.services.work.judgments import HandedIn, checked
from annotate.services.work.submissions import CheckedResponse


@dataclass(frozen=True)
class Corrected:
    """The result of a correction. judgment_id: the one that counts; None for a gold item."""

    judgment_id: int | None
    already: bool = False


def correct(assignment_id: int, *, participation_id: int, given: HandedIn, after: int) -> Corrected:
    """Store a response in place of the last one to this task, once.

    after: how many answers to it the page knew; a repeated request is answered as the first one
    was. Raises `Invalid` with what is missing, `Conflict` where another tab has corrected it or the
    instrument has another version, `Gone` where it may not be corrected any more, and `NotFound`
    for another person's task.
    """
    task = leasing.own(assignment_id, participation_id=participation_id)
    work = checked(in_hand.of(task), instruments.of(task.campaign), given)
    with transaction.atomic():
        campaign = locks.campaign_shared(task.campaign_id)
        who = locks.person(participation_id)
        found = corrections.answered(assignment_id)
        if found.answers == after + 1 and found.response == work.response:
            return Corrected(_id(found), already=True)
        last = corrections.last(participation_id)
        if last is not None and last.pk != assignment_id:
            raise Gone(
                _("You have submitted another text since, so this one stays as it is."),
                code="not_correctable",
            )
        now = timezone.now()
        why = corrections.refusal(campaign, who, last, now=now) or corrections.too_many(found)
        if why is not None:
            raise Gone(why.message, code=why.reason)
        if found.answers != after:
            raise Conflict(
                _("This text was corrected in another tab. Go back, and open it again."),
                code="corrected",
            )
        return _store(work, campaign, found)


def _store(work: CheckedResponse, campaign: Campaign, found: Answered) -> Corrected:
    now = timezone.now()
    spent = min(work.active_seconds or 0.0, max(0.0, (now - found.at).total_seconds()))
    _add_signals(work, campaign)
    _stop_clock(work.assignment, spent)
    if isinstance(found.fact, Judgment):
        later = superseding.supersede(
            found.fact.pk,
            response=work.response,
            version=work.instrument.version,
            seconds=spent,
            at=now,
        )
        return Corrected(later)
    _keep(work, found.fact, number=found.answers, spent=spent)
    return Corrected(None)


def _keep(work: CheckedResponse, answer: GoldAnswer, *, number: int, spent: float) -> None:
    """Keep a correction of a gold item, whose first answer counts."""
    GoldCorrection.objects.create(
        answer=answer,
        number=number,
        instrument_version=work.instrument.version,
        response=work.response,
        submitted_at=timezone.now(),
        active_seconds=None if work.active_seconds is None else spent,
    )
    audit.record("correct_gold", campaign_id=answer.campaign_id, subject=f"gold_answer:{answer.pk}")


def _add_signals(work: CheckedResponse, campaign: Campaign) -> None:
    """Add what the page counted to what it counted before: the last text came about in both."""
    more = page_signals.counted(signal_keys.of(campaign), work.page)
    if more is None:
        return
    mine = Assignment.objects.filter(pk=work.assignment.pk)
    before = mine.values_list("signals", flat=True).get()
    both = PageCounts.stored(before or {}).plus(PageCounts.stored(more))
    mine.update(signals=both.as_data())


def _stop_clock(corrected: Assignment, spent: float) -> None:
    """Take the time of the correction from that of the task that waited meanwhile."""
    waiting = Assignment.objects.filter(
        participation=corrected.participation_id, status=Assignment.Status.LEASED
    )
    task = in_hand.with_begin(waiting).order_by("leased_at", "pk").first()
    if task is None:
        return
    began = in_hand.begin_of(task) + timedelta(seconds=spent)
    waiting.filter(pk=task.pk).update(started_at=min(began, timezone.now()))


def _id(found: Answered) -> int | None:
    return found.fact.pk if isinstance(found.fact, Judgment) else None
