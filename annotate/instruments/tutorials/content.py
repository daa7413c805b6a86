"""The declared form of a tutorial: graded questions, with the names of its file."""

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, PlainValidator, ValidationInfo

from annotate.instruments.tutorials import families
from annotate.instruments.tutorials.digests import digest
from annotate.instruments.tutorials.families import Family
from annotate.instruments.tutorials.questions import Question, Studied
from annotate.schemas import Declared, Fault, OptionalText, Several, Text, distinct

MOST_QUESTIONS = 40
MOST_SHARED = 40  # slots, cases
Case = Annotated[dict[str, Any], Field(max_length=MOST_SHARED)]  # fields of a version
WHOLE_DIGEST = 16  # characters of the content's digest in the version


def _family(given: Any, info: ValidationInfo) -> Family:
    studied = info.context
    assert isinstance(studied, Studied), "a tutorial is read for an instrument"
    return families.read(given, studied)


# No schema is made of the class itself, which refers to words that are translated when shown.
if TYPE_CHECKING:
    _Family = Family
else:
    _Family = Annotated[Any, PlainValidator(_family)]


class Tutorial(Declared):
    """The questions that qualify an annotator for an instrument, in their order.

    `version` is the file's own name for it; after reading, with a digest of the content.
    `replaces`: whole earlier versions; who passed one of them has passed this one. `asked`: how
    many graded questions a round has; without it, all of them in their order. `slots` and
    `cases` are what the questions share (`families`).
    """

    instrument: Annotated[Text, Field(max_length=40)]
    version: Annotated[Text, Field(max_length=20)]
    language: Annotated[Text, Field(max_length=12)]
    title: Annotated[OptionalText, Field(max_length=200)] = ""
    replaces: Several[Annotated[Text, Field(max_length=64)]] = Field(
        default=(), max_length=MOST_QUESTIONS
    )
    asked: int | None = Field(default=None, ge=1, le=MOST_QUESTIONS)
    slots: Annotated[
        dict[str, Any], Field(max_length=MOST_SHARED), PlainValidator(families.slots)
    ] = {}
    cases: Annotated[dict[str, Case], Field(max_length=MOST_SHARED)] = {}
    questions: Several[_Family] = Field(min_length=1, max_length=MOST_QUESTIONS)

    def completed(self, given: Any, context: Studied) -> Self:
        whole = f"{self.version}-{digest(given)[:WHOLE_DIGEST]}"
        return self.model_copy(update={"version": whole})

    def faults(self, context: Studied) -> Iterator[Fault]:
        if self.instrument != context.instrument:
            yield ("instrument",), f"Is for “{self.instrument}”, not for “{context.instrument}”."
        yield from distinct("questions", self.questions, "key")
        if self.asked is not None and self.asked > len(self.graded):
            yield ("asked",), f"Is more than the {len(self.graded)} questions that are graded."

    @property
    def graded(self) -> list[Family]:
        return [one for one in self.questions if one.is_graded]

    @property
    def n_asked(self) -> int:
        """Return how many graded questions a round has."""
        return self.asked or len(self.graded)

    @property
    def samples(self) -> tuple[Question, ...]:
        """Return every version of every question once, for researchers."""
        return tuple(sample for family in self.questions for sample in family.samples)

    @property
    def minutes(self) -> int:
        """Return the approximate time of a round: half a minute per question, a minute for those
        with work."""
        long = sum(one.kind in ("edit", "evidence") for one in self.questions)
        share = self.n_asked / max(1, len(self.graded))
        return max(1, ceil((len(self.questions) + long) * share / 2))

    def family(self, key: str) -> Family | None:
        return next((one for one in self.questions if one.key == key), None)

    def is_graded(self, key: str) -> bool:
        family = self.family(key)
        return family is not None and family.is_graded
