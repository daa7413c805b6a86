"""Distances between an output and what an annotator made of it (the criterion `edit`)."""

from __future__ import annotations

from estimation.metrics.ter import edit_rate
from estimation.metrics.text import normalise
from estimation.metrics.treebank import treebank_tokens

__all__ = ["HTER_VERSION", "EmptyEditError", "hter", "levenshtein", "normalise", "takes_long"]

# Changes whenever a value of `hter` changes: no sample mixes two. 1: sacrebleu's TER, unbounded.
HTER_VERSION = "2"
LONG = 5_000  # characters: up to here `hter` takes well under a second


class EmptyEditError(ValueError):
    """HTER divides by the length of the edit, so an edit without any token has none."""


def levenshtein(a: str, b: str) -> int:
    """Characters (code points) inserted, deleted or replaced between `a` and `b`, normalised."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(normalise(a), normalise(b)))


def takes_long(output: str, edit: str) -> bool:
    """Whether `hter` of these two may take seconds."""
    return max(len(output), len(edit)) > LONG


def hter(output: str, edit: str) -> float:
    """TER with shifts of `output` against the annotator's `edit`: the score of criterion `edit`.

    (insertions + deletions + substitutions + shifts) / tokens of the edit (`ter.edit_rate`), case
    kept, nltk Treebank tokens, both texts normalised. 0 when equal; **unbounded above** (deleting
    most of a text gives several). An empty output scores 1. Snover et al. (2006). Tercom's beam
    overstates a long deletion (about 90 words and more). A few milliseconds for 100 words, seconds
    for 50,000 characters.

    Raises EmptyEditError if the edit is empty or white space, even when the output is too.
    """
    output, edit = normalise(output), normalise(edit)
    if not edit:
        raise EmptyEditError("The edit is empty: there is nothing to measure the output against.")
    if output == edit:
        return 0.0
    return edit_rate(_tokens(output), _tokens(edit))


def _tokens(text: str) -> list[str]:
    """Treebank tokens, cut once more at any white space that is left in them."""
    return " ".join(treebank_tokens(text)).split()
