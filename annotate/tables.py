"""Tables as lines of CSV that spreadsheets open, each cell safe to open."""

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

# What a spreadsheet takes for the beginning of a formula; the wide forms are read as the others.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


class _Line:
    """What csv writes to: it hands each line on."""

    def write(self, line: str) -> str:
        return line


def lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a table, the names of its columns first."""
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([cell(value) for value in row])


def cell(value: Any) -> Any:
    """Return the text of a cell: nothing for unknown values, 1 or 0 for yes or no.

    Times are UTC. A text that a spreadsheet would take for a formula gets a ' in front.
    """
    write = _CELLS.get(type(value), _other)
    return write(value) if write else value


def _other(value: Any) -> Any:
    """As `cell`, for what is of a class of its own, such as a choice or a number of numpy."""
    for kind, write in _CELLS.items():
        if isinstance(value, kind):
            return write(value) if write else value
    return value


def _text(value: str) -> str:
    return f"'{value}" if value.startswith(FORMULA) else value


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def moment(at: datetime) -> str:
    """Return a time as ISO 8601 in UTC, such as 2026-11-22T09:30:00.000000Z."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


# How each kind of value is written; None: as it is. `bool` is an `int`, so it comes first.
_CELLS: dict[type, Callable[[Any], Any] | None] = {
    bool: int,
    int: None,
    str: _text,
    datetime: moment,
    float: _number,
}
