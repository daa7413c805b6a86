"""One scale for all plots of a row, so that their intervals can be compared by eye."""

from dataclasses import dataclass

import numpy as np

from estimation.selectors.history import Point

SETTLED = 0.15  # the first intervals are so wide that they would flatten all later ones


@dataclass(frozen=True)
class Frame:
    """The plotted region: judgments from 0 to `x_end`, scores from `low` to `high`."""

    x_end: float
    x_ticks: tuple[float, ...]
    low: float
    high: float
    y_ticks: tuple[float, ...]


def frame(points: list[Point], *, target: float | None) -> Frame:
    """Return the frame that shows all systems of a criterion once they have settled."""
    x_end = float(max(point.n_judgments for point in points))
    settled = [p for p in points if p.n_judgments >= SETTLED * x_end]
    values = np.array(
        [
            value
            for p in settled
            for value in (p.estimate, p.low, p.high, p.mean_low, p.mean_high)
            if value is not None
        ]
    )
    room = (target or 0.0) / 2
    last = [p.estimate for p in settled]
    low = min(float(values.min()), min(last) - room)
    high = max(float(values.max()), max(last) + room)
    margin = 0.05 * (high - low) or 0.1
    low, high = low - margin, high + margin
    return Frame(x_end, tuple(ticks(0, x_end, 2)), low, high, tuple(ticks(low, high, 4)))


def ticks(low: float, high: float, about: int) -> list[float]:
    """Return round numbers (1, 2, 5 × 10ⁿ apart) within low..high, `about` as many as asked."""
    raw = (high - low) / max(1, about) or 1.0
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.75)
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [round(float(k * step), 10) for k in np.arange(first, last + 1)]
