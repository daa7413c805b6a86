"""Metrics that need only the text. Those of repetition find what people mark as redundant."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import pairwise

from estimation.metrics.base import Metric
from estimation.metrics.text import cut, words

_UNKNOWN = re.compile(r"<unk>|\[unk\]|\b(?-i:UNK)\b|[\u2583\u25a0]", re.IGNORECASE)
_PLACEHOLDER = "\u2583"


def repetition_n(text: str, *, n: int) -> float:
    """Share of the text's n-grams that occurred earlier in it: 1 - distinct / all; 0 if none.

    Range [0, 1). (1 - "distinct-n" of Li et al. 2016, https://aclanthology.org/N16-1014.)
    """
    return _repeated(words(text), n)


def _repeated(tokens: list[str], n: int) -> float:
    total = len(tokens) - n + 1
    if total < 1:
        return 0.0
    return 1 - len({tuple(tokens[i : i + n]) for i in range(total)}) / total


def adjacent_duplicates(text: str) -> float:
    """Share of neighbouring pairs of words that are the same word twice; range [0, 1]."""
    return _adjacent(words(text))


def _adjacent(tokens: list[str]) -> float:
    if len(tokens) < 2:
        return 0.0
    return sum(a == b for a, b in pairwise(tokens)) / (len(tokens) - 1)


def repetition(text: str) -> float:
    """Mean of repetition_1, _2 and _3, plus adjacent_duplicates; range [0, 2).

    One number for two failures: repeated sentences (the n-grams) and a stuck decoder ("the the
    the": rare, but people penalise it, so it is not averaged away). It replaces its parts because
    it is close to the best part for every system of the released judgments.
    """
    tokens = words(text)
    return sum(_repeated(tokens, n) for n in (1, 2, 3)) / 3 + _adjacent(tokens)


def repetition_edit(text: str) -> float:
    """The edit (as HTER) that deleting every repeated word would be: r / (1 - r); 0 for no words.

    r is the share of words that belong to a bigram seen before or repeat their neighbour. HTER
    divides by the length of the *edited* text, so deleting a share r costs r / (1 - r): unbounded
    above, as the human scores are. The first word is never a repeat: finite, at most words - 1.
    """
    tokens = words(text)
    repeats = _repeated_positions(tokens)
    return len(repeats) / (len(tokens) - len(repeats)) if tokens else 0.0


def _repeated_positions(tokens: list[str]) -> set[int]:
    seen: set[tuple[str, str]] = set()
    repeats: set[int] = set()
    for i, pair in enumerate(pairwise(tokens)):
        if pair in seen:
            repeats |= {i, i + 1}
        elif pair[0] == pair[1]:
            repeats.add(i + 1)
        seen.add(pair)
    return repeats


def length(text: str) -> float:
    """Pieces between blanks with at least one letter, digit or symbol; see `cut` for the others."""
    return float(sum(1 for piece in text.split() for one in cut(piece) if words(one)))


def unknown_tokens(text: str) -> float:
    """Share of words that are a symbol for an unknown word; range [0, 1].

    The symbols: <unk> and [UNK] in any case, UNK in capitals only, U+2583, U+25A0.
    """
    tokens = words(_UNKNOWN.sub(f" {_PLACEHOLDER} ", text))
    return tokens.count(_PLACEHOLDER) / len(tokens) if tokens else 0.0


# --- Sentences, and words said again and again.
#
# Sentences end with a full stop, exclamation or question mark before white space, or with a line.
# Abbreviations cut a sentence in two; that shortens sentences of all systems alike.


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


_metric = partial(Metric, version="2", needs="nothing")

METRICS: tuple[Metric, ...] = (
    _metric(
        name="repetition",
        description="Repetition: mean share of repeated 1-, 2- and 3-grams plus the share of "
        "words doubled on the spot (0 = none, below 2).",
        higher_is_better=False,
        function=repetition,
        efficiency={"fluency": 1.047, "redundancy": 1.327, "overall": 1.116, "edit": 1.429},
    ),
    _metric(
        name="repetition_edit",
        description="Edit that would delete what is repeated, on the scale of HTER "
        "(0 = nothing to delete, unbounded).",
        higher_is_better=False,
        function=repetition_edit,
    ),
    *(
        _metric(
            name=f"repetition_{n}",
            description=f"Share of {n}-grams of words that occurred earlier in the text (0 to 1).",
            higher_is_better=False,
            function=partial(repetition_n, n=n),
        )
        for n in (1, 2, 3)
    ),
    _metric(
        name="adjacent_duplicates",
        description="Share of neighbouring words that are the same word twice (0 to 1).",
        higher_is_better=False,
        function=adjacent_duplicates,
    ),
    _metric(name="length", description="Number of words.", higher_is_better=None, function=length),
    _metric(
        name="unknown_tokens",
        description="Share of words that are a symbol for an unknown word (0 to 1).",
        higher_is_better=False,
        function=unknown_tokens,
    ),
    _metric(
        name="shortest_sentence",
        description="Number of words of the shortest sentence.",
        higher_is_better=None,
        function=shortest_sentence,
    ),
    _metric(
        name="sentence_overlap",
        description="Largest share of a sentence's words that another sentence repeats (0 to 1).",
        higher_is_better=False,
        function=sentence_overlap,
    ),
    _metric(
        name="says_again",
        description="Whether any three words in a row occur twice (0 or 1).",
        higher_is_better=False,
        function=says_again,
    ),
    _metric(
        name="most_repeated_word",
        description="How often the most frequent word of four letters or more occurs.",
        higher_is_better=False,
        function=most_repeated_word,
    ),
)
