"""What an instrument is: how something is asked of people, and what is scored.

Instruments know no database and no request: plain values in and out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

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
    """What is asked of people, or computed from what they did, on one scale.

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
        """How far apart two judgments are: what their agreement is measured with."""
        if self.is_yes_no or len(self.levels) == 2:
            return "nominal"
        return "ordinal" if self.levels else "interval"

    @property
    def scale_text(self) -> str:
        better = "higher" if self.higher_is_better else "lower"
        span = f"from {self.low:g} to {self.high:g}" if self.bounded else f"from {self.low:g} up"
        return f"{span.replace('-', '−')}, {better} is better"

    def as_data(self) -> dict[str, Any]:
        """Return what a page or an API client needs to know."""
        return {**asdict(self), "label": str(self.label), "question": str(self.question)} | {
            "levels": [
                {"value": level.value, "label": str(level.label), "cue": str(level.cue)}
                for level in self.levels
            ]
        }


@dataclass(frozen=True)
class Material:
    """What an annotator is shown: what a system wrote, and the input it wrote it for."""

    text: str
    input: str = ""
    paragraphs: tuple[str, ...] = ()


def whole_input(text: str, paragraphs: Sequence[str]) -> str:
    """Return all of an item's input as one text: blank lines between its paragraphs."""
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
        """The version of how scores are taken: changes whenever one of the same response may."""

    @property
    def label(self) -> str: ...
    @property
    def criteria(self) -> tuple[Criterion, ...]: ...
    @property
    def template(self) -> str:
        """The annotator's page; "" if the instrument has no page."""

    @property
    def folder(self) -> Path | None:
        """Where its built-in tutorial is, `tutorial.LANGUAGE.json`; None where it has none."""

    @property
    def title(self) -> "Words":
        """What annotators read as the headline of a study that has none of its own."""

    @property
    def about(self) -> "Words":
        """What annotators do, in a sentence; "" if the instrument has no page."""

    @property
    def minutes(self) -> str:
        """What people are told that one task takes, such as "1–3"."""

    @property
    def needs_paragraphs(self) -> bool:
        """Whether every item must come with a question and paragraphs."""

    @property
    def needs_input(self) -> bool:
        """Whether every item must come with an input, a question or an article, to be shown."""

    @property
    def example(self) -> Material:
        """What the preview shows: a sentence or two of our own, in the language spoken now."""

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        """Return the response as it will be stored, or raise `InvalidResponse`."""

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return the score of each criterion: a function of the stored response alone."""

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        """Whether `scores` may take seconds: a task of its own then computes them."""

    def questions(self) -> "tuple[Question, ...]":
        """Return what is asked with levels, in the order in which it is asked."""

    def answers(self, response: Mapping[str, Any]) -> "dict[Key, float]":
        """Return the value of each answer in a stored response."""

    def highlights(self, response: Mapping[str, Any], material: Material) -> "list[Highlight]":
        """Return what was highlighted, text by text."""

    def recalled(self, response: Mapping[str, Any]) -> str:
        """Return what was answered, in a line for the annotator who did."""

    def columns(self, judgments: "Sequence[Observed]") -> dict[str, Any]:
        """Return what screens see of the judgments: fields of `screening.base.Columns`."""

    def page(self, material: Material) -> dict[str, Any]:
        """Return what the page's script is told about the task."""

    def strings(self) -> dict[str, Any]:
        """Return the sentences that the page's script may say, translated now."""

    def tutorial(self, language: str) -> "Tutorial | None":
        """Return the built-in tutorial in this language, or in the nearest there is."""


def criterion_of(instrument: Instrument, name: str) -> Criterion:
    """Return the criterion called `name`; KeyError names those that exist."""
    for criterion in instrument.criteria:
        if criterion.name == name:
            return criterion
    known = ", ".join(criterion.name for criterion in instrument.criteria)
    raise KeyError(f"{instrument.key} has no criterion {name!r}; it has {known}.")
