"""Which widths a collection can reach at all, and how the width falls with the judgments."""

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from estimation.core.data.incidence import Floats
from estimation.core.planning.drawing import DRAWN, histories
from estimation.core.planning.study import Study
from estimation.core.stopping.precision import items_needed, people_needed

CLAIMED = 0.9  # coverage is claimed for at least this probability of stopping
_ROOM = 1.02  # over the width that exactly so many campaigns reach
_POINTS = 40


@dataclass(frozen=True, slots=True, eq=False)
class WidthCurve:
    """The width of one system's interval while judgments come.

    Attributes
    ----------
    judgments : (K,) array of float
        Of all systems together.
    middle, low, high : (K,) array of float
        Median, and 10 % and 90 % quantiles over the drawn campaigns, in score units.
    """

    judgments: Floats
    middle: Floats
    low: Floats
    high: Floats


def reachable_target(study: Study, *, replicates: int = DRAWN, seed: int = 0) -> float | None:
    """Return the narrowest target that 9 of 10 campaigns reach before the items run out.

    Parameters
    ----------
    study : Study
        The collection.
    replicates : int, default 100
        How many campaigns are drawn.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    float or None
        A full width in score units, rounded up to two digits. None where no width is reached.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Prices, Study, forecast, reachable_target
    >>> study = Study(TYPICAL["overall"], n_items=60, rho=0.5)
    >>> width = reachable_target(study, replicates=40)
    >>> found = forecast(study, target_width=width, prices=Prices(0.3), replicates=40)
    >>> found.stop_probability >= 0.9
    True
    """
    narrowest = []
    for history, _people in histories(study, replicates, seed):
        enough = (history.n_items >= items_needed(history.scale)) & (
            history.effective_annotators >= people_needed(history.method)
        )
        widths = np.where(enough, history.widths(study.level), np.inf)
        narrowest.append(float(np.where(np.isnan(widths), np.inf, widths).min()))
    # Each of several systems must stop.
    each = CLAIMED ** (1 / study.systems)
    found = float(np.quantile(narrowest, each, method="higher"))
    return _rounded_up(found * _ROOM) if np.isfinite(found) else None


def width_curve(study: Study, *, replicates: int = DRAWN, seed: int = 0) -> WidthCurve:
    """Return how the width falls with the judgments, up to the last that can be made.

    Parameters
    ----------
    study : Study
        The collection.
    replicates : int, default 100
        How many campaigns are drawn.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    WidthCurve
        From the judgments at which most campaigns have an interval.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Study, width_curve
    >>> curve = width_curve(Study(TYPICAL["overall"], n_items=300), replicates=5)
    >>> bool(curve.middle[-1] < curve.middle[0])
    True
    """
    known = []
    for history, _people in histories(study, replicates, seed):
        known.append((history.n_judgments.astype(np.float64), history.widths(study.level)))
    last = float(np.median([at[-1] for at, _widths in known]))
    grid = np.unique(np.round(np.geomspace(min(20.0, last), last, _POINTS)))
    widths = np.array([_at(grid, at, values) for at, values in known])
    enough = np.isfinite(widths).mean(axis=0) > 0.5
    low, middle, high = np.nanquantile(widths[:, enough], (0.1, 0.5, 0.9), axis=0)
    return WidthCurve(grid[enough] * study.systems, middle, low, high)


def _at(grid: Floats, at: Floats, widths: Floats) -> Floats:
    """The width at the last look with at most so many judgments."""
    place = np.searchsorted(at, grid, side="right") - 1
    return np.asarray(np.where(place >= 0, widths[np.maximum(place, 0)], np.nan))


def _rounded_up(width: float) -> float:
    """Two significant digits."""
    step = 10.0 ** (floor(log10(width)) - 1)
    return round(ceil(width / step - 1e-9) * step, 10)
