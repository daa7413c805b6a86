"""The contract of an instrument: how people are asked, and what is scored.

Instruments know no database and no request: plain values in and out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from annotate.instruments import pairs
from estimation.core import BALANCE, PERSON_SHARE

if TYPE_CHECKING:
    from annotate.instruments.answers import Highlight, Key, Observed, Question
    from annotate.instruments.tutorials.content import Tutorial
    from annotate.instruments.wording import Words
    from estimation.core import Distance


@dataclass(frozen=True)
class Level:
    """One answer to a criterion's question, with the cue that says when to choose it."""

    value: int
    label: "Words"
    cue: "Words"


@dataclass(frozen=True)
class Criterion:
    """A question to people, or a value computed from their work, on one scale.

    `bounded=False` makes low..high a working range only: scores may lie outside it
    (docs/statistics.md, "Unbounded criteria"). `balance` and `person_share` come from the variance
    components that scores of this kind typically have; a campaign keeps those it opened with.
    """

    name: str
    low: float
    high: float
    bounded: bool = True
    higher_is_better: bool = True
    label: "Words" = ""
    question: "Words" = ""
    levels: tuple[Level, ...] = ()
    is_yes_no: bool = False
    balance: float = BALANCE
    person_share: float = PERSON_SHARE

    @property
    def distance(self) -> "Distance":
        """Return the distance between judgments with which agreement is measured."""
        if self.is_yes_no or len(self.levels) == 2:
            return "nominal"
        return "ordinal" if self.levels else "interval"

    @property
    def scale_text(self) -> str:
        better = "higher" if self.higher_is_better else "lower"
        span = f"from {self.low:g} to {self.high:g}" if self.bounded else f"from {self.low:g} up"
        return f"{span.replace('-', '−')}, {better} is better"

    @property
    def most_apart(self) -> float:
        """Return the largest difference that it can show, in score units: a margin is smaller."""
        return self.high - self.low

    @property
    def tie(self) -> float:
        """Return the score of two compared texts that are equally good: the middle of the scale."""
        return (self.low + self.high) / 2

    @property
    def compares(self) -> bool:
        """Return whether its question is about two texts."""
        return False

    @property
    def wins_of(self) -> str:
        """Return the criterion whose wins it counts, in comparisons of two texts; "" otherwise."""
        return ""

    def as_data(self) -> dict[str, Any]:
        """Return what a page or an API client needs to know."""
        return {**asdict(self), "label": str(self.label), "question": str(self.question)} | {
            "levels": [
                {"value": level.value, "label": str(level.label), "cue": str(level.cue)}
                for level in self.levels
            ]
        }


@dataclass(frozen=True)
class TextBeside:
    """One text of an item whose texts are shown side by side, as one annotator sees it.

    task: this annotator's own task on it, if there is one. answer: what they answered, in words.
    """

    text: str
    is_rated: bool = False
    task: int | None = None
    answer: str = ""


@dataclass(frozen=True)
class Material:
    """What an annotator is shown: a system's output, and its input.

    turned: of a pair of texts, whether this annotator sees its second text first.
    side_by_side: all texts of the item in this annotator's order, where they are shown.
    """

    text: str
    input: str = ""
    paragraphs: tuple[str, ...] = ()
    turned: bool = False
    side_by_side: tuple[TextBeside, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Return the two texts of a pair, in the order in which this annotator sees them."""
        first, second = pairs.parts(self.text)
        return (second, first) if self.turned else (first, second)


def whole_input(text: str, paragraphs: Sequence[str]) -> str:
    """Return all of an item's input as one text, with blank lines between its paragraphs."""
    return "\n\n".join(filter(None, (text, *paragraphs)))


class InvalidResponse(ValueError):
    """A response that cannot be accepted; `errors` maps each field to what to do about it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(str(message) for message in errors.values()))
        self.errors = dict(errors)


class Instrument(Protocol):
    """The contract; `registry.py` lists those that exist."""

    @property
    def key(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def scoring(self) -> str:
        """Return the version of the scoring. It changes whenever a response's score may change."""

    @property
    def label(self) -> str: ...
    @property
    def criteria(self) -> tuple[Criterion, ...]: ...
    @property
    def template(self) -> str:
        """Return the template of the annotator's page; "" if the instrument has no page."""

    @property
    def folder(self) -> Path | None:
        """Return the folder with its built-in tutorials, `tutorial.LANGUAGE.json`, or None."""

    @property
    def title(self) -> "Words":
        """Return the title that annotators read if the study has none."""

    @property
    def about(self) -> "Words":
        """Return the annotators' work in a sentence; "" if the instrument has no page."""

    @property
    def minutes(self) -> str:
        """Return the announced minutes for one task, such as "1–3"."""

    @property
    def needs_paragraphs(self) -> bool:
        """Return whether every item must have a question and paragraphs."""

    @property
    def needs_input(self) -> bool:
        """Return whether every item must have an input, which is shown."""

    @property
    def compares(self) -> bool:
        """Return whether two texts of an item are judged together, so that a system is a pair."""

    @property
    def shows_others(self) -> bool:
        """Return whether the item's other texts are shown next to the rated one."""

    @property
    def example(self) -> Material:
        """Return the example in the preview: a sentence or two in the active language."""

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        """Return the response as it will be stored, or raise `InvalidResponse`."""

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return the score of each criterion. It depends only on the stored response."""

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        """Return whether `scores` may take seconds, so that a separate task computes them."""

    def questions(self) -> "tuple[Question, ...]":
        """Return the questions with levels, in the order in which they are asked."""

    def answers(self, response: Mapping[str, Any]) -> "dict[Key, float]":
        """Return the value of each answer in a stored response."""

    def highlights(self, response: Mapping[str, Any], material: Material) -> "list[Highlight]":
        """Return the highlights, text by text."""

    def recalled(self, response: Mapping[str, Any]) -> str:
        """Return the answers in one line for their annotator."""

    def answered(self, response: Mapping[str, Any]) -> str:
        """Return the same for reviewers: of a pair, for its own order."""

    def reopened(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as the draft from which its annotator corrects it."""

    def columns(self, judgments: "Sequence[Observed]") -> dict[str, Any]:
        """Return the screens' columns of the judgments: fields of `screening.base.Columns`."""

    def shown(self, material: Material) -> str:
        """Return the output's text as the page's script gets it."""

    def page(self, material: Material) -> dict[str, Any]:
        """Return the data about the task for the page's script."""

    def strings(self) -> dict[str, Any]:
        """Return the texts of the page's script, in the active language."""

    def tutorial(self, language: str) -> "Tutorial | None":
        """Return the built-in tutorial in this language, or in the nearest available one."""


def criterion_of(instrument: Instrument, name: str) -> Criterion:
    """Return the criterion called `name`; KeyError names the existing ones."""
    for criterion in instrument.criteria:
        if criterion.name == name:
            return criterion
    known = ", ".join(criterion.name for criterion in instrument.criteria)
    raise KeyError(f"{instrument.key} has no criterion {name!r}; it has {known}.")
