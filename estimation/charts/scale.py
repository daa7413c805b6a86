"""One scale for all plots of a row, so that their intervals can be compared by eye."""

from dataclasses import dataclass

import numpy as np

from annotate.instruments.base import Criterion
from estimation.selectors import shown
from estimation.selectors.history import Point

SETTLED = 0.15  # the first intervals are so wide that they would flatten all later ones
MARGIN = 0.05  # of the height, beyond what is drawn: lines at an end are not cut in half


@dataclass(frozen=True)
class Frame:
    """The plotted region: judgments from 0 to `x_end`, scores from `low` to `high`.

    Ticks lie within the criterion's scale, and those of judgments are whole numbers.
    """

    x_end: float
    x_ticks: tuple[float, ...]
    low: float
    high: float
    y_ticks: tuple[float, ...]


def frame(points: list[Point], *, criterion: Criterion, target: float | None) -> Frame:
    """Return the frame that shows all systems of a criterion once they have settled."""
    x_end = float(max(point.n_judgments for point in points))
    settled = [p for p in points if p.n_judgments >= SETTLED * x_end]
    values = np.array([value for p in settled for value in _drawn(p, criterion, target)])
    low, high = float(values.min()), float(values.max())
    if low == high:  # no interval and no target to leave room for
        room = shown.span(criterion) / 10
        low, high = max(low - room, criterion.low), max(high, min(high + room, criterion.high))
    y_ticks = tuple(ticks(low, high, 4))
    margin = MARGIN * (high - low)
    return Frame(x_end, _whole(x_end), low - margin, high + margin, y_ticks)


def _drawn(point: Point, criterion: Criterion, target: float | None) -> list[float]:
    """What a plot has room for: the intervals, and one as wide as the target, on the scale."""
    room = (target or 0.0) / 2
    ends = (
        point.estimate,
        point.estimate - room,
        point.estimate + room,
        point.low,
        point.high,
        point.mean_low,
        point.mean_high,
    )
    cut = shown.of_scale(criterion, point.estimate).cut
    return [value for end in ends if (value := cut(end)) is not None]


def _whole(x_end: float) -> tuple[float, ...]:
    return tuple(tick for tick in ticks(0, x_end, 2) if tick == int(tick))


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return round numbers (1, 2, 5 × 10ⁿ apart) within low..high, `about` as many as asked."""
    raw = (high - low) / max(1, about) or 1.0
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.75)
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [round(float(k * step), 10) + 0.0 for k in np.arange(first, last + 1)]  # never −0
