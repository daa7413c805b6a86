"""Strips: where one annotator lies among the others, as the coordinates of a small drawing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotate.screening.base import ScreenAxis

WIDTH, HEIGHT, EDGE = 304, 64, 10
BASE, TOP = 47, 17  # the axis, and how high the threshold's zone reaches
STEP, RADIUS = 6.6, 2.7  # between dots
MOST_HIGH = 5  # dots above each other; more of them stand closer


@dataclass(frozen=True)
class Mark:
    """A place on the axis with its label; `anchor` keeps the label inside the drawing."""

    x: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Zone:
    """What lies beyond the threshold."""

    x: float
    width: float


@dataclass(frozen=True)
class Strip:
    """dots: (x, y) of the others. interval: (from, to) of this annotator's, where known."""

    dots: tuple[tuple[float, float], ...]
    me: Mark | None
    interval: tuple[float, float] | None
    threshold: Mark
    zone: Zone
    ends: tuple[Mark, Mark]
    label: str

    @property
    def diamond(self) -> str:
        assert self.me is not None
        return f"M{self.me.x - 6:.1f} 42l6-7 6 7-6 7Z"


def _x(axis: ScreenAxis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return round(EDGE + (WIDTH - 2 * EDGE) * min(1.0, max(0.0, share)), 1)


def strip(
    axis: ScreenAxis,
    *,
    own: float | None,
    low: float | None,
    high: float | None,
    threshold: float,
    others: Sequence[float],
    label: str,
) -> Strip:
    at = _x(axis, threshold)
    span = (at, WIDTH - EDGE - at) if axis.flags_above else (EDGE, at - EDGE)
    return Strip(
        dots=_stacked([_x(axis, value) for value in others]),
        me=None if own is None else _mark(_x(axis, own), "this person"),
        interval=_interval(axis, low, high),
        threshold=_mark(at, axis.said(threshold)),
        zone=Zone(round(span[0], 1), round(span[1], 1)),
        ends=_ends(axis, _mark(at, axis.said(threshold))),
        label=label,
    )


def _ends(axis: ScreenAxis, threshold: Mark) -> tuple[Mark, Mark]:
    """The axis's ends, without the labels that the threshold's would run into."""
    half = {"start": 0.0, "middle": 0.5, "end": 1.0}[threshold.anchor] * _long(threshold.label)
    left, right = threshold.x - half, threshold.x - half + _long(threshold.label)
    low, high = axis.said(axis.low), axis.said(axis.high)
    return (
        Mark(EDGE, low if EDGE + _long(low) < left else "", "start"),
        Mark(WIDTH - EDGE, high if WIDTH - EDGE - _long(high) > right else "", "end"),
    )


def _long(label: str) -> float:
    return 6.6 * len(label) + 6


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Bars:
    """One bar for each judgment in its order, and the others' usual height as a line."""

    bars: tuple[Bar, ...]
    usual: float | None
    top: float
    label: str


def bars(values: Sequence[float], *, usual: float | None, label: str) -> Bars:
    top = max([*values, usual or 0.0, 1e-9])
    if usual and top > 3 * usual:
        # One long break does not flatten the rest.
        top = max(3 * usual, sorted(values)[len(values) // 2] * 1.5)
    room = (WIDTH - 2 * EDGE) / max(1, len(values))
    return Bars(
        bars=tuple(_bar(i, min(1.0, value / top), room) for i, value in enumerate(values)),
        usual=None if usual is None else round(BASE - 40 * min(1.0, usual / top), 1),
        top=top,
        label=label,
    )


def _bar(i: int, share: float, room: float) -> Bar:
    height = max(1.0, 40 * share)
    width = max(0.5, min(14.0, room * 0.72))
    return Bar(
        round(EDGE + i * room, 1), round(BASE - height, 1), round(width, 1), round(height, 1)
    )


def _stacked(places: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Dots in columns above the axis, closer together where there are many; one for each pixel."""
    columns: Counter[int] = Counter()
    tallest = max(Counter(round(x / STEP) for x in places).values(), default=1)
    rise = min(6.0, (BASE - TOP - 2) / max(MOST_HIGH, tallest))
    digits = 1 if rise > 1 else 0
    dots: dict[tuple[float, float], None] = {}
    for x in places:
        column = round(x / STEP)
        y = round(BASE - 3.5 - rise * columns[column], digits)
        dots[round(column * STEP, 1), y] = None
        columns[column] += 1
    return tuple(dots)


def _interval(
    axis: ScreenAxis, low: float | None, high: float | None
) -> tuple[float, float] | None:
    if low is None and high is None:
        return None
    return (
        _x(axis, axis.low if low is None else low),
        _x(axis, axis.high if high is None else high),
    )


def _mark(x: float, label: str) -> Mark:
    anchor = "start" if x < 45 else "end" if x > WIDTH - 45 else "middle"
    return Mark(x, label, anchor)
