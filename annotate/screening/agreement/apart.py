"""What each answer says beyond its person's level and beyond the other answers of its judgment."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns
from annotate.screening.grouping import levels, once
from estimation.core import Floats, Ints

# The weight of "as all others" beside a person's own level, in judgments.
_LEVEL = 6.0
# The weight of "unrelated" beside the campaign's own correlations, in judgments.
_UNRELATED = 60.0


@dataclass(frozen=True, eq=False)
class Apart:
    """z: (T, D) what each judgment says in D directions. kinds: (D,) which of them are alike."""

    z: Floats
    kinds: Ints

    @cached_property
    def there(self) -> NDArray[np.bool_] | None:
        """Return (D, T) whether something is said, None if always."""
        found = np.isfinite(self.z)
        return None if found.all() else np.ascontiguousarray(found.T)

    @cached_property
    def filled(self) -> Floats:
        """Return (D, T) what is said, and 0 where nothing is."""
        return np.ascontiguousarray(np.where(np.isfinite(self.z), self.z, 0.0).T)


@once
def apart(columns: Columns) -> Apart:
    """Return answers as standard ranks, less a person's level, in directions that are unrelated.

    A person's level says nothing about a text, and neither does how much two criteria always go
    together: an answer that follows from the one beside it is not a second opinion. So the criteria
    are turned to their principal components, each of variance 1. Of paragraphs, which have no
    names, the mean of a judgment is one direction, and the differences from it are the others.
    """
    z = standard_ranks(columns.answers, columns.kinds)
    for kind in np.unique(columns.kinds):
        at = columns.kinds == kind
        z[:, at] -= _level(columns, z[:, at])[columns.who][:, None]
    asked = len(columns.scores)
    if asked > 1 and np.isfinite(z[:, :asked]).all():
        z[:, :asked] = _decorrelated(z[:, :asked])
    if columns.verdicts is None:
        return Apart(z, columns.kinds)
    first = z.shape[1] - columns.verdicts.shape[1]
    z[:, first:] -= _usual_of_place(z[:, first:])
    mean, rest = _mean_and_rest(z[:, first:])
    kinds = np.append(columns.kinds, columns.kinds.max(initial=0) + 1)
    return Apart(np.column_stack([z[:, :first], rest, mean]), kinds)


def standard_ranks(answers: Floats, kinds: Ints) -> Floats:
    """Return (T, C) mid-ranks, mean 0 and variance 1 per kind of column; 0 without variation."""
    z = np.full(answers.shape, np.nan)
    for kind in np.unique(kinds):
        block = answers[:, kinds == kind]
        there = np.isfinite(block)
        rank = _mid_ranks(block[there])
        spread = rank.std() if rank.size else 0.0
        filled = np.full(block.shape, np.nan)
        filled[there] = (rank - rank.mean()) / spread if spread > 0 else 0.0
        z[:, kinds == kind] = filled
    return z


def _level(columns: Columns, z: Floats) -> Floats:
    """Return (A,) the mean of each person's answers of one kind, nearer 0 the fewer there are."""
    people, there = columns.people.size, np.isfinite(z)
    total = np.bincount(columns.who, np.where(there, z, 0.0).sum(axis=1), people)
    answers = np.bincount(columns.who, there.sum(axis=1), people)
    n = np.bincount(columns.who, there.any(axis=1), people)
    return np.asarray(total / np.maximum(answers, 1) * n / (n + _LEVEL))


def _decorrelated(z: Floats) -> Floats:
    """Return the principal components, each of variance 1; while data are few, nearly z itself."""
    spread = (z**2).sum() / max(z.size, 1)
    if spread == 0:
        return z
    shared = (z.T @ z + _UNRELATED * spread * np.eye(z.shape[1])) / (len(z) + _UNRELATED)
    values, vectors = np.linalg.eigh(shared)
    return np.asarray(z @ (vectors / np.sqrt(np.maximum(values, 1e-3 * spread))))


def _usual_of_place(z: Floats) -> Floats:
    """Return (P,) the mean of each paragraph, nearer 0 the fewer there are.

    What is found first often says more; whoever knows that has not read it.
    """
    there = np.isfinite(z)
    return np.asarray(np.where(there, z, 0.0).sum(axis=0) / (there.sum(axis=0) + _UNRELATED))


def _mean_and_rest(z: Floats) -> tuple[Floats, Floats]:
    """Return (T,) means, and (T, P) differences from them, each direction of variance 1 or 0."""
    there = np.isfinite(z)
    n = there.sum(axis=1)
    known = n > 0
    mean = np.where(known, np.where(there, z, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)
    rest = z - mean[:, None]
    whole = mean * np.sqrt(n)
    spread = np.nansum(rest**2) / max(float((n[known] - 1).sum()), 1.0)
    wide = np.nansum(whole**2) / max(float(known.sum()), 1.0)
    return whole / np.sqrt(max(wide, 1e-9)), rest / np.sqrt(max(spread, 1e-9))


def _mid_ranks(values: Floats) -> Floats:
    """Return ranks from 1; equal values share their mean rank.

    It equals `scipy.stats.rankdata`, whose import would take 60 MB in every process that may
    screen.
    """
    _different, which, n = levels(values)
    return (np.cumsum(n) - (n - 1) / 2)[which]
