"""Hostile answers to questions of every kind: each is refused in words, or stored as an answer."""

from collections.abc import Callable
from typing import Any

import pytest

from annotate.instruments import grading
from annotate.instruments.base import InvalidResponse, Material, with_others
from annotate.instruments.rating.instrument import Rating, read_definition
from annotate.instruments.tutorials import read_tutorial
from tests.annotate.own import every_kind
from tests.annotate.practice import CHOICES, ERRORS, PLACES, SLIDER, tutorial
from tests.annotate.ranked_texts.studies import ranking
from tests.hostile.values import SCALARS, TEXTS

TEXT = "The mill opens at nine. It are near the river."
RIGHT: dict[str, Any] = {
    "errors": [],
    "helpful": 1,
    "why": "So.",
    "flaws": [],
    "quality": 50,
    "remark": "",
}
INSIDE = [{"start": 0, "end": 3, "text": "The", "category": "grammar", "severity": "minor"}]
VALUES = {**SCALARS, **TEXTS}


def kinds() -> tuple[Rating, Material]:
    return Rating(read_definition(every_kind())), Material(TEXT)


def ranks() -> tuple[Rating, Material]:
    texts = with_others(Material("A."), ["B.", "C."], ranks=True)
    return Rating(read_definition(ranking())), texts


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_no_answer_breaks_a_question(value: Any) -> None:
    asked, material = kinds()
    tried = [RIGHT | {name: given} for name in RIGHT for given in (value, [value], {"a": value})]
    tried += [RIGHT | {"errors": [INSIDE[0] | {name: value}]} for name in INSIDE[0]]
    for raw in tried:
        taken(asked, material, raw)
    asked, material = ranks()
    for given in (value, [value], [value] * 3, [1, 2, value], {"0": value}):
        taken(asked, material, {"rank": given})


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_no_answer_breaks_a_tutorial(value: Any) -> None:
    for asked, questions in ((kinds()[0], (SLIDER, CHOICES, ERRORS)), (ranks()[0], (PLACES,))):
        raw = tutorial(*questions, instrument=asked.key)
        read = read_tutorial(raw, instrument=asked.key, criteria=asked.criteria, asked=asked.asked)
        for question in read.samples:
            for given in (value, [value], [value] * 3, {"a": value}):
                graded = unless_refused(grading.grade, question, {"answer": given})
                assert graded is None or not graded.correct


def taken(asked: Rating, material: Material, raw: dict[str, Any]) -> None:
    """Assert that an answer is refused with a sentence, or stored and scored."""
    stored = unless_refused(asked.check, raw, material=material)
    if stored is not None:
        scores = asked.scores(stored, material=material)
        assert all(isinstance(one, float) for one in scores.values())
        assert asked.recalled(stored)


def unless_refused(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return the result; None where it is refused, which says why at each place."""
    told: dict[str, str] = {"": "?"}
    try:
        return call(*given, **named)
    except InvalidResponse as refused:
        told = refused.errors
    assert told
    assert all(told.values())
    return None
