"""How a stored response is read by reviewers, screens, and its annotator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotate.instruments.base import Criterion, Instrument, Material

Key = tuple[str, int]  # a question's name, and the number of its paragraph (0: none)
Edges = list[list[tuple[int, int]]]  # where the words of each paragraph begin and end


@dataclass(frozen=True)
class Question:
    """A question with levels, asked once per task or per paragraph; `levels`: (value, label).

    of_paragraphs: it is asked about each paragraph.
    """

    name: str
    label: str
    levels: tuple[tuple[float, str], ...]
    of_paragraphs: bool = False

    @property
    def heading(self) -> str:
        """Return the heading above all of its answers."""
        return f"{self.label}s" if self.of_paragraphs else self.label

    def said(self, value: float) -> str:
        return dict(self.levels)[value]

    @property
    def spread(self) -> float:
        """Return the largest possible difference between two answers."""
        values = [value for value, _label in self.levels]
        return max(values) - min(values)


@dataclass(frozen=True)
class Highlight:
    """The marked words of one text, as pairs of code points; `title` says which text it is."""

    title: str
    text: str
    spans: Sequence[Sequence[int]]


class Observed(NamedTuple):
    """One judgment, with what a screen may know of the response and the material.

    paragraphs: where the words of each begin and end, if the instrument needs paragraphs.
    """

    response: Mapping[str, Any]
    text_words: int
    input_words: int
    paragraphs: Edges


class Answers:
    """The part of an instrument that reads responses; the default reads the levels of criteria.

    A criterion without levels is not among its questions: reviewers do not compare it, and screens
    see the time that was taken, but not the answer.
    """

    @property
    def compares(self) -> bool:
        """Return whether two texts of an item are judged together, so that a system is a pair."""
        return False

    @property
    def shows_others(self) -> bool:
        """Return whether the item's other texts are shown next to the rated one."""
        return False

    def questions(self: Instrument) -> tuple[Question, ...]:
        """Return the questions with levels, in the order in which they are asked."""
        return tuple(
            Question(
                criterion.name,
                str(criterion.label),
                tuple((float(level.value), str(level.label)) for level in criterion.levels),
            )
            for criterion in self.criteria
            if criterion.levels
        )

    def answers(self: Instrument, response: Mapping[str, Any]) -> dict[Key, float]:
        """Return the value of each answer in a stored response."""
        return {(one.name, 0): float(response[one.name]) for one in self.questions()}

    def highlights(self, response: Mapping[str, Any], material: Material) -> list[Highlight]:
        """Return the highlights, text by text."""
        return []

    def recalled(self: Instrument, response: Mapping[str, Any]) -> str:
        """Return the answers in one line for their annotator."""
        given = [(one, response.get(one.name)) for one in self.questions()]
        return ", ".join(
            f"{one.label}: {label}"
            for one, chosen in given
            for value, label in one.levels
            if value == chosen
        )

    def answered(self: Instrument, response: Mapping[str, Any]) -> str:
        """Return the same for reviewers: of a pair, for its own order."""
        return self.recalled(response)

    def reopened(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as the draft from which its annotator corrects it."""
        return dict(response)

    def shown(self, material: Material) -> str:
        """Return the output's text as the page's script gets it."""
        return material.text

    def columns(self: Instrument, judgments: Sequence[Observed]) -> dict[str, Any]:
        """Return the screens' columns of the judgments: fields of `screening.base.Columns`."""
        read = [one.text_words + self.needs_input * one.input_words for one in judgments]
        return {"words": np.array(read, dtype=np.float64)} | _alike(self, judgments)


def _alike(instrument: Instrument, judgments: Sequence[Observed]) -> dict[str, Any]:
    """Return the criteria that share the first one's levels; none if no criterion has levels."""
    asked = [criterion for criterion in instrument.criteria if criterion.levels]
    if not asked:
        return {}
    levels = _levels(asked[0])
    names = [criterion.name for criterion in asked if _levels(criterion) == levels]
    scores = {
        name: np.array([one.response[name] for one in judgments], dtype=np.float64)
        for name in names
    }
    return {"levels": levels, "scores": scores}


def _levels(criterion: Criterion) -> tuple[float, ...]:
    return tuple(sorted(float(level.value) for level in criterion.levels))
