"""Metrics that look for the text's words in the input's paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial

from estimation.metrics.base import Metric
from estimation.metrics.text import words


@lru_cache(maxsize=2048)  # all systems' outputs for an item share its paragraphs
def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    tokens = words(text)
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def support_n(text: str, paragraphs: Sequence[str], *, n: int) -> float:
    """Share of the text's n-grams found in the one paragraph that has most of them; range [0, 1].

    N-gram precision as in BLEU (Papineni et al. 2002): an n-gram counts at most as often as the
    paragraph has it. 0 where the text is shorter than n words or there are no paragraphs.
    """
    wanted = _grams(text, n)
    total = wanted.total()
    if not total:
        return 0.0
    found = ((wanted & _grams(paragraph, n)).total() for paragraph in paragraphs)
    return max(found, default=0) / total


METRICS: tuple[Metric, ...] = tuple(
    Metric(
        name=f"support_{n}",
        version="2",
        needs="paragraphs",
        description=f"Support: share of the text's {what} found in the input's best matching "
        "paragraph (0 to 1).",
        higher_is_better=True,
        function=partial(support_n, n=n),
    )
    for n, what in ((1, "words"), (2, "pairs of words"), (3, "3-grams of words"))
)
