"""Plants an objective defect in a clean text. What is planted is shown to a person before use."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
# A finite verb, and the form of it that does not agree with the same subject.
_PAIRS = "is are, was were, has have, ist sind, war waren, hat haben, wird werden"
_AGREEMENT = {
    one: other
    for pair in _PAIRS.split(", ")
    for one, other in (pair.split(), reversed(pair.split()))
}
LEAST_WORDS = 8
REPEATED, DROPPED_EACH = 3, 4  # words that stand twice; of so many words, one is left out


@dataclass(frozen=True)
class TextDefect:
    """A way to spoil a text. `plant` returns None where the text does not offer the means."""

    key: str
    label: str
    plant: Callable[[str, str, random.Random], str | None]


def _repeat(text: str, _other: str, draw: random.Random) -> str | None:
    """Write some words twice in a row, in two places."""
    words = text.split(" ")
    if len(words) < LEAST_WORDS:
        return None
    for start in sorted(draw.sample(range(0, len(words) - REPEATED, REPEATED), 2), reverse=True):
        words[start:start] = words[start : start + REPEATED]
    return " ".join(words)


def _drop(text: str, _other: str, draw: random.Random) -> str | None:
    """Leave out each fourth word."""
    words = text.split(" ")
    if len(words) < 2 * LEAST_WORDS:
        return None
    first = draw.randrange(1, DROPPED_EACH)
    kept = [w for n, w in enumerate(words) if n % DROPPED_EACH != first or n == len(words) - 1]
    return " ".join(kept)


def _foreign(text: str, other: str, draw: random.Random) -> str | None:
    """Put a sentence about something else between the sentences, or after the only one."""
    theirs = [one for one in _sentences(other) if len(one.split()) >= LEAST_WORDS // 2]
    if not theirs or other == text:
        return None
    mine = _sentences(text)
    mine.insert(max(1, len(mine) // 2), draw.choice(theirs))
    return " ".join(mine)


def _twice(text: str, _other: str, draw: random.Random) -> str | None:
    """Say a whole sentence a second time."""
    mine = _sentences(text)
    chosen = draw.randrange(len(mine))
    if len(mine[chosen].split()) < LEAST_WORDS // 2:
        return None
    return " ".join([*mine, mine[chosen]])


def _disagree(text: str, _other: str, _draw: random.Random) -> str | None:
    """Let every verb that is known here disagree with its subject."""
    words = text.split(" ")
    changed = [_AGREEMENT.get(word, word) for word in words]
    return " ".join(changed) if changed != words else None


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text.strip())


DEFECTS: dict[str, TextDefect] = {
    one.key: one
    for one in (
        TextDefect("repeated_words", "Some words stand twice in a row", _repeat),
        TextDefect("dropped_words", "Every fourth word is missing", _drop),
        TextDefect("foreign_sentence", "A sentence of another item is in it", _foreign),
        TextDefect("repeated_sentence", "A whole sentence is said twice", _twice),
        TextDefect("agreement", "Verbs that do not agree (English and German)", _disagree),
    )
}


def plant(key: str, texts: Sequence[str], *, seed: int, most: int) -> list[tuple[str, str]]:
    """Return up to `most` pairs of a clean text and the same text with this defect.

    texts: clean ones, each about another item. The same seed draws the same texts and places.
    """
    draw = random.Random(f"{seed}:{key}")
    order = list(range(len(texts)))
    draw.shuffle(order)
    found: list[tuple[str, str]] = []
    for at in order:
        if len(found) == most:
            break
        clean = texts[at]
        spoilt = DEFECTS[key].plant(clean, texts[order[order.index(at) - 1]], draw)
        if spoilt is not None and spoilt.split() != clean.split():
            found.append((clean, spoilt))
    return found
