"""The only writer of tutorial runs: begun, answered, graded here, and passed once.

Each function is one transaction. A run reserves its bonus in the budget for a while. After a longer
break, `begin` checks the budget again, so that an annotator who may answer is also promised the
bonus.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.crowds.tariffs import ZERO
from annotate.errors import Conflict, Invalid, NotFound
from annotate.instruments.base import InvalidResponse
from annotate.instruments.tutorials import grading
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.grading import Grade
from annotate.instruments.tutorials.questions import Question
from annotate.models import Campaign, Participation, TutorialAnswer, TutorialRun
from annotate.selectors.studies import tutorial_contents
from annotate.selectors.work import admission, tutorial_runs
from annotate.services import audit, change_marks, locks
from annotate.services.pay import promises


@dataclass(frozen=True)
class Graded:
    """The result of an answer; `promised` is set if the answer passed the whole tutorial."""

    grade: Grade
    passed: bool
    promised: Decimal = ZERO


@dataclass(frozen=True)
class _Given:
    question: Question
    response: dict[str, Any]
    active_seconds: float | None


def begin(participation_id: int) -> TutorialRun:
    """Return the annotator's run of the campaign's tutorial, with its bonus reserved; created once.

    Raises `Conflict` where no task could follow, or the budget does not cover the bonus and one
    task. A new version is passed at once if every question of it was answered before.
    """
    with transaction.atomic():
        who = Participation.objects.get(pk=participation_id)
        campaign = locks.campaign(who.campaign_id)
        tutorial = _of(campaign)
        run = tutorial_runs.run_of(who.annotator_id, tutorial)
        if run is not None and (run.passed_at or tutorial_runs.is_reserved(run, who.pk)):
            return run
        refusal = admission.gate(campaign, who)
        if refusal is not None and refusal.reason != "tutorial":
            raise Conflict(refusal.message, code=refusal.reason)
        run = _reserve(who, tutorial, campaign)
        _pass_if_done(run, tutorial, campaign)
    run.refresh_from_db()
    return run


def answer(
    participation_id: int,
    *,
    version: str,
    key: str,
    raw: Mapping[str, Any],
    active_seconds: float | None = None,
) -> Graded:
    """Grade and store one answer. The last right answer passes the tutorial and promises its bonus.

    Safe to repeat. Raises `Conflict` for another version (`stale_version`) and for a question out
    of order (`out_of_order`), `NotFound` for an unknown question, and `Invalid` for a response that
    cannot be graded.
    """
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    tutorial = _of(who.campaign)
    if version != tutorial.version:
        raise Conflict(
            _("This tutorial has changed meanwhile. Reload the page to go on."),
            code="stale_version",
        )
    given = _read(tutorial, key, raw, active_seconds)
    found = tutorial_runs.run_of(who.annotator_id, tutorial)
    if found is None or not (found.passed_at or tutorial_runs.is_reserved(found, who.pk)):
        found = begin(participation_id)
    with transaction.atomic():
        run = TutorialRun.objects.select_for_update().get(pk=found.pk)
        return _answer(run, tutorial, who.campaign, given)


def _of(campaign: Campaign) -> Tutorial:
    tutorial = tutorial_contents.of_campaign(campaign)
    if tutorial is None:
        raise NotFound(_("This study has no tutorial. Reload the page to begin with the work."))
    return tutorial


def _read(
    tutorial: Tutorial, key: str, raw: Mapping[str, Any], active_seconds: float | None
) -> _Given:
    place = tutorial.place_of(key)
    if place is None:
        raise NotFound(_("This tutorial has no such question. Reload the page to go on."))
    question = tutorial.questions[place]
    return _Given(question, dict(raw), active_seconds)


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


def _answer(run: TutorialRun, tutorial: Tutorial, campaign: Campaign, given: _Given) -> Graded:
    """Grade and store it, in the caller's transaction and under the run's lock."""
    done = tutorial_runs.passed_digests(run.annotator_id, tutorial)
    turn = next((one.key for one in tutorial.questions if one.digest not in done), None)
    if given.question.digest in done:
        return Graded(_graded(given), run.passed_at is not None, run.promised)
    if given.question.key != turn:
        raise Conflict(
            _("Another question of the tutorial comes first. Reload the page to go on."),
            code="out_of_order",
        )
    grade = _graded(given)
    _store(run, given, grade)
    promised = _pass_if_done(run, tutorial, campaign) if grade.correct else None
    return Graded(grade, passed=promised is not None, promised=promised or ZERO)


def _graded(given: _Given) -> Grade:
    try:
        return grading.grade(given.question, given.response)
    except InvalidResponse as error:
        raise Invalid(error.errors) from None


def _store(run: TutorialRun, given: _Given, grade: Grade) -> None:
    """Store the answer; a repeat of the last answer to this question is the same answer."""
    same = TutorialAnswer.objects.filter(run=run, digest=given.question.digest).order_by("-pk")
    last = same.first()
    if last is not None and last.response == given.response:
        return
    TutorialAnswer.objects.create(
        run=run,
        annotator_id=run.annotator_id,
        question=given.question.key,
        digest=given.question.digest,
        response=given.response,
        correct=grade.correct,
        active_seconds=given.active_seconds,
        at=timezone.now(),
    )


def _pass_if_done(run: TutorialRun, tutorial: Tutorial, campaign: Campaign) -> Decimal | None:
    """Pass the run once all answers are right; return the promised bonus, or None."""
    done = tutorial_runs.passed_digests(run.annotator_id, tutorial)
    if any(question.digest not in done for question in tutorial.questions):
        return None
    passed = TutorialRun.objects.filter(pk=run.pk, passed_at=None).update(passed_at=timezone.now())
    if not passed:
        return None
    promised = promises.make(run, campaign=campaign)
    change_marks.mark(campaign.pk, "tutorial")  # money is promised, so a limit may be reached
    audit.record(
        "tutorial_passed",
        campaign_id=campaign.pk,
        subject=f"tutorial_run:{run.pk}",
        promised=str(promised),
    )
    promises.look(campaign, run.annotator_id)
    return promised
