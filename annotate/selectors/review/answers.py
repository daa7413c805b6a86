"""What was answered, whichever the instrument: choices that two people can differ in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.instruments.answer_correctness.criteria import CORRECT, INCORRECT, NEITHER
from annotate.instruments.base import Instrument

PLAUSIBLE, PARAGRAPH = "plausible", "paragraph"
Key = tuple[str, int]  # a question's name, and the number of the paragraph it is about (0: none)


@dataclass(frozen=True)
class Question:
    """Something with levels, asked once a task or once a paragraph; `levels`: (value, label)."""

    name: str
    label: str
    levels: tuple[tuple[float, str], ...]

    def said(self, value: float) -> str:
        return dict(self.levels)[value]

    @property
    def spread(self) -> float:
        """The largest difference that two answers can have."""
        values = [value for value, _label in self.levels]
        return max(values) - min(values)


OF_PARAGRAPHS = (
    Question(PLAUSIBLE, "Plausible", ((1.0, "yes"), (0.0, "no"))),
    Question(
        PARAGRAPH,
        "Paragraph",
        ((CORRECT, "correct"), (NEITHER, "neither"), (INCORRECT, "incorrect")),
    ),
)


def questions(instrument: Instrument) -> tuple[Question, ...]:
    """Return what is asked with levels, in the order in which it is asked."""
    if instrument.needs_paragraphs:
        return OF_PARAGRAPHS
    return tuple(
        Question(
            criterion.name,
            str(criterion.label),
            tuple((float(level.value), str(level.label)) for level in criterion.levels),
        )
        for criterion in instrument.criteria
        if criterion.levels
    )


def answers(asked: tuple[Question, ...], response: Mapping[str, Any]) -> dict[Key, float]:
    """Return the value of each answer in a stored response."""
    if asked is not OF_PARAGRAPHS:
        return {(one.name, 0): float(response[one.name]) for one in asked}
    verdicts = enumerate(response["verdicts"], start=1)
    return {(PLAUSIBLE, 0): float(response["plausible"])} | {
        (PARAGRAPH, number): float(verdict["value"]) for number, verdict in verdicts
    }
