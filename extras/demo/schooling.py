"""Simulated annotators' answers to a tutorial: they read a question, and are sometimes wrong."""

import re
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from annotate.instruments import registry
from annotate.instruments.grading import expected_spans
from annotate.instruments.tutorials import (
    KINDS,
    SLOT,
    Choice,
    Edit,
    Evidence,
    Family,
    Paragraph,
    Question,
    Version,
)

MISTAKES = 0.05  # how often a person chooses a wrong level


def answer(key: str, text: str, rng: Random) -> dict[str, Any]:
    """Return a person's answer to the question that shows this text."""
    tutorial = registry.get("language_quality").tutorial("en")
    assert tutorial is not None
    family = tutorial.family(key)
    assert family is not None, f"the page asks {key!r}, which the tutorial does not have"
    if not family.is_graded:
        return {}
    question = shown(family, text)
    hasty = isinstance(question, Choice | Edit) and rng.random() < MISTAKES
    return wrong(question) if hasty else right(question)


def shown(family: Family, text: str) -> Question:
    """Return the drawing of a family that shows this text."""
    for version in family.versions:
        values = _values(version, text)
        if values is not None:
            raw = version.filled(partial(_value, values))
            return KINDS[family.kind].model_validate(raw, context=family.studied)
    raise AssertionError(f"{family.key!r} has no such text: {text!r}")


def _value(values: Mapping[str, int], slot: str, _n: int) -> int:
    return values.get(slot, 0)


def _values(version: Version, text: str) -> dict[str, int] | None:
    """Return the numbers of the values of the slots with which a version shows this text."""
    names: list[tuple[str, int]] = []

    def group(found: re.Match[str]) -> str:
        names.append((found[1], int(found[3] or 1) - 1))
        return "(.+)"

    pattern = "".join(
        SLOT.sub(group, part) if part.startswith("{") else re.escape(part)
        for part in re.split(r"(\{[^}]*\})", version.raw["text"])
    )
    found = re.fullmatch(pattern, text)
    if found is None:
        return None
    return {
        name: next(n for n, value in enumerate(version.slots[name]) if value[part] == said)
        for (name, part), said in zip(names, found.groups(), strict=True)
        if part == 0
    }


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
