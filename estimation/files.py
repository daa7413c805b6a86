"""Reading judgments and metrics from CSV files: columns in, arrays out, errors with their line.

Plain or gzip, UTF-8, a header line, columns in any order, further columns ignored. A column `group`
may name the group of each item (a document, a prompt, a dialogue); empty cells are none. Names are
numbered as they first appear, so a million rows become arrays of numbers while being read.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

JUDGMENT_COLUMNS = ("system", "item", "annotator", "criterion")
METRIC_COLUMNS = ("system", "item", "metric")
GROUP = "group"
_GZIP = b"\x1f\x8b"
_ROWS_AT_ONCE = 50_000


class FileError(ValueError):
    """A problem of a file, with its place, in one line."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {message}")
        self.path, self.line = path, line


class UnknownNameError(FileError):
    """A system, criterion or metric that the file does not have."""


class FileTooShortError(FileError):
    """Fewer than two judgments of a system on a criterion."""


class FileScoreError(FileError):
    """A score outside the criterion's scale."""


class ScaleNeededError(FileError):
    """A criterion without a known scale."""


class FileMetricError(FileError):
    """A metric that is missing for some of a system's outputs."""


class ItemMissingError(FileError):
    """A judged item that the metrics file does not list for its system."""


class ItemsDisagreeError(FileError):
    """Another number of outputs than was said."""


class GroupsDisagreeError(FileError):
    """An item in two groups, or a number of items where groups are to be counted."""


class AmbiguousMetricError(FileError):
    """Several metrics, and none was chosen."""


class UnreadableError(FileError):
    """The file is not there, may not be read, or is a damaged gzip file."""


class NotTextError(FileError):
    """The file is not UTF-8 text."""


class EmptyFileError(FileError):
    """There is nothing in the file, or nothing but its header."""


class MissingColumnError(FileError):
    """The header lacks a column, or names one twice."""


class MalformedRowError(FileError):
    """A row with too few or too many fields, an empty name, or a broken quotation."""


class NotANumberError(FileError):
    """A score or a metric's value that is not a finite number."""


class DuplicateRowError(FileError):
    """The same thing is said twice."""


class Names:
    """Names numbered 0, 1, 2, ... in the order in which they first appear."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def number(self, name: str) -> int | None:
        """Return the number of a name; None for one that never appeared."""
        return self._number.get(name)

    def encode(self, names: list[str]) -> Ints:
        """(len(names),) the names' numbers; new names get the next ones."""
        known = self._number
        return np.fromiter((known.setdefault(n, len(known)) for n in names), np.int64, len(names))


@dataclass(frozen=True)
class Vocabulary:
    """The names in use: shared by two files, so that their numbers mean the same."""

    system: Names = field(default_factory=Names)
    item: Names = field(default_factory=Names)
    annotator: Names = field(default_factory=Names)
    criterion: Names = field(default_factory=Names)
    metric: Names = field(default_factory=Names)
    group: Names = field(default_factory=Names)

    def of(self, column: str) -> Names:
        """Return the names of one column."""
        names: Names = getattr(self, column)
        return names


@dataclass(frozen=True)
class Table:
    """A file's rows: per column of names their numbers, the values, and the lines they stood on.

    columns: with "group" where the file has that column; -1 where a cell is empty.
    """

    path: Path
    names: Vocabulary
    columns: dict[str, Ints]
    value: Floats
    line: Ints

    def refuse_duplicates(self, words: str, *, keys: tuple[str, ...]) -> None:
        """Raise `DuplicateRowError` at the first row that repeats the keys of an earlier one.

        `words` is a sentence with one place in braces for each key's name.
        """
        order = np.lexsort([self.columns[key] for key in keys])
        same = np.logical_and.reduce([np.diff(self.columns[key][order]) == 0 for key in keys])
        if not same.any():
            return
        places = np.flatnonzero(same)
        second = order[places + 1]
        at = int(np.argmin(second))
        first, again = int(order[places[at]]), int(second[at])
        names = [self.name(key, again) for key in keys]
        raise DuplicateRowError(
            self.path,
            int(self.line[again]),
            f"{words.format(*names)} (first on line {self.line[first]}).",
        )

    def name(self, column: str, row: int) -> str:
        """Return the name in a row's column."""
        return str(list(self.names.of(column))[self.columns[column][row]])


def read_judgments(path: str | Path, names: Vocabulary) -> Table:
    """Read `system,item,annotator,criterion,score`; raises a `FileError`."""
    table = _read(path, names, JUDGMENT_COLUMNS, value="score")
    table.refuse_duplicates(
        "{3} judged item {2} of {1} on {0} a second time",
        keys=("criterion", "system", "item", "annotator"),
    )
    return table


def read_metrics(path: str | Path, names: Vocabulary) -> Table:
    """Read `system,item,metric,value`; raises a `FileError`."""
    table = _read(path, names, METRIC_COLUMNS, value="value")
    table.refuse_duplicates(
        "the metric {0} of {1}, item {2}, is given a second time", keys=("metric", "system", "item")
    )
    return table


def _read(given: str | Path, names: Vocabulary, columns: tuple[str, ...], *, value: str) -> Table:
    path = Path(given)
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    parts = list(_parts(path, reader, names, columns, value))
    if not parts:
        raise EmptyFileError(path, 0, "there are no rows below the header.")
    return Table(
        path=path,
        names=names,
        columns={c: np.concatenate([part[0][c] for part in parts]) for c in parts[0][0]},
        value=np.concatenate([part[1] for part in parts]),
        line=np.concatenate([part[2] for part in parts]),
    )


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP) else data
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(path, 0, f"cannot be read: {reason}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotTextError(path, line, "this is not UTF-8 text.") from None


def _parts(
    path: Path, reader: Any, names: Vocabulary, columns: tuple[str, ...], value: str
) -> Iterator[tuple[dict[str, Ints], Floats, Ints]]:
    """Yield (numbers by column, values, lines) for some rows at a time."""
    rows = _rows(path, reader)
    header = [name.strip() for name in next(rows, (0, []))[1]]
    place = _places(path, header, (*columns, value))
    if header.count(GROUP) == 1:
        place[GROUP] = header.index(GROUP)
    while part := list(islice(rows, _ROWS_AT_ONCE)):
        lines = [line for line, _ in part]
        _check_lengths(path, part, header)
        fields = list(zip(*(row for _, row in part), strict=True))
        read = {c: _stripped(path, fields[place[c]], lines, c) for c in columns}
        numbers = {c: names.of(c).encode(read[c]) for c in columns}
        if GROUP in place:
            numbers[GROUP] = _groups(names.group, fields[place[GROUP]])
        yield numbers, _numbers(path, fields[place[value]], lines, value), np.array(lines)


def _rows(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, fields), without blank lines."""
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise MalformedRowError(path, reader.line_num, f"not a CSV row: {error}.") from None


def _places(path: Path, header: list[str], wanted: tuple[str, ...]) -> dict[str, int]:
    if not header:
        raise EmptyFileError(path, 0, "the file is empty.")
    for name in wanted:
        if header.count(name) != 1:
            what = "has no column" if name not in header else "has more than one column"
            raise MissingColumnError(
                path, 1, f"the header {what} {name!r}; it needs {', '.join(wanted)}."
            )
    return {name: header.index(name) for name in wanted}


def _check_lengths(path: Path, part: list[tuple[int, list[str]]], header: list[str]) -> None:
    if {len(row) for _, row in part} == {len(header)}:
        return
    line, row = next((line, row) for line, row in part if len(row) != len(header))
    raise MalformedRowError(path, line, f"{len(row)} fields where the header has {len(header)}.")


def _stripped(path: Path, fields: tuple[str, ...], lines: list[int], column: str) -> list[str]:
    names = [name.strip() for name in fields]
    if "" in names:
        raise MalformedRowError(path, lines[names.index("")], f"the {column} is empty.")
    return names


def _groups(names: Names, fields: tuple[str, ...]) -> Ints:
    """The numbers of groups, -1 for an empty cell."""
    cells = [cell.strip() for cell in fields]
    found = iter(names.encode([cell for cell in cells if cell]))
    return np.array([next(found) if cell else -1 for cell in cells], dtype=np.int64)


def _numbers(path: Path, fields: tuple[str, ...], lines: list[int], column: str) -> Floats:
    try:
        values = np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        values = None
    # Python reads 1_000 as a thousand; a CSV file hardly means that.
    if values is None or not np.isfinite(values).all() or "_" in "".join(fields):
        at = next(i for i, text in enumerate(fields) if not _is_number(text))
        found = fields[at].strip()
        words = f"{found!r} is not a finite number" if found else "it is empty"
        raise NotANumberError(path, lines[at], f"the {column} must be a number; {words}.")
    return values


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text))) and "_" not in text
    except ValueError:
        return False
