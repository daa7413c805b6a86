"""Distances between an output and what an annotator made of it (the criterion `edit`)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from estimation.metrics.text import normalise
from estimation.metrics.treebank import treebank_tokens

if TYPE_CHECKING:
    from sacrebleu.metrics.ter import TER

__all__ = ["EmptyEditError", "hter", "levenshtein", "normalise"]


class EmptyEditError(ValueError):
    """HTER divides by the length of the edit, so an edit without any token has none."""


def levenshtein(a: str, b: str) -> int:
    """Characters (code points) inserted, deleted or replaced between `a` and `b`, normalised."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(normalise(a), normalise(b)))


@cache
def _ter() -> TER:
    from sacrebleu.metrics.ter import TER

    return TER(case_sensitive=True)


def hter(output: str, edit: str) -> float:
    """TER with shifts of `output` against the annotator's `edit`: the score of criterion `edit`.

    (insertions + deletions + substitutions + shifts) / tokens of the edit, by sacrebleu, case
    kept, nltk Treebank tokens, both texts normalised. 0 when equal; **unbounded above** (deleting
    most of a text gives several). An empty output scores 1. Snover et al. (2006). Tercom's beam
    overstates a long deletion (about 90 words and more). Slow: 10 ms for 60 words, seconds from
    200 words on if the edit is a rewrite.

    Raises EmptyEditError if the edit is empty or white space, even when the output is too.
    """
    output, edit = normalise(output), normalise(edit)
    if not edit:
        raise EmptyEditError("The edit is empty: there is nothing to measure the output against.")
    if output == edit:
        return 0.0
    hypothesis, reference = (" ".join(treebank_tokens(text)) for text in (output, edit))
    return float(_ter().sentence_score(hypothesis, [reference]).score) / 100
