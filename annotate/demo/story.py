"""A story schema: the sentences of a news item with gaps, and how the gaps are filled."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from annotate.demo import vocabulary

Slots = Mapping[str, Sequence[str] | Sequence[int]]
Positions = tuple[tuple[str, ...], ...]

# <it|the library>: the pronoun a writer would use, and the name a clumsy system repeats.
PRONOUN = re.compile(r"<([^<>|]*)\|([^<>|]*)>")


@dataclass(frozen=True)
class Story:
    """Each position of article and summary holds sentences that say the same in other words."""

    topic: str
    slots: Slots
    article: Positions
    summary: Positions


def story(topic: str, slots: Slots, article: str, summary: str) -> Story:
    return Story(topic, slots, _positions(article), _positions(summary))


def _positions(block: str) -> Positions:
    """Blank lines separate positions; a line that begins with a slash opens an alternative."""
    return tuple(
        tuple(" ".join(variant.split()) for variant in position.split("\n/ "))
        for position in block.strip().split("\n\n")
    )


def fill_slots(schema: Story, rng: Random) -> dict[str, str]:
    """Draw one set of facts: places, people and dates, then what the schema asks for."""
    facts = _common_facts(rng)
    for name, choices in schema.slots.items():
        facts[name] = _written(rng.choice(list[str | int](choices))).format_map(facts)
    return facts


def _written(value: str | int) -> str:
    """Numbers as a newspaper prints them: small ones in words, large ones with a comma."""
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
