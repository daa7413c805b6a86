"""The kinds of questions of a tutorial, declared with the names of its file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PrivateAttr

from annotate.instruments.answer_correctness.criteria import VERDICTS
from annotate.instruments.base import Criterion, Level
from annotate.instruments.tutorials.digests import digest
from annotate.instruments.tutorials.words import count, problem, same_words
from annotate.schemas import (
    Declared,
    Exact,
    Fault,
    Indented,
    OptionalIndented,
    OptionalText,
    Several,
    Slug,
    Text,
)

LONGEST = 4000  # characters per text
MANY = 12

Shown = Annotated[Indented, Field(max_length=LONGEST)]
OptionalShown = Annotated[OptionalIndented, Field(max_length=LONGEST)]
Phrase = Annotated[Exact, Field(max_length=LONGEST)]
Said = Annotated[Text, Field(max_length=1000)]
Reasons = Annotated[dict[str, Said], Field(max_length=2 * MANY)]  # by the chosen value


@dataclass(frozen=True)
class Studied:
    """The instrument of a tutorial, with those of its criteria that have levels.

    slots, cases: what all questions of the tutorial may use (`families`).
    """

    instrument: str
    criteria: Mapping[str, Criterion]
    slots: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    cases: Mapping[str, dict[str, Any]] = field(default_factory=dict)


class Option(Declared):
    """One possible answer, with the cue that says when to choose it."""

    value: int = Field(ge=-100, le=100)
    label: Annotated[Text, Field(max_length=80)]
    cue: Annotated[OptionalText, Field(max_length=200)] = ""

    @classmethod
    def of(cls, level: Level) -> Self:
        """Return a criterion's level; its words are translated when they are shown."""
        return cls.model_construct(value=level.value, label=level.label, cue=level.cue)


class Question(Declared):
    """The fields of every kind of question."""

    kind: Annotated[Text, Field(max_length=20)]
    key: Annotated[Slug, Field(max_length=40)]
    section: Annotated[Text, Field(max_length=60)]
    prompt: Annotated[Text, Field(max_length=400)]
    _digest: str = PrivateAttr(default="")

    @property
    def digest(self) -> str:
        """Return the digest of the content: an unchanged question stays answered."""
        return self._digest

    def completed(self, given: Any, context: Any) -> Self:
        self._digest = digest(given)
        return self


class Choice(Question):
    """A text (or a question and its answer) to judge, with the reason for every level.

    second: the text beside it, where two are compared.
    Its levels are those of a criterion, or its own: `options`, asked by `ask`.
    """

    text: OptionalShown = ""
    second: OptionalShown = ""
    question: OptionalShown = ""
    answer: OptionalShown = ""
    criterion: Annotated[OptionalText, Field(max_length=40)] = ""
    ask: Annotated[OptionalText, Field(max_length=1000)] = ""
    options: Several[Option] = Field(default=(), min_length=1, max_length=MANY)
    accepted: Several[int] = Field(min_length=1, max_length=MANY)
    feedback: Reasons

    def completed(self, given: Any, context: Studied) -> Self:
        own = super().completed(given, context)
        if self.options:
            return own
        criterion = context.criteria[self.criterion]
        options = tuple(Option.of(level) for level in criterion.levels)
        return own.model_copy(update={"ask": criterion.question, "options": options})

    def faults(self, context: Studied) -> Iterator[Fault]:
        if not (self.text or self.question or self.answer):
            yield ("text",), "Missing: show a text, or a question and its answer."
        known = context.criteria.get(self.criterion)
        if known is not None and known.compares and not self.second:
            yield ("second",), "Missing: two texts are compared."
        yield from self._levels_faults(context)
        values = self._values(context)
        for value in self.accepted if values else ():
            if value not in values:
                yield ("accepted",), f"{value} is not one of the levels {values}."
        if values:
            yield from _reasons_faults(self.feedback, values)

    def _values(self, context: Studied) -> list[int]:
        known = context.criteria.get(self.criterion)
        return [one.value for one in self.options or (known.levels if known else ())]

    def _levels_faults(self, context: Studied) -> Iterator[Fault]:
        values = {option.value for option in self.options}
        if self.options and len(values) < max(2, len(self.options)):
            yield ("options",), "Needs at least two levels of different values."
        if self.options and self.criterion:
            yield ("criterion",), "Unknown field beside “options”. Give one of the two."
        if self.options:
            return
        if self.ask:
            yield ("ask",), "Unknown field without “options”: a criterion has its own question."
        if not self.criterion:
            yield ("criterion",), "Missing. Name a criterion, or give “options”."
        elif self.criterion not in context.criteria:
            known = ", ".join(context.criteria) or "none; give “options”"
            message = f"“{self.criterion}” has no levels here; those that do: {known}."
            yield ("criterion",), message


class Defect(Declared):
    """What must be removed: any of these patterns, beyond `at_most` occurrences of all of them.

    unless: patterns with which it is no defect.
    """

    strings: Several[Phrase] = Field(min_length=1, max_length=MANY)
    feedback: Said
    at_most: int = Field(default=0, ge=0, le=100)
    unless: Several[Phrase] = Field(default=(), max_length=MANY)


class Meaning(Declared):
    """What must stay: at least one of these patterns (`words.count`)."""

    any_of: Several[Phrase] = Field(min_length=1, max_length=MANY)
    feedback: Said


class Edit(Question):
    """A text to improve, graded by rule (`edits`).

    defects: the text's errors. slips: errors that people make while they improve it. meaning: the
    facts. alternatives: good improvements; the first is shown. allowed: patterns of words that are
    no news. distance, references: of tutorials written before these rules. They are not used, and
    what was accepted then stays accepted.
    """

    text: Shown
    defects: Several[Defect] = Field(min_length=1, max_length=MANY)
    slips: Several[Defect] = Field(default=(), max_length=MANY)
    meaning: Several[Meaning] = Field(min_length=1, max_length=MANY)
    alternatives: Several[Shown] = Field(default=(), max_length=MANY)
    allowed: Several[Phrase] = Field(default=(), max_length=MANY)
    feedback: Said
    distance: Any = None
    references: Any = None

    def faults(self, context: Studied) -> Iterator[Fault]:
        """Check that the text has the defects and the meaning that the rules name."""
        if self.distance is not None:
            return
        yield from self._patterns_faults()
        for number, defect in enumerate(self.defects):
            if sum(count(self.text, string) for string in defect.strings) <= defect.at_most:
                yield ("defects", number, "strings"), "The text does not have this defect."
        for number, meaning in enumerate(self.meaning):
            if not any(count(self.text, string) for string in meaning.any_of):
                yield ("meaning", number, "any_of"), "The text has none of these words itself."
        for number, alternative in enumerate(self.alternatives):
            if same_words(alternative, self.text):
                yield ("alternatives", number), "Is the text itself."

    def _patterns_faults(self) -> Iterator[Fault]:
        patterns: dict[tuple[str | int, ...], Sequence[str]] = {("allowed",): self.allowed}
        for name in ("defects", "slips"):
            for number, one in enumerate(getattr(self, name)):
                patterns[(name, number, "strings")] = one.strings
        for number, fact in enumerate(self.meaning):
            patterns[("meaning", number, "any_of")] = fact.any_of
        for place, given in patterns.items():
            for number, pattern in enumerate(given):
                if said := problem(pattern):
                    yield (*place, number), said


class Overlap(Declared):
    """The feedback to a highlight: none of the evidence, more than its sentence, or right."""

    none: Said
    poor: Said
    good: Said


class Paragraph(Declared):
    """A paragraph, its correct verdict, and the words that justify it."""

    text: Shown
    verdict: int = Field(ge=-1, le=1)
    feedback: Reasons
    evidence: Several[Annotated[Text, Field(max_length=LONGEST)]] = Field(
        default=(), max_length=MANY
    )
    highlight: Overlap | None = None

    def faults(self, context: Studied) -> Iterator[Fault]:
        for number, quote in enumerate(self.evidence):
            if self.text.count(quote) != 1:
                times = "does not occur" if quote not in self.text else "occurs more than once"
                yield ("evidence", number), f"“{quote[:40]}” {times} in the paragraph."
        yield from _reasons_faults(self.feedback, [level.value for level in VERDICTS])
        for name in ("evidence", "highlight"):
            if self.verdict and not getattr(self, name):
                yield (name,), "Missing: a verdict of 1 or −1 needs it."
            elif not self.verdict and getattr(self, name):
                yield (name,), "Belongs to a verdict of 1 or −1 only."


class Evidence(Question):
    """A question, an answer, and paragraphs that may show whether it is right."""

    options: ClassVar = VERDICTS  # of each paragraph
    question: Shown
    answer: Shown
    paragraphs: Several[Paragraph] = Field(min_length=1, max_length=MANY)


class Step(Declared):
    """One step of a worked example: a text, and its interpretation."""

    title: Said
    text: OptionalShown = ""
    quote: Annotated[OptionalText, Field(max_length=LONGEST)] = ""

    def faults(self, context: Studied) -> Iterator[Fault]:
        if self.quote and self.quote not in self.text:
            yield ("quote",), "Does not occur in the step's text."


class Example(Question):
    """A worked example to read; nothing is graded."""

    question: OptionalShown = ""
    answer: OptionalShown = ""
    steps: Several[Step] = Field(min_length=1, max_length=MANY)


KINDS: dict[str, type[Question]] = {
    "choice": Choice,
    "edit": Edit,
    "evidence": Evidence,
    "example": Example,
}


def _reasons_faults(reasons: Mapping[str, str], values: list[int]) -> Iterator[Fault]:
    """Check that every value has a reason, which says why the answer is right or wrong."""
    expected = [str(value) for value in values]
    for value in expected:
        if value not in reasons:
            yield ("feedback", value), "Missing."
    for value in reasons:
        if value not in expected:
            yield ("feedback", value), "Unknown field."
