"""Grades an answer to a tutorial's question, with the reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments import spans
from annotate.instruments.base import InvalidResponse
from annotate.instruments.tutorials import edits
from annotate.instruments.tutorials.questions import (
    Choice,
    Edit,
    Evidence,
    Example,
    Overlap,
    Paragraph,
    Question,
)
from annotate.instruments.tutorials.sentences import shown
from annotate.instruments.tutorials.words import same_words
from estimation.metrics import levenshtein

LONGEST_EDIT = 10_000


@dataclass(frozen=True)
class Grade:
    """Whether an answer is right, and the feedback; `detail` is for each paragraph."""

    correct: bool
    feedback: tuple[str, ...]
    detail: Mapping[str, Any] = field(default_factory=dict)


def grade(question: Question, response: Mapping[str, Any]) -> Grade:
    """Grade a response, or raise `InvalidResponse` with what is missing from it."""
    if isinstance(question, Choice):
        return _choice(question, response)
    if isinstance(question, Edit):
        return _edit(question, response)
    if isinstance(question, Evidence):
        return _evidence(question, response)
    assert isinstance(question, Example)
    return Grade(True, ())


def _choice(question: Choice, response: Mapping[str, Any]) -> Grade:
    value = response.get("value")
    if type(value) is not int or str(value) not in question.feedback:
        raise InvalidResponse({"value": _("Please choose one of the answers.")})
    return Grade(value in question.accepted, (question.feedback[str(value)],))


def _edit(question: Edit, response: Mapping[str, Any]) -> Grade:
    edit = response.get("edit")
    if not isinstance(edit, str) or not edit.strip():
        raise InvalidResponse({"edit": _("Please type your improved text.")})
    if len(edit) > LONGEST_EDIT:
        raise InvalidResponse({"edit": _("This edit is far longer than the text it improves.")})
    distance = levenshtein(question.text, edit)
    listed = any(same_words(edit, one) for one in question.alternatives)
    faults = [] if listed else edits.faults(question, edit)
    told = (*faults, *_model(question)) if faults else (question.feedback,)
    return Grade(not faults, told, {"distance": distance})


def _model(question: Edit) -> Iterator[str]:
    """Yield the first good improvement, for people whose own one is not accepted."""
    for one in question.alternatives[:1]:
        yield _("For example: “%(text)s”") % {"text": one}


def _evidence(question: Evidence, response: Mapping[str, Any]) -> Grade:
    given = response.get("paragraphs")
    if not isinstance(given, list) or len(given) != len(question.paragraphs):
        raise InvalidResponse({"paragraphs": _("Every paragraph needs a verdict.")})
    graded = [
        _paragraph(number, paragraph, one)
        for number, (paragraph, one) in enumerate(zip(question.paragraphs, given, strict=True))
    ]
    feedback = tuple(line for one in graded for line in one.feedback)
    correct = all(one.correct for one in graded)
    detail = {
        "paragraphs": [
            {"correct": one.correct, "feedback": list(one.feedback), **one.detail} for one in graded
        ]
    }
    return Grade(correct, feedback, detail)


def _paragraph(number: int, paragraph: Paragraph, given: Any) -> Grade:
    verdict = given.get("verdict") if isinstance(given, dict) else None
    if type(verdict) is not int or str(verdict) not in paragraph.feedback:
        raise InvalidResponse({f"paragraphs[{number}]": _("This paragraph needs a verdict.")})
    marked = _spans(number, paragraph, given.get("spans") if verdict else [])
    why = paragraph.feedback[str(verdict)]
    if verdict != paragraph.verdict or paragraph.highlight is None:
        return Grade(verdict == paragraph.verdict, (why,))
    overlap = shown(paragraph.text, expected_spans(paragraph), marked)
    return Grade(
        overlap == "good", (why, _said(paragraph.highlight, overlap)), {"overlap": overlap}
    )


def _said(highlight: Overlap, overlap: str) -> str:
    return {"none": highlight.none, "poor": highlight.poor, "good": highlight.good}[overlap]


def _spans(number: int, paragraph: Paragraph, given: Any) -> list[spans.Span]:
    try:
        return spans.read(given, paragraph.text)
    except spans.InvalidSpans as error:
        raise InvalidResponse({f"paragraphs[{number}]": str(error)}) from None


def expected_spans(paragraph: Paragraph) -> list[tuple[int, int]]:
    """Return where the quoted evidence is in the text."""
    starts = [(paragraph.text.index(quote), len(quote)) for quote in paragraph.evidence]
    return [(start, start + length) for start, length in starts]
