"""Simulated annotators' answers to a tutorial, from its content, sometimes wrong at first."""

from random import Random
from typing import Any

from annotate.instruments import registry
from annotate.instruments.tutorials.grading import expected_spans
from annotate.instruments.tutorials.questions import Choice, Edit, Evidence, Paragraph, Question

MISTAKES = 0.2  # how often a person first chooses a wrong level


def answers(key: str, rng: Random) -> list[dict[str, Any]]:
    """Return a person's answers to a question, in order; the last one is right."""
    tutorial = registry.get("language_quality").tutorial("en")
    assert tutorial is not None
    place = tutorial.place_of(key)
    assert place is not None, f"the page asks {key!r}, which the tutorial does not have"
    question = tutorial.questions[place]
    hasty = isinstance(question, Choice | Edit) and rng.random() < MISTAKES
    return [wrong(question), right(question)] if hasty else [right(question)]


def right(question: Question) -> dict[str, Any]:
    if isinstance(question, Choice):
        return {"value": question.accepted[0]}
    if isinstance(question, Edit):
        return {"edit": question.alternatives[0]}
    if isinstance(question, Evidence):
        return {"paragraphs": [_marked(paragraph) for paragraph in question.paragraphs]}
    return {}


def wrong(question: Question) -> dict[str, Any]:
    """Return a wrong answer to a question with a choice or an edit."""
    if isinstance(question, Choice):
        values = [option.value for option in question.options]
        return {"value": next(value for value in values if value not in question.accepted)}
    assert isinstance(question, Edit), question.kind
    return {"edit": question.text}


def _marked(paragraph: Paragraph) -> dict[str, Any]:
    quoted = [
        {"start": start, "end": end, "text": paragraph.text[start:end]}
        for start, end in expected_spans(paragraph)
    ]
    return {"verdict": paragraph.verdict, "spans": quoted}
