"""Small drawings: answers as dots on their scale, and a mean with its prediction."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH, EDGE = 72, 6
FLOOR, CEILING = 21.0, 5.0  # the lowest dot of a column, and the highest
STEP = 7.5  # between two dots of a column; more than three stand closer
COLUMN = 6.0  # answers nearer to each other than this stand above each other


@dataclass(frozen=True)
class AnswerDots:
    """dots: (x, y) of each answer. mark: x of their mean, or of what is predicted; None if not
    known. values: the answers, from low to high."""

    dots: tuple[tuple[float, float], ...]
    mark: float | None
    values: tuple[float, ...]

    @property
    def below(self) -> str:
        """Return the triangle below the axis that shows the mean."""
        return "" if self.mark is None else f"M{self.mark:.1f} 26l3.5 4h-7Z"

    @property
    def diamond(self) -> str:
        """Return the diamond on the axis that shows a prediction."""
        return "" if self.mark is None else f"M{self.mark:.1f} 16.5l4.5 4.5-4.5 4.5-4.5-4.5Z"


def answers(values: Iterable[float], *, mean: float, low: float, high: float) -> AnswerDots:
    """Return dots for single answers on a scale, and a mark below for their mean."""
    found = tuple(sorted(values))
    places = [_x(value, low, high) for value in found]
    columns = [round((x - EDGE) / COLUMN) for x in places]
    high_are, seen = Counter(columns), Counter[int]()
    dots = []
    for x, column in zip(places, columns, strict=True):
        step = min(STEP, (FLOOR - CEILING) / max(1, high_are[column] - 1))
        dots.append((x, round(FLOOR - step * seen[column], 1)))
        seen[column] += 1
    return AnswerDots(tuple(dots), _x(mean, low, high), found)


def beside(mean: float, predicted: float | None, *, low: float, high: float) -> AnswerDots:
    """Return a dot for what people said on average, and a diamond for what metrics predict."""
    mark = None if predicted is None else _x(predicted, low, high)
    return AnswerDots(((_x(mean, low, high), FLOOR),), mark, (mean,))


def _x(value: float, low: float, high: float) -> float:
    share = (min(max(value, low), high) - low) / (high - low)
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 1)
