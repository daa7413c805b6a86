"""Thin evidence: highlights without the words that matter."""

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns, Highlights, ScreenFinding, finding, share_bounds, tail
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints

WAYS = ("one_word", "whole", "disjoint")


class EvidenceThresholds(Thresholds):
    """More than `share` of the judgments have thin highlights, of one of three kinds.

    whole: the share of a paragraph's words from which it counts as highlighted completely.
    paragraph: shorter paragraphs (in words) are ignored, because highlighting all of them is
        normal.
    """

    share: float = between(0.5, 0.1, 0.99)
    whole: float = between(0.9, 0.5, 1)
    paragraph: int = between(20, 2, 1000)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find(columns: Columns, own: EvidenceThresholds, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose share of thin judgments exceeds `share` with confidence.

    Judgments are counted, because the highlights of one judgment resemble each other. A judgment is
    thin in one of three ways if more than half of its highlights are: one word; (nearly) the whole
    paragraph; no word in common with the highlights of anyone else with the same verdict there.
    value, interval and n belong to the way with the highest lower bound.
    """
    people = columns.people.size
    found = columns.highlights
    if found is None or columns.verdicts is None:
        nothing = np.zeros(people)
        return finding(
            "thin_evidence",
            columns,
            evidence=nothing,
            past=nothing,
            value=nothing * np.nan,
            threshold=own.share,
            n=nothing.astype(np.int64),
            enough=nothing,
        )
    counts = np.stack([_judgments(columns, found, way) for way in _signs(columns, found, own)])
    thin, n = counts[:, 0], counts[:, 1]
    low, high = share_bounds(thin, n, own.level)
    low = np.where(n >= own.minimum, low, 0.0)
    worst, j = low.argmax(axis=0), np.arange(people)
    share = thin / np.where(n > 0, n, np.nan)
    return finding(
        "thin_evidence",
        columns,
        evidence=tail(thin, n, own.share)[worst, j],
        past=low[worst, j] > own.share,
        value=share[worst, j],
        low=low[worst, j],
        high=high[worst, j],
        threshold=own.share,
        n=n[worst, j].astype(np.int64),
        enough=(n[worst, j] >= own.minimum) & (people > 1),
        numbers={name: share[row] for row, name in enumerate(WAYS)},
    )


def _signs(columns: Columns, found: Highlights, own: EvidenceThresholds) -> list[Floats]:
    """Return (H,) for each way: 1 thin, 0 not, NaN if unknown."""
    words = np.array([len(tokens) for tokens in found.tokens], dtype=np.float64)
    long_ = found.length >= own.paragraph
    one = np.where(found.length > 1, words <= 1, np.nan)
    whole = np.where(long_, words >= own.whole * found.length, np.nan)
    return [one, whole, _disjoint(columns, found)]


def _disjoint(columns: Columns, found: Highlights) -> Floats:
    """Return (H,) 1 if no other with this verdict shares a word, NaN if there is no other."""
    assert columns.verdicts is not None
    verdict = columns.verdicts[found.judgment, found.paragraph]
    place = _numbered(columns.output[found.judgment], found.paragraph, verdict)
    signs = np.full(len(found.tokens), np.nan)
    shared = np.flatnonzero(np.bincount(place, minlength=1)[place] > 1)
    if not shared.size:
        return signs
    size = [len(found.tokens[h]) for h in shared.tolist()]
    row = np.repeat(np.arange(shared.size), size)
    word = np.fromiter(chain.from_iterable(found.tokens[h] for h in shared.tolist()), np.int64)
    same = _numbered(place[shared][row], word)
    # A judgment highlights a paragraph once, so a word that comes twice was marked by two people.
    agreed = np.bincount(row, np.bincount(same)[same] > 1, shared.size)
    signs[shared] = agreed == 0
    return signs


def _numbered(*columns: NDArray[Any]) -> Ints:
    """Return one number for the rows with the same values in all columns, from 0 without gaps."""
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, which = np.unique(column, return_inverse=True)
        found = np.unique(found * values.size + which, return_inverse=True)[1]
    return found


def _judgments(columns: Columns, found: Highlights, sign: Floats) -> Floats:
    """Return (2, A) how many judgments are thin in this way, and for how many it is known."""
    told = np.isfinite(sign)
    size, people = len(columns.who), columns.people.size
    n = np.bincount(found.judgment[told], minlength=size)
    thin = np.bincount(found.judgment[told], sign[told], minlength=size)
    rows: Ints = np.flatnonzero(n)
    mostly = rows[thin[rows] > n[rows] / 2]
    return np.stack([np.bincount(columns.who[r], minlength=people) for r in (mostly, rows)])
