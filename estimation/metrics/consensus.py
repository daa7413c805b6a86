"""Metrics that compare a text with what the other systems wrote for the same item.

Two systems that wrote the same text agree: it is among the others of either. A campaign's outputs
are fixed when it is created, so the others of an output never change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from estimation.metrics.base import Metric
from estimation.metrics.text import words


@lru_cache(maxsize=256)  # the outputs of an item, each compared with the others, come together
def _bag(text: str) -> Counter[str]:
    return Counter(words(text))


def consensus_f1(text: str, others: Sequence[str]) -> float:
    """Mean over the other texts of the F-measure of shared words (as ROUGE-1); range [0, 1].

    0 for two texts without words, and where there are no others.
    """
    return sum(_f1(_bag(text), _bag(other)) for other in others) / max(len(others), 1)


def _f1(first: Counter[str], second: Counter[str]) -> float:
    both = first.total() + second.total()
    return 2 * (first & second).total() / both if both else 0.0


def consensus_length(text: str, others: Sequence[str]) -> float:
    """By how many words the text is longer or shorter than the others on average; 0 or more."""
    if not others:
        return 0.0
    return abs(_bag(text).total() - sum(_bag(other).total() for other in others) / len(others))


METRICS: tuple[Metric, ...] = (
    Metric(
        name="consensus_f1",
        version="2",
        needs="others",
        description="Consensus: mean F-measure of the words shared with each of the other systems' "
        "outputs for the item (0 to 1).",
        higher_is_better=None,
        function=consensus_f1,
    ),
    Metric(
        name="consensus_length",
        version="2",
        needs="others",
        description="Consensus: by how many words the text is longer or shorter than the other "
        "systems' outputs for the item on average (0 = as long, unbounded).",
        higher_is_better=None,
        function=consensus_length,
    ),
)
