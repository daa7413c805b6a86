"""The state of an annotator in the tutorial of a campaign, or of a preview."""

from collections.abc import Set
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from django.utils import timezone

from annotate.instruments.base import Instrument
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.questions import Question
from annotate.models import Campaign, Participation, TutorialAnswer, TutorialRun
from annotate.selectors.pay import promises
from annotate.selectors.pay.promises import RESERVED
from annotate.selectors.studies import tutorial_contents
from annotate.selectors.work.task_page import Study


class TutorialStep(Enum):
    """How far a person is: may start it, is in it with the bonus reserved, or has passed it."""

    BEFORE = "before"
    UNDER_WAY = "under way"
    PASSED = "passed"


@dataclass(frozen=True)
class Status:
    """The tutorial, the passed questions, and what passing it promises (0 if promised before)."""

    tutorial: Tutorial
    passed: frozenset[str]  # keys of questions
    is_passed: bool
    bonus: Decimal

    @property
    def total(self) -> int:
        return len(self.tutorial.questions)

    @property
    def done(self) -> int:
        return len(self.passed)

    @property
    def current(self) -> Question | None:
        """Return the first question that is not passed yet."""
        open_ = (one for one in self.tutorial.questions if one.key not in self.passed)
        return next(open_, None)


def required(campaign_id: int) -> Tutorial | None:
    """Return the tutorial that annotators of this campaign take first; None without one."""
    return tutorial_contents.of_campaign(Campaign.objects.get(pk=campaign_id))


def step(campaign: Campaign, who: Participation) -> TutorialStep:
    """Return how far this person is. A campaign without a tutorial needs no query."""
    tutorial = tutorial_contents.of_campaign(campaign)
    if tutorial is None:
        return TutorialStep.PASSED
    run = run_of(who.annotator_id, tutorial)
    if run is None:
        return TutorialStep.BEFORE
    if run.passed_at is not None:
        return TutorialStep.PASSED
    return TutorialStep.UNDER_WAY if is_reserved(run, who.pk) else TutorialStep.BEFORE


def status(participation_id: int) -> Status | None:
    """Return this person's state; None where the campaign requires no tutorial."""
    who = Participation.objects.select_related("campaign", "annotator").get(pk=participation_id)
    tutorial = tutorial_contents.of_campaign(who.campaign)
    if tutorial is None:
        return None
    digests = passed_digests(who.annotator_id, tutorial)
    run = run_of(who.annotator_id, tutorial)
    return Status(
        tutorial=tutorial,
        passed=frozenset(one.key for one in tutorial.questions if one.digest in digests),
        is_passed=run is not None and run.passed_at is not None,
        bonus=promises.to_earn(who.campaign, who.annotator),
    )


def run_of(annotator_id: int, tutorial: Tutorial) -> TutorialRun | None:
    return TutorialRun.objects.filter(
        annotator=annotator_id, instrument=tutorial.instrument, version=tutorial.version
    ).first()


def passed_digests(annotator_id: int, tutorial: Tutorial) -> Set[str]:
    """Return the questions that this person has answered right, in this or an earlier version."""
    return set(
        TutorialAnswer.objects.filter(
            annotator=annotator_id,
            correct=True,
            digest__in=[question.digest for question in tutorial.questions],
        ).values_list("digest", flat=True)
    )


def is_reserved(run: TutorialRun, participation_id: int) -> bool:
    """Return whether the budget of this participation's campaign reserves this run's bonus."""
    return run.participation_id == participation_id and run.started_at > timezone.now() - RESERVED


NOTHING = Decimal("0.00")


def preview_study(instrument: Instrument, *, language: str) -> Study:
    """Return the substitute for a campaign on the page of an instrument's example."""
    return Study(
        id=0,
        title=instrument.label,
        instrument=instrument,
        language=language,
        contact="",
        reward=NOTHING,
        lease_minutes=Campaign().lease_minutes,
        annotator_cap=None,
        over=False,
        tutorial_bonus=NOTHING,
    )


def preview_status(tutorial: Tutorial, question: Question) -> Status:
    """Return the state of a person who reaches this question."""
    before = tutorial.questions[: tutorial.place_of(question.key)]
    return Status(tutorial, frozenset(one.key for one in before), is_passed=False, bonus=NOTHING)
