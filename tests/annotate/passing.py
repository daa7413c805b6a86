"""Right and wrong answers to tutorials, for tests that take them."""

from typing import Any

from annotate.instruments.tutorials.content import Choice, Edit, Evidence, Question, Tutorial
from annotate.instruments.tutorials.grading import expected_spans
from annotate.models import Participation
from annotate.selectors import tutorials as selectors
from annotate.services import tutorials


def right(question: Question) -> dict[str, Any]:
    if isinstance(question, Choice):
        return {"value": question.accepted[0]}
    if isinstance(question, Edit):
        return {"edit": question.alternatives[0]}
    if isinstance(question, Evidence):
        return {"paragraphs": [_marked(paragraph) for paragraph in question.paragraphs]}
    return {}


def _marked(paragraph: Any) -> dict[str, Any]:
    quoted = [
        {"start": start, "end": end, "text": paragraph.text[start:end]}
        for start, end in expected_spans(paragraph)
    ]
    return {"verdict": paragraph.verdict, "spans": quoted}


def wrong(question: Question) -> dict[str, Any]:
    if isinstance(question, Choice):
        values = [option.value for option in question.options]
        return {"value": next(value for value in values if value not in question.accepted)}
    assert isinstance(question, Edit)
    return {"edit": question.text}


def tutorial_of(who: Participation) -> Tutorial:
    status = selectors.status(who.pk)
    assert status is not None
    return status.tutorial


def pass_tutorial(who: Participation, *, but: int = 0) -> tutorials.Graded | None:
    """Answer everything right, but for the last `but` questions; return the last result."""
    tutorial = tutorial_of(who)
    tutorials.begin(who.pk)
    graded = None
    status = selectors.status(who.pk)
    assert status is not None
    for question in tutorial.questions[status.done : len(tutorial.questions) - but]:
        graded = tutorials.answer(
            who.pk, version=tutorial.version, key=question.key, raw=right(question)
        )
    return graded
