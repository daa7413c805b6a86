"""The declared form of a tutorial: graded questions, with the names of its file."""

from collections.abc import Iterator
from math import ceil
from typing import Annotated, Any, Self

from pydantic import Field, PlainValidator, ValidationInfo

from annotate.instruments.tutorials.digests import digest
from annotate.instruments.tutorials.questions import KINDS, Question, Studied
from annotate.schemas import Declared, Fault, OptionalText, Several, Text, distinct, refuse
from annotate.text.problem_sentences import PLAIN

MOST_QUESTIONS = 40
WHOLE_DIGEST = 16  # characters of the content's digest in the version


def _of_its_kind(given: Any, info: ValidationInfo) -> Question:
    if not isinstance(given, dict):
        refuse([((), PLAIN["dict_type"])])
    kind = given.get("kind")
    if not isinstance(kind, str) or kind.strip() not in KINDS:
        refuse([(("kind",), f"Must be one of {', '.join(KINDS)}.")])
    return KINDS[kind.strip()].model_validate(given, context=info.context)


class Tutorial(Declared):
    """The questions that qualify an annotator for an instrument, in their order.

    `version` is the file's own name for it; after reading, with a digest of the content.
    """

    instrument: Annotated[Text, Field(max_length=40)]
    version: Annotated[Text, Field(max_length=20)]
    language: Annotated[Text, Field(max_length=12)]
    title: Annotated[OptionalText, Field(max_length=200)] = ""
    questions: Several[Annotated[Question, PlainValidator(_of_its_kind)]] = Field(
        min_length=1, max_length=MOST_QUESTIONS
    )

    def completed(self, given: Any, context: Studied) -> Self:
        whole = f"{self.version}-{digest(given)[:WHOLE_DIGEST]}"
        return self.model_copy(update={"version": whole})

    def faults(self, context: Studied) -> Iterator[Fault]:
        if self.instrument != context.instrument:
            yield ("instrument",), f"Is for “{self.instrument}”, not for “{context.instrument}”."
        yield from distinct("questions", self.questions, "key")

    @property
    def minutes(self) -> int:
        """Return the approximate time: half a minute per question, a minute for those with work."""
        long = sum(question.kind in ("edit", "evidence") for question in self.questions)
        return max(1, ceil((len(self.questions) + long) / 2))

    def place_of(self, key: str) -> int | None:
        """Return the position of the question called `key`, from 0."""
        keys = [question.key for question in self.questions]
        return keys.index(key) if key in keys else None
