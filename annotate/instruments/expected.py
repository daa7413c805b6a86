"""Answers that are known to be right: what a gold item expects, and the chance of a guess.

They are stored as {question: [values]}; a question about a paragraph is called "name.number".
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from annotate.instruments.answers import Key, Question
from annotate.instruments.base import Instrument, Material

Expected = Mapping[str, Sequence[float]]
MOST = 40  # answers about one item


def is_right(instrument: Instrument, expected: Expected, response: Mapping[str, Any]) -> bool:
    """Return whether a stored response gives all expected answers."""
    given = instrument.answers(response)
    return all(given.get(_key(name)) in values for name, values in expected.items())


def chance(instrument: Instrument, expected: Expected) -> float:
    """Return the probability of the right answers if each level is as likely as the others."""
    levels = {one.name: len(one.levels) for one in instrument.questions()}
    return prod(len(set(values)) / levels[_key(name)[0]] for name, values in expected.items())


def said(instrument: Instrument, expected: Expected) -> list[tuple[str, str]]:
    """Return each question and its right answers, in words."""
    asked = {one.name: one for one in instrument.questions()}
    found = []
    for name, values in expected.items():
        question, number = asked[_key(name)[0]], _key(name)[1]
        label = f"{question.label} {number}" if number else question.label
        found.append((label, " or ".join(question.said(float(one)) for one in values)))
    return found


def problems(instrument: Instrument, expected: Any, material: Material) -> Iterator[str]:
    """Yield what is wrong with expected answers that somebody has written down."""
    if not isinstance(expected, dict) or not expected:
        yield "says no right answer. Give at least one question and its right answers."
        return
    if len(expected) > MOST:
        yield f"expects more than {MOST} answers."
        return
    asked = {one.name: one for one in instrument.questions()}
    for name, values in expected.items():
        yield from _problems_of(name, values, asked, material)


def _problems_of(
    name: str, values: Any, asked: Mapping[str, Question], material: Material
) -> Iterator[str]:
    question, number = asked.get(_key(name)[0]), _key(name)[1]
    if question is None:
        yield f"expects an answer to {_short(name)}; the questions are {', '.join(asked)}."
        return
    if question.of_paragraphs != (number > 0) or number > len(material.paragraphs):
        form = f"“{question.name}.1”" if question.of_paragraphs else f"“{question.name}”"
        yield f"expects an answer to {_short(name)}; it is called {form}, and so on."
        return
    levels = [value for value, _label in question.levels]
    if not isinstance(values, list) or not values or not all(_is_in(v, levels) for v in values):
        known = ", ".join(f"{value:g}" for value in levels)
        yield f"needs a list of right answers to “{name}” among {known}."
    elif len(set(values)) == len(levels):
        yield f"takes every answer to “{name}” as right, so no answer can be wrong."


def _is_in(value: Any, levels: Sequence[float]) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value in levels


def _short(name: str) -> str:
    return f"“{name if len(name) <= 40 else name[:40] + '…'}”"


def _key(name: str) -> Key:
    question, dot, number = name.rpartition(".")
    if dot and number.isascii() and number.isdecimal() and len(number) < 6:
        return question, int(number)
    return name, 0
