"""What each answer says beyond its person's level and beyond the other answers of its judgment."""

from dataclasses import dataclass

import numpy as np

from annotate.screening.base import Columns
from annotate.screening.coding import Code, beyond, coded, normal, ranked, usual_rows
from annotate.screening.crowd import Mask
from estimation.core import Floats, Ints

# The weight of "as all others" beside a person's own level, in judgments.
_LEVEL = 6.0
# The weight of "unrelated" beside the campaign's own correlations, in judgments.
_UNRELATED = 60.0
_TURNING = 2  # kinds of directions that the order of verdicts has: it can be upside down


@dataclass(frozen=True, eq=False)
class Apart:
    """z: (T, D) what each judgment says in D directions. kinds: (D,) which of them are alike.

    turning: (D,) which of them say the opposite when answers are upside down.
    """

    z: Floats
    kinds: Ints
    turning: Mask


def apart(columns: Columns, yardstick: Mask | None = None) -> Apart:
    """Return what answers say, less a person's level, in directions that are unrelated.

    A person's level says nothing about a text, and neither does how much two criteria always go
    together: an answer that follows from the one beside it is not a second opinion. So the criteria
    are turned to their principal components, each of variance 1. Of paragraphs, which have no
    names, the mean of a judgment is one direction, and the differences from it are the others; and
    so is what verdicts say beyond their order.

    yardstick: (A,) whose answers say what is usual; by default everybody's. Who always gives one
    answer would make the others' answers look extreme, and criteria look alike.
    """
    usual = usual_rows(columns, yardstick)
    blocks = [_criteria(columns, usual)]
    if columns.verdicts is not None:
        blocks += [part for code in (ranked, beyond) for part in _verdicts(columns, usual, code)]
    first = blocks[0].shape[1]
    kinds = [np.arange(first), *(np.full(b.shape[1], first + k) for k, b in enumerate(blocks[1:]))]
    every = np.concatenate(kinds)
    return Apart(np.column_stack(blocks), every, every < first + _TURNING)


def _criteria(columns: Columns, usual: Mask) -> Floats:
    """Return (T, C) the answers that have names, of which the ratings are made unrelated."""
    asked = len(columns.scores)
    named = columns.answers[:, : asked + (columns.plausible is not None)]
    z = np.empty(named.shape)
    for column in range(named.shape[1]):
        z[:, [column]] = _beyond_level(columns, coded(named[:, [column]], usual, normal))
    if asked > 1 and np.isfinite(z[:, :asked]).all():
        z[:, :asked] = _decorrelated(z[:, :asked], usual)
    return z


def _verdicts(columns: Columns, usual: Mask, code: Code) -> tuple[Floats, Floats]:
    """Return (T, P) what differs from the mean of a judgment, and (T, 1) the mean."""
    assert columns.verdicts is not None
    z = _beyond_level(columns, coded(columns.verdicts, usual, code))
    mean, rest = _mean_and_rest(z - _usual_of_place(z[usual]), usual)
    return rest, mean[:, None]


def _beyond_level(columns: Columns, z: Floats) -> Floats:
    return np.asarray(z - _level(columns, z)[columns.who][:, None])


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
