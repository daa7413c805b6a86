"""Least squares on a few metrics, with and without weights: for the difference of two systems."""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.incidence import Floats
from estimation.core.estimators.notices import Code
from estimation.core.estimators.parts import ItemPart


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """slopes: (p,), 0 in directions in which the rows do not vary. rank: how many do."""

    slopes: Floats
    rank: int


def least_squares(x: Floats, y: Floats, weight: Floats) -> Line:
    """Weighted least squares of y (n,) on x (n, p) and an intercept; weight (n,) sums to 1."""
    root = np.sqrt(weight)
    about_x, about_y = x - weight @ x, y - weight @ y
    basis = _directions(about_x * root[:, None], float((weight @ x**2).max(initial=0.0)))
    if not basis.shape[1]:
        return Line(np.zeros(x.shape[1]), 0)
    found, *_ = np.linalg.lstsq(about_x @ basis * root[:, None], about_y * root, rcond=None)
    return Line(basis @ found, basis.shape[1])


def guarded(x: Floats, y: Floats, ends: Floats) -> ItemPart:
    """The item part of ordinary least squares with pseudo-rows y = `ends` at x = 0.

    centre: the intercept. variance: s² [(X'X)^-1]_00, s² = RSS / (rows - parameters). df: n less
    parameters.
    """
    # Directions without variation are left out before the pseudo-rows seem to vary in them.
    basis = _directions(x - x.mean(axis=0), float((x**2).mean(axis=0).max(initial=0.0)))
    rows = np.vstack([x @ basis, np.zeros((ends.size, basis.shape[1]))])
    scores = np.r_[y, ends]
    q, r = np.linalg.qr(np.column_stack([np.ones(scores.size), rows]))
    inverse, along = np.linalg.inv(r), q.T @ scores
    left = scores.size - 1 - basis.shape[1]
    rss = float(((scores - q @ along) ** 2).sum())
    variance = rss / left * float((inverse[0] ** 2).sum()) if left >= 1 else float("nan")
    centre, df = float(inverse[0] @ along), y.size - 1.0 - basis.shape[1]
    return ItemPart(np.asarray(centre), np.asarray(variance), np.asarray(df))


def about_line(line: Line, x: Floats, y: Floats, weight: Floats) -> frozenset[Code]:
    """The notices about metrics that apply to a fit of y (n,) on x (n, p), p > 0.

    They do not help yet where (n - 2) R² <= rank: fitting costs more than it removes.
    """
    left = y - x @ line.slopes
    about = float(weight @ (y - weight @ y) ** 2)
    removed = about - float(weight @ (left - weight @ left) ** 2)
    applies: dict[Code, bool] = {
        "constant_metric": line.rank == 0,
        "constant_columns": 0 < line.rank < x.shape[1] and bool((np.ptp(x, axis=0) == 0).any()),
        "not_helping_yet": line.rank > 0 and (y.size - 2) * removed <= line.rank * about,
    }
    return frozenset(code for code, true in applies.items() if true)


def _directions(rows: Floats, size_of_x: float) -> Floats:
    """(p, r) an orthonormal basis of the directions in which centred rows (n, p) vary."""
    if not rows.size:
        return np.zeros((rows.shape[1], 0))
    _, size, right = np.linalg.svd(rows, full_matrices=False)
    limit = 1e-12 * max(1.0, size_of_x * rows.shape[0])
    return np.asarray(right[size**2 > limit].T)
