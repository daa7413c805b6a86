"""Metrics that need only the text and look at its sentences, and at words said again and again.

Sentences end with a full stop, exclamation or question mark before white space, or with a line.
Abbreviations cut a sentence in two; that shortens sentences of all systems alike.
"""

from __future__ import annotations

import re
from collections import Counter

from estimation.metrics.base import Metric
from estimation.metrics.text import words

_END = re.compile(r"[.!?\u2026](?=\s|$)|[\u3002\uff01\uff1f]|\n")
# The work grows with the square of this.
_COMPARED = 100
# Shorter words are mostly articles, prepositions and pronouns, which every text repeats.
_CONTENT = 4


def _sentences(text: str) -> list[list[str]]:
    """The words of each sentence that has any."""
    return [found for found in map(words, _END.split(text)) if found]


def shortest_sentence(text: str) -> float:
    """Number of words of the shortest sentence; 0 for no words. Fragments show here."""
    return float(min((len(sentence) for sentence in _sentences(text)), default=0))


def sentence_overlap(text: str) -> float:
    """The largest share of a sentence's words that another sentence has as well; range [0, 1].

    Of two sentences, the words that both have over those of the one with fewer different words.
    The first 100 sentences are compared.
    """
    sets = [frozenset(sentence) for sentence in _sentences(text)[:_COMPARED]]
    pairs = ((one, other) for i, one in enumerate(sets) for other in sets[:i])
    return max((len(a & b) / min(len(a), len(b)) for a, b in pairs), default=0.0)


def says_again(text: str) -> float:
    """1 if any three words in a row occur twice, else 0.

    `repetition_3` says how much is repeated; people already mind that something is.
    """
    found = words(text)
    grams = [tuple(found[i : i + 3]) for i in range(len(found) - 2)]
    return float(len(set(grams)) < len(grams))


def most_repeated_word(text: str) -> float:
    """How often the most frequent word of four letters or more occurs; 0 without such a word."""
    counts = Counter(word for word in words(text) if len(word) >= _CONTENT)
    return float(max(counts.values(), default=0))


METRICS: tuple[Metric, ...] = (
    Metric(
        name="shortest_sentence",
        version="2",
        needs="nothing",
        description="Number of words of the shortest sentence.",
        higher_is_better=None,
        function=shortest_sentence,
    ),
    Metric(
        name="sentence_overlap",
        version="2",
        needs="nothing",
        description="Largest share of a sentence's words that another sentence repeats (0 to 1).",
        higher_is_better=False,
        function=sentence_overlap,
    ),
    Metric(
        name="says_again",
        version="2",
        needs="nothing",
        description="Whether any three words in a row occur twice (0 or 1).",
        higher_is_better=False,
        function=says_again,
    ),
    Metric(
        name="most_repeated_word",
        version="2",
        needs="nothing",
        description="How often the most frequent word of four letters or more occurs.",
        higher_is_better=False,
        function=most_repeated_word,
    ),
)
