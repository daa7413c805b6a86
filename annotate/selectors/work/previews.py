"""Previews of instruments and tutorials for researchers, without a campaign or an annotator."""

from decimal import Decimal

from annotate.instruments.base import Instrument
from annotate.instruments.tutorials.content import Question, Tutorial
from annotate.models import Campaign
from annotate.selectors.work.task_page import Study
from annotate.selectors.work.tutorial_runs import Status

NOTHING = Decimal("0.00")


def study(instrument: Instrument, *, language: str) -> Study:
    """Return what stands in for a campaign around an instrument's example."""
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


def status(tutorial: Tutorial, question: Question) -> Status:
    """Return where somebody would stand who comes to this question."""
    before = tutorial.questions[: tutorial.place_of(question.key)]
    return Status(tutorial, frozenset(one.key for one in before), is_passed=False, bonus=NOTHING)
