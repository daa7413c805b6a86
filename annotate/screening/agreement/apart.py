"""What each answer says beyond its person's level and beyond the other answers of its judgment."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from annotate.screening.grouping import levels
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
    def there(self) -> Mask | None:
        """Return (D, T) whether something is said, None if always."""
        found = np.isfinite(self.z)
        return None if found.all() else np.ascontiguousarray(found.T)

    @cached_property
    def filled(self) -> Floats:
        """Return (D, T) what is said, and 0 where nothing is."""
        return np.ascontiguousarray(np.where(np.isfinite(self.z), self.z, 0.0).T)


def apart(columns: Columns, yardstick: Mask | None = None) -> Apart:
    """Return answers as standard ranks, less a person's level, in directions that are unrelated.

    A person's level says nothing about a text, and neither does how much two criteria always go
    together: an answer that follows from the one beside it is not a second opinion. So the criteria
    are turned to their principal components, each of variance 1. Of paragraphs, which have no
    names, the mean of a judgment is one direction, and the differences from it are the others.

    yardstick: (A,) whose answers say what is usual; by default everybody's. Who always gives one
    answer would make the others' answers look extreme, and criteria look alike.
    """
    usual = _usual(columns, yardstick)
    z = standard_ranks(columns.answers, columns.kinds, usual)
    for kind in np.unique(columns.kinds):
        at = columns.kinds == kind
        z[:, at] -= _level(columns, z[:, at])[columns.who][:, None]
    asked = len(columns.scores)
    if asked > 1 and np.isfinite(z[:, :asked]).all():
        z[:, :asked] = _decorrelated(z[:, :asked], usual)
    if columns.verdicts is None:
        return Apart(z, columns.kinds)
    first = z.shape[1] - columns.verdicts.shape[1]
    z[:, first:] -= _usual_of_place(z[usual, first:])
    mean, rest = _mean_and_rest(z[:, first:], usual)
    kinds = np.append(columns.kinds, columns.kinds.max(initial=0) + 1)
    return Apart(np.column_stack([z[:, :first], rest, mean]), kinds)


def _usual(columns: Columns, yardstick: Mask | None) -> Mask:
    """Return (T,) the judgments that say what is usual: all, where nobody is a yardstick."""
    found = np.ones(columns.who.size, dtype=bool) if yardstick is None else yardstick[columns.who]
    return found if found.any() else ~found


def standard_ranks(answers: Floats, kinds: Ints, usual: Mask) -> Floats:
    """Return (T, C) mid-ranks among the `usual` (T,) judgments, per kind of column.

    Of these the mean is 0 and the variance 1; 0 without variation.
    """
    z = np.full(answers.shape, np.nan)
    for kind in np.unique(kinds):
        block = answers[:, kinds == kind]
        there = np.isfinite(block)
        among = (there & usual[:, None])[there]
        rank = _mid_ranks(block[there], among)
        spread = rank[among].std() if among.any() else 0.0
        filled = np.full(block.shape, np.nan)
        filled[there] = (rank - rank[among].mean()) / spread if spread > 0 else 0.0
        z[:, kinds == kind] = filled
    return z


def _level(columns: Columns, z: Floats) -> Floats:
    """Return (A,) the mean of each person's answers of one kind, nearer 0 the fewer there are."""
    people, there = columns.people.size, np.isfinite(z)
    total = np.bincount(columns.who, np.where(there, z, 0.0).sum(axis=1), people)
    answers = np.bincount(columns.who, there.sum(axis=1), people)
    n = np.bincount(columns.who, there.any(axis=1), people)
    return np.asarray(total / np.maximum(answers, 1) * n / (n + _LEVEL))


def _decorrelated(z: Floats, usual: Mask) -> Floats:
    """Return the principal components, each of variance 1; while data are few, nearly z itself."""
    own = z if usual.all() else z[usual]
    spread = (own**2).sum() / max(own.size, 1)
    if spread == 0:
        return z
    shared = (own.T @ own + _UNRELATED * spread * np.eye(z.shape[1])) / (len(own) + _UNRELATED)
    values, vectors = np.linalg.eigh(shared)
    return np.asarray(z @ (vectors / np.sqrt(np.maximum(values, 1e-3 * spread))))


def _usual_of_place(z: Floats) -> Floats:
    """Return (P,) the mean of each paragraph, nearer 0 the fewer there are.

    What is found first often says more; whoever knows that has not read it.
    """
    there = np.isfinite(z)
    return np.asarray(np.where(there, z, 0.0).sum(axis=0) / (there.sum(axis=0) + _UNRELATED))


def _mean_and_rest(z: Floats, usual: Mask) -> tuple[Floats, Floats]:
    """Return (T,) means, and (T, P) differences from them; usual ones have variance 1, or 0."""
    there = np.isfinite(z)
    n = there.sum(axis=1)
    known = n > 0
    mean = np.where(known, np.where(there, z, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)
    rest = z - mean[:, None]
    whole = mean * np.sqrt(n)
    own = known & usual
    spread = np.nansum(rest[own] ** 2) / max(float((n[own] - 1).sum()), 1.0)
    wide = np.nansum(whole[own] ** 2) / max(float(own.sum()), 1.0)
    return whole / np.sqrt(max(wide, 1e-9)), rest / np.sqrt(max(spread, 1e-9))


def _mid_ranks(values: Floats, among: Mask) -> Floats:
    """Return the ranks, from 1, of all values among those of the mask; equal ones share theirs.

    Where all are, it equals `scipy.stats.rankdata`, whose import would take 60 MB in every process
    that may screen.
    """
    different, which, n = levels(values)
    if not among.all():
        n = np.bincount(which[among], minlength=different.size)
    return (np.cumsum(n) - (n - 1) / 2)[which]
