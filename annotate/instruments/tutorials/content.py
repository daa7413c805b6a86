"""What a tutorial is: graded questions as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from annotate.instruments.answer_correctness.criteria import VERDICTS

if TYPE_CHECKING:
    from annotate.instruments.wording import Words


@dataclass(frozen=True)
class Option:
    """One answer to choose, with the cue that says when."""

    value: int
    label: "Words"
    cue: "Words" = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What every kind has. `digest` names the content: an unchanged question stays answered."""

    kind: ClassVar[str]
    key: str
    section: str
    prompt: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class Choice(Question):
    """A text (or a question and its answer) to judge, with the reason for every level."""

    kind: ClassVar[str] = "choice"
    text: str = ""
    question: str = ""
    answer: str = ""
    ask: "Words" = ""
    options: tuple[Option, ...]
    accepted: tuple[int, ...]
    feedback: Mapping[int, str]


@dataclass(frozen=True)
class Defect:
    """What has to go: any of these strings, beyond `at_most` occurrences of all of them."""

    strings: tuple[str, ...]
    feedback: str
    at_most: int = 0


@dataclass(frozen=True)
class Meaning:
    """What has to stay: at least one of these strings."""

    any_of: tuple[str, ...]
    feedback: str


@dataclass(frozen=True)
class Bounds:
    """How many characters an improvement changes, and what to say outside of that."""

    least: int
    most: int
    too_little: str
    too_much: str


@dataclass(frozen=True, kw_only=True)
class Edit(Question):
    """A text to improve: by rule, or as one of the listed alternatives."""

    kind: ClassVar[str] = "edit"
    text: str
    defects: tuple[Defect, ...]
    meaning: tuple[Meaning, ...]
    bounds: Bounds
    alternatives: tuple[str, ...] = ()
    feedback: str


@dataclass(frozen=True)
class Overlap:
    """What to say about a highlight, by how well its words meet the expected ones."""

    none: str
    poor: str
    good: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, the verdict it calls for, and the words that justify it."""

    text: str
    verdict: int
    feedback: Mapping[int, str]
    evidence: tuple[str, ...] = ()
    highlight: Overlap | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence(Question):
    """A question, an answer, and paragraphs that may show whether it is right."""

    kind: ClassVar[str] = "evidence"
    options: ClassVar = VERDICTS  # of each paragraph
    question: str
    answer: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True)
class Step:
    """One step of a worked example: what is shown, and what to make of it."""

    title: str
    text: str
    quote: str = ""


@dataclass(frozen=True, kw_only=True)
class Example(Question):
    """A worked example to read; nothing is graded."""

    kind: ClassVar[str] = "example"
    question: str = ""
    answer: str = ""
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Tutorial:
    """The questions that qualify an annotator for an instrument, in their order.

    `version` is what the file calls it, and a digest of all of it.
    """

    instrument: str
    version: str
    language: str = "en"
    title: str = ""
    questions: tuple[Question, ...] = field(default=())

    @property
    def minutes(self) -> int:
        """About how long it takes: half a minute a question, a whole one where work is asked."""
        long = sum(question.kind in ("edit", "evidence") for question in self.questions)
        return max(1, ceil((len(self.questions) + long) / 2))

    def place_of(self, key: str) -> int | None:
        """Return where the question called `key` stands, from 0."""
        keys = [question.key for question in self.questions]
        return keys.index(key) if key in keys else None
