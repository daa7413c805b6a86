"""A story schema: the sentences of a news item with gaps, and the values for the gaps."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from string import Formatter
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from extras.demo import vocabulary

TEXTS = Path(__file__).parent / "texts"
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Alternatives = Annotated[tuple[Text, ...], Field(min_length=1)]
# The third wording of a summary's first sentence is the line under the headline.
Opening = Annotated[tuple[Text, ...], Field(min_length=3)]

# <it|the library>: the pronoun a writer would use, and the name a clumsy system repeats.
PRONOUN = re.compile(r"<([^<>|]*)\|([^<>|]*)>")


class NumberRange(BaseModel):
    """Whole numbers from `from`, in steps, below `below`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    first: int = Field(alias="from", ge=0)
    below: int
    step: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.first >= self.below:
            raise ValueError(f"there is no number from {self.first} below {self.below}")
        return self

    @property
    def choices(self) -> Sequence[int]:
        return range(self.first, self.below, self.step)


class Story(BaseModel):
    """A file of `texts/`.

    Each position of article and summary holds sentences with the same meaning. A name in braces is
    a gap, filled from `slots` or from the facts drawn for every story. A slot may use the slots
    before it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: Text
    slots: Mapping[str, NumberRange | Alternatives]
    article: Annotated[tuple[Alternatives, ...], Field(min_length=3)]
    summary: tuple[Opening, Alternatives, Alternatives]

    @model_validator(mode="after")
    def _gaps_can_be_filled(self) -> Self:
        known = set(_common_facts(Random(0)))
        for name, choices in self.slots.items():
            if not isinstance(choices, NumberRange):
                _check_gaps(choices, known)
            known.add(name)
        for position in (*self.article, *self.summary):
            _check_gaps(position, known)
        return self


def _check_gaps(texts: Sequence[str], known: set[str]) -> None:
    """Raise ValueError for braces that are not a gap, or a gap without values."""
    for text in texts:
        for _before, gap, layout, conversion in Formatter().parse(text):
            if gap is not None and (gap not in known or layout or conversion):
                raise ValueError(f"nothing fills the gap {{{gap}}} in {text!r}")


def read_stories(folder: Path = TEXTS) -> tuple[Story, ...]:
    """Return the stories of a folder, in the order of the files' names.

    Raises ValueError for a file of another form (as pydantic's `ValidationError`) or with the topic
    of another file.
    """
    stories = tuple(_read(path) for path in sorted(folder.glob("*.json")))
    topics = [story.topic for story in stories]
    if twice := {topic for topic in topics if topics.count(topic) > 1}:
        raise ValueError(f"two stories have the topic {', '.join(sorted(twice))}")
    return stories


def _read(path: Path) -> Story:
    try:
        return Story.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        error.add_note(f"In the file {path}.")
        raise


def fill_slots(schema: Story, rng: Random) -> dict[str, str]:
    """Draw one set of facts: places, people and dates, then the schema's own."""
    facts = _common_facts(rng)
    for name, choices in schema.slots.items():
        options: Sequence[str | int] = (
            choices.choices if isinstance(choices, NumberRange) else choices
        )
        facts[name] = _written(rng.choice(options)).format_map(facts)
    return facts


def _written(value: str | int) -> str:
    """Write numbers as newspapers do: small ones in words, large ones with a comma."""
    if isinstance(value, str):
        return value
    return vocabulary.SMALL_NUMBERS[value] if value < 10 else f"{value:,}"


def _common_facts(rng: Random) -> dict[str, str]:
    place, other = rng.sample(vocabulary.PLACES, 2)
    day, day2 = rng.sample(vocabulary.DAYS, 2)
    last, last2, last3 = rng.sample(vocabulary.LAST_NAMES, 3)
    women, men = vocabulary.WOMEN, vocabulary.MEN
    female = rng.random() < 0.5
    return {
        "place": place,
        "other": other,
        "day": day,
        "day2": day2,
        "month": rng.choice(vocabulary.MONTHS),
        "person": f"{rng.choice(women if female else men)} {last}",
        "she": "she" if female else "he",
        "her": "her" if female else "his",
        "him": "her" if female else "him",
        "person2": f"{rng.choice(women + men)} {last2}",
        "girl": f"{rng.choice(women)} {last3}",
    }


def render(template: str, facts: Mapping[str, str], repeat_names: bool = False) -> str:
    chosen = PRONOUN.sub(r"\2" if repeat_names else r"\1", template)
    sentence = chosen.format_map(facts)
    start = 1 if sentence.startswith('"') else 0
    return sentence[:start] + sentence[start].upper() + sentence[start + 1 :]
