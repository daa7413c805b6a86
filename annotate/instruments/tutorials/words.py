"""Compares texts by their words, for the rules of tutorials."""

import re
from collections.abc import Sequence

from estimation.metrics import normalise

WORD = re.compile(r"\w+(?:['’]\w+)*")


def plain(text: str) -> str:
    """Return the normalised text: single spaces, lower case, plain quotation marks."""
    return " ".join(normalise(text).replace("’", "'").casefold().split())


def same_words(one: str, other: str) -> bool:
    return plain(one) == plain(other)


def count(text: str, string: str) -> int:
    """Return how often `string` occurs in `text` as whole words."""
    wanted = re.escape(plain(string))
    return len(re.findall(rf"(?<!\w){wanted}(?!\w)", plain(text)))


def tokens_within(text: str, spans: Sequence[Sequence[int]]) -> set[int]:
    """Return the numbers of the words of `text` that these spans touch."""
    return {
        number
        for number, word in enumerate(WORD.finditer(text))
        if any(start < word.end() and word.start() < end for start, end in spans)
    }
