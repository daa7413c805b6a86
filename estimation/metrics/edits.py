"""Distances between an output and an annotator's edit of it (the criterion `edit`)."""

from __future__ import annotations

from estimation.metrics.ter import edit_rate
from estimation.metrics.text import cut, normalise, treebank_tokens

# Changes whenever a value of `hter` changes: no sample mixes two. 1: sacrebleu's TER, unbounded;
# 2: tokens end at blanks alone.
HTER_VERSION = "3"
LONG = 5_000  # characters: up to here `hter` takes well under a second


class EmptyEditError(ValueError):
    """HTER divides by the length of the edit, so an edit without tokens has no HTER."""


def levenshtein(a: str, b: str) -> int:
    """Return the number of characters inserted, deleted or replaced between two texts.

    Parameters
    ----------
    a, b : str
        The texts; both are normalised first.

    Returns
    -------
    int
        In code points.

    Examples
    --------
    >>> from estimation.metrics import levenshtein
    >>> levenshtein("kitten", "sitting")
    3
    """
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(normalise(a), normalise(b)))


def takes_long(output: str, edit: str) -> bool:
    """Whether `hter` of these two texts may take seconds.

    Parameters
    ----------
    output, edit : str
        As in `hter`.

    Returns
    -------
    bool
        True from 5,001 characters on.

    Examples
    --------
    >>> from estimation.metrics import takes_long
    >>> takes_long("short", "x" * 10_000)
    True
    """
    return max(len(output), len(edit)) > LONG


def hter(output: str, edit: str, *, version: str = HTER_VERSION) -> float:
    """Return the TER of an output against the annotator's edit of it: the criterion `edit`.

    (insertions + deletions + substitutions + shifts) / tokens of the edit [1]_, case kept, with
    nltk's Treebank tokens, both texts normalised; in scripts without blanks each character is a
    token. Tercom's beam overstates a long deletion (about
    90 words and more). A few milliseconds for 100 words, seconds for 50,000 characters.

    Parameters
    ----------
    output : str
        What the system wrote.
    edit : str
        The annotator's correction; not empty.
    version : str, default HTER_VERSION
        "2" for the tokens of campaigns from before 0.2.0, which end at blanks alone.

    Returns
    -------
    float
        0 for equal texts and 1 for an empty output; unbounded above, because the deletion of most
        of a text leaves few tokens to divide by.

    Raises
    ------
    EmptyEditError
        The edit is empty or white space, even when the output is empty too.

    References
    ----------
    .. [1] M. Snover, B. Dorr, R. Schwartz, L. Micciulla and J. Makhoul (2006). A study of
       translation edit rate with targeted human annotation. AMTA 2006, 223-231.

    Examples
    --------
    >>> from estimation.metrics import hter
    >>> hter("the cat sat", "the cat sat")
    0.0
    >>> round(hter("sat the cat down", "the cat sat"), 2)
    0.67
    """
    output, edit = normalise(output), normalise(edit)
    if not edit:
        raise EmptyEditError("The edit is empty: there is nothing to measure the output against.")
    if output == edit:
        return 0.0
    return edit_rate(*(_tokens(text, by_blanks=version == "2") for text in (output, edit)))


def _tokens(text: str, *, by_blanks: bool) -> list[str]:
    """Treebank tokens, cut once more at any white space that is left in them."""
    tokens = " ".join(treebank_tokens(text)).split()
    return tokens if by_blanks else [one for token in tokens for one in cut(token)]
