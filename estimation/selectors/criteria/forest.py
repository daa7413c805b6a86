"""All systems on one criterion as one picture: their intervals on one scale, the best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from annotate.instruments.base import Criterion
from annotate.text.figures import short
from estimation.selectors import shown
from estimation.selectors.criteria.cells import ShownCell, State

FEW = 4  # systems whose cells are easy to compare side by side
WIDTH, MARGIN = 140.0, 8.0  # of the drawing, in its own units
ROOM = 0.04  # of what is drawn, at both ends


@dataclass(frozen=True)
class ScoreAxis:
    """The scale of a picture, from `low` to `high` in score units."""

    low: float
    high: float

    def x(self, value: float) -> str:
        """Return where a score lies in the drawing."""
        share = (value - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Return (position, text) of both ends and the middle."""
        middle = (self.low + self.high) / 2
        return tuple((self.x(one), short(one, 2)) for one in (self.low, middle, self.high))


@dataclass(frozen=True)
class ForestLine:
    """One system: its cell, and where its estimate and its interval lie in the drawing."""

    cell: ShownCell
    x: str
    x_low: str | None
    x_high: str | None
    place: str = ""  # among the systems, such as 2–4


@dataclass(frozen=True)
class Forest:
    """The systems with an estimate, the best first, and those that have none yet."""

    axis: ScoreAxis
    lines: tuple[ForestLine, ...]
    awaited: tuple[ShownCell, ...]

    @property
    def has_places(self) -> bool:
        return any(line.place for line in self.lines)

    @property
    def states(self) -> tuple[State, ...]:
        """Return the meaning of the signs next to the widths, each once, without numbers."""
        found = {one.word: one for line in self.lines if (one := line.cell.sign)}
        return tuple(found.values())


def forest(
    cells: Sequence[ShownCell], places: Mapping[str, str] = MappingProxyType({})
) -> Forest | None:
    """Return the picture of a criterion; None for few systems, or before any estimate.

    places: of systems that have no place of a ranking.
    """
    return None if len(cells) <= FEW else picture(cells, places)


def picture(
    cells: Sequence[ShownCell], places: Mapping[str, str] = MappingProxyType({})
) -> Forest | None:
    """Return the same for any number of systems; None before any estimate."""
    told = ranked(cells)
    if not told:
        return None
    axis = _axis(cells[0].criterion, told)
    listed = {cell.system.system_id for cell, _estimate in told}
    return Forest(
        axis,
        tuple(_line(axis, *one, place_of(one[0], places)) for one in told),
        tuple(cell for cell in cells if cell.system.system_id not in listed),
    )


def _axis(criterion: Criterion, told: Sequence[tuple[ShownCell, float]]) -> ScoreAxis:
    ends = [
        end for cell, estimate in told for end in (estimate, cell.low, cell.high) if end is not None
    ]
    low, high = min(ends), max(ends)
    room = ROOM * (high - low) or shown.span(criterion) / 10
    return ScoreAxis(low - room, high + room)


def ranked(cells: Sequence[ShownCell]) -> list[tuple[ShownCell, float]]:
    """Return the cells of a criterion that show an estimate, with it, the best first."""
    known = [(cell, cell.shown.estimate) for cell in cells if cell.shown]
    told = [(cell, estimate) for cell, estimate in known if estimate is not None]
    sign = -1 if cells and cells[0].criterion.higher_is_better else 1
    return sorted(told, key=lambda one: (sign * one[1], one[0].system.name))


def place_of(cell: ShownCell, places: Mapping[str, str]) -> str:
    """Return the place of a ranking, or else the one that the differences leave open."""
    return cell.place or places.get(cell.system.name, "")


def _line(axis: ScoreAxis, cell: ShownCell, estimate: float, place: str) -> ForestLine:
    low, high = cell.low, cell.high
    ends = (None, None) if low is None or high is None else (axis.x(low), axis.x(high))
    return ForestLine(cell, axis.x(estimate), ends[0], ends[1], place)
