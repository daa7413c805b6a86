"""The only writer of tutorial runs: begun, answered, graded here, and passed once.

Each function is one transaction. A run reserves its bonus in the budget for a while. After a longer
break, `begin` checks the budget again, so that an annotator who may answer is also promised the
bonus. First answers count: a run is passed in one of two rounds.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.common import audit, locks
from annotate.common import marks as common_marks
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.crowds.prices import ZERO
from annotate.instruments import grading, tutorials
from annotate.instruments.base import InvalidResponse
from annotate.instruments.grading import Grade
from annotate.instruments.tutorials import Question, Tutorial
from annotate.models import Campaign, Participation, TutorialAnswer, TutorialRound, TutorialRun
from annotate.pay import promises
from annotate.pay.promise_queries import ROUNDS, paid_for_trying
from annotate.studies import queries as studies_queries
from annotate.work import admission, tutorial_queries


@dataclass(frozen=True)
class Graded:
    """The result of an answer; `promised` is set if the answer passed the whole tutorial.

    failed: the round that this answer ended, if it was not passed. tried: what the last one pays.
    """

    grade: Grade
    passed: bool
    promised: Decimal = ZERO
    failed: TutorialRound | None = None
    tried: Decimal = ZERO


def begin(participation_id: int) -> TutorialRun:
    """Return the annotator's run of the campaign's tutorial with an open round, its bonus reserved.

    Raises `Conflict` where no task could follow, both rounds were failed, or the budget does not
    cover the bonus and one task. A version with nothing new for this person is passed at once.
    """
    with transaction.atomic():
        who = Participation.objects.get(pk=participation_id)
        campaign = locks.campaign(who.campaign_id)
        tutorial = _of(campaign)
        run = tutorial_queries.run_of(who.annotator_id, tutorial)
        if run is not None and run.passed_at:
            return run
        refusal = admission.gate(campaign, who)
        if refusal is not None and refusal.reason != "tutorial":
            raise Conflict(refusal.message, code=refusal.reason)
        if run is None or not tutorial_queries.is_reserved(run, who.pk):
            run = _reserve(who, tutorial, campaign)
        known = tutorial_queries.covered(who.annotator_id, tutorial)
        if all(one.digest in known for one in tutorial.graded):
            _pass(run, tutorial, campaign)
        else:
            _open_round(run, tutorial, campaign, known)
    run.refresh_from_db()
    return run


def answer(
    participation_id: int,
    *,
    version: str,
    key: str,
    raw: Mapping[str, Any],
    round_number: int | None = None,
    active_seconds: float | None = None,
) -> Graded:
    """Grade and store one answer; the first one counts. The last one ends the round.

    Safe to repeat: a later answer to the same question is told what the first one was. Raises
    `Conflict` for another version or round (`stale_version`) and for a question out of order
    (`out_of_order`), `NotFound` for an unknown question, and `Invalid` for a response that cannot
    be graded.
    """
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    tutorial = _of(who.campaign)
    if version != tutorial.version:
        raise _stale()
    if tutorial.family(key) is None:
        raise NotFound(_("This tutorial has no such question. Reload the page to go on."))
    found = tutorial_queries.run_of(who.annotator_id, tutorial)
    if found is None or not (found.passed_at or tutorial_queries.is_reserved(found, who.pk)):
        found = begin(participation_id)
    with transaction.atomic():
        locks.shared(who.campaign_id)
        run = TutorialRun.objects.select_for_update().get(pk=found.pk)
        round_ = tutorial_queries.last_round(run)
        if round_ is None or (round_number is not None and round_number != round_.number):
            raise _stale()
        round_.run = run
        mine = [one for one in round_.drawn if one[0] == key]
        asked = tutorials.questions(tutorial, mine)
        if not asked:
            raise _out_of_order()
        return _answer(round_, who.campaign, tutorial, asked[0], dict(raw), active_seconds)


def _stale() -> Conflict:
    message = _("This tutorial has changed meanwhile. Reload the page to go on.")
    return Conflict(message, code="stale_version")


def _of(campaign: Campaign) -> Tutorial:
    tutorial = studies_queries.of_campaign(campaign)
    if tutorial is None:
        raise NotFound(_("This study has no tutorial. Reload the page to begin with the work."))
    return tutorial


def _out_of_order() -> Conflict:
    message = _("Another question of the tutorial comes first. Reload the page to go on.")
    return Conflict(message, code="out_of_order")


def _reserve(who: Participation, tutorial: Tutorial, campaign: Campaign) -> TutorialRun:
    """Start or continue the run under this participation, which receives its bonus."""
    now = timezone.now()
    run, begun = TutorialRun.objects.get_or_create(
        annotator_id=who.annotator_id,
        instrument=tutorial.instrument,
        version=tutorial.version,
        defaults={"participation": who, "started_at": now},
    )
    if not begun:
        TutorialRun.objects.filter(pk=run.pk, passed_at=None).update(
            participation=who, started_at=now
        )
        run.refresh_from_db()
    verb = "tutorial_begun" if begun else "tutorial_resumed"
    audit.record(verb, campaign_id=campaign.pk, subject=f"tutorial_run:{run.pk}")
    return run


def _open_round(
    run: TutorialRun, tutorial: Tutorial, campaign: Campaign, known: frozenset[str]
) -> None:
    """Begin the next round, or go on with the open one, which then counts in this campaign."""
    locked = TutorialRun.objects.select_for_update().get(pk=run.pk)
    number = 1 + tutorial_queries.failed_rounds(campaign.pk, run.annotator_id)
    last = tutorial_queries.last_round(locked)
    if last is not None and last.ended_at is None:
        if last.campaign_id != campaign.pk:
            mine = TutorialRound.objects.filter(pk=last.pk)
            mine.update(campaign=campaign, number=number)
        return
    drawn = tutorials.draw(tutorial, secrets.token_hex(16), seen=_seen(locked), known=known)
    asked = sum(tutorial.is_graded(str(key)) for key, _number in drawn)
    TutorialRound.objects.create(
        run=locked,
        annotator_id=run.annotator_id,
        campaign=campaign,
        number=number,
        drawn=drawn,
        asked=asked,
        mark=tutorials.mark(asked),
        begun_at=timezone.now(),
    )


def _seen(run: TutorialRun) -> frozenset[str]:
    """Return the keys of the questions that this person was asked in earlier rounds."""
    rounds = TutorialRound.objects.filter(run=run).values_list("drawn", flat=True)
    return frozenset(str(key) for drawn in rounds for key, _number in drawn)


def _answer(
    round_: TutorialRound,
    campaign: Campaign,
    tutorial: Tutorial,
    question: Question,
    response: dict[str, Any],
    active_seconds: float | None,
) -> Graded:
    """Grade and store it, in the caller's transaction and under the run's lock."""
    run = round_.run
    done = {one.question: one for one in TutorialAnswer.objects.filter(round=round_)}
    if first := done.get(question.key):
        return Graded(
            _graded(question, first.response),
            passed=run.passed_at is not None,
            promised=run.promised,
            failed=round_ if round_.passed is False else None,
            tried=paid_for_trying(round_.campaign_id, run.annotator_id),
        )
    turn = next((key for key, _number in round_.drawn if key not in done), None)
    if round_.ended_at is not None or question.key != turn:
        raise _out_of_order()
    grade = _graded(question, response)
    TutorialAnswer.objects.create(
        run=run,
        round=round_,
        annotator_id=round_.annotator_id,
        question=question.key,
        digest=question.digest,
        response=response,
        correct=grade.correct,
        active_seconds=active_seconds,
        at=timezone.now(),
    )
    marked = {key: one.correct for key, one in done.items()} | {turn: grade.correct}
    right, wrong = _counted(marked, tutorial)
    is_lost = round_.number > 1 and wrong > round_.asked - round_.mark
    if len(marked) < len(round_.drawn) and not is_lost:
        return Graded(grade, passed=False)
    if not _end(round_, campaign, right=right):
        is_last = round_.number >= ROUNDS
        tried = promises.pay_failing(round_, campaign) if is_last else ZERO
        return Graded(grade, passed=False, failed=round_, tried=tried)
    return Graded(grade, passed=True, promised=_pass(run, tutorial, campaign) or ZERO)


def _graded(question: Question, response: Mapping[str, Any]) -> Grade:
    try:
        return grading.grade(question, response)
    except InvalidResponse as error:
        raise Invalid(error.errors) from None


def _counted(marked: Mapping[str, bool], tutorial: Tutorial) -> tuple[int, int]:
    """Return how many graded questions were answered right, and how many wrong."""
    marks = [correct for key, correct in marked.items() if tutorial.is_graded(key)]
    return sum(marks), len(marks) - sum(marks)


def _end(round_: TutorialRound, campaign: Campaign, *, right: int) -> bool:
    """End a round; return whether it is passed."""
    round_.right, round_.passed = right, right >= round_.mark
    round_.ended_at = timezone.now()
    TutorialRound.objects.filter(pk=round_.pk, ended_at=None).update(
        right=round_.right, passed=round_.passed, ended_at=round_.ended_at
    )
    if not round_.passed:
        audit.record(
            "tutorial_round_failed",
            campaign_id=campaign.pk,
            subject=f"tutorial_run:{round_.run_id}",
            round=round_.number,
            right=right,
            asked=round_.asked,
        )
        common_marks.mark(campaign.pk, "tutorial")  # the budget reserves less
    return bool(round_.passed)


def _pass(run: TutorialRun, tutorial: Tutorial, campaign: Campaign) -> Decimal | None:
    """Pass the run; return the promised bonus, or None if it was passed before."""
    passed = TutorialRun.objects.filter(pk=run.pk, passed_at=None).update(
        passed_at=timezone.now(), covers=[one.digest for one in tutorial.questions]
    )
    if not passed:
        return None
    promised = promises.make(run, campaign=campaign)
    common_marks.mark(campaign.pk, "tutorial")  # money is promised, so a limit may be reached
    audit.record(
        "tutorial_passed",
        campaign_id=campaign.pk,
        subject=f"tutorial_run:{run.pk}",
        promised=str(promised),
    )
    promises.look(campaign, run.annotator_id)
    return promised
