"""Reads CSV and similar tables: finds the delimiter and the header, and yields records."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotate.services.campaigns.importing import decoding
from annotate.services.campaigns.importing.fields import METRIC, FieldNames, shown
from annotate.services.campaigns.importing.json_values import DECODER
from annotate.services.campaigns.importing.problems import RowError, UploadRefused
from annotate.services.campaigns.importing.rows import LARGEST

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
LONGEST_CELL = 5_000_000
NO_NUMBER = {"", "na", "n/a", "nan", "null", "none", "-"}  # missing values in spreadsheets
PARAGRAPH = re.compile(r"paragraphs?[ _.-]?(\d{1,2})", re.IGNORECASE)

csv.field_size_limit(LONGEST_CELL)  # for the whole process; the default is 131,072


@dataclass(frozen=True)
class Header:
    """The names of the columns, the delimiter, and the line of the header."""

    names: tuple[str, ...]
    delimiter: str
    line: int = 1


def header_of(head: bytes, known: FieldNames) -> Header:
    """Return the header, with the delimiter that gives most of the known names."""
    number, first = _first_line(head)
    found = [
        Header(tuple(name.strip() for name in names), delimiter, number)
        for delimiter in DELIMITERS
        if (names := _split(first, delimiter))
    ]
    fallback = Header((first.strip(),), ",", number)
    return max(
        [fallback, *found], key=lambda one: (known.means_something(one.names), len(one.names))
    )


def _first_line(head: bytes) -> tuple[int, str]:
    for number, line in enumerate(head.splitlines(), start=1):
        if line.strip():
            return number, line.decode(errors="replace")
    return 1, ""


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def check_names(header: Header) -> None:
    twice = [name for name, n in Counter(filter(None, header.names)).items() if n > 1]
    if twice:
        raise UploadRefused(
            [RowError(header.line, f"two columns are called “{shown(twice[0])}”. Rename one.")]
        )


class _Lines:
    """Yields lines to the `csv` module. Lines that are not UTF-8 are noted and replaced."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._lines = decoding.lines(blocks)
        self.faults: list[RowError] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        if line is None:
            self.faults.append(RowError(number, decoding.TOO_LONG, kind="long"))
            return "\n"
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            self.faults.append(decoding.not_utf8(number, error))
            return line.decode(errors="replace")


def records(
    blocks: Iterable[bytes], header: Header
) -> Iterator[tuple[int, dict[str, str] | RowError]]:
    """Yield the number of each record's first line, and its cells by column name."""
    lines = _Lines(blocks)
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    names = [name or f"column {i}" for i, name in enumerate(header.names, start=1)]
    began = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield began, _no_csv(began, str(error))
            cells = []
        for fault in lines.faults:
            yield fault.line, fault
        lines.faults.clear()
        if cells is None:
            return
        if began > header.line and any(cells):
            yield began, _record(cells, names, began)
        began = reader.line_num + 1


def _record(cells: list[str], names: list[str], line: int) -> dict[str, str] | RowError:
    while len(cells) > len(names) and not cells[-1]:
        cells.pop()
    if len(cells) != len(names):
        message = f"{len(cells)} columns, where the first line has {len(names)}."
        return RowError(line, message, kind="columns")
    return dict(zip(names, cells, strict=True))


def _no_csv(line: int, why: str) -> RowError:
    if why.startswith("unexpected end") or "field larger" in why:
        message = "a quotation mark that opens here is never closed."
    else:
        message = (
            "quotation marks that do not match. Put a cell that contains a quotation mark into "
            "quotation marks, and double each one inside it."
        )
    return RowError(line, message, kind="quotes")


def from_cells(
    known: dict[str, str], unknown: dict[str, str], *, comma: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give cells the types that JSON would have; leave out empty cells except the output.

    comma: whether numbers may be written with a decimal comma.
    """
    fields: dict[str, Any] = {
        name: cell for name, cell in known.items() if cell or name == "output"
    }
    for name in ("paragraphs", "metrics"):
        if name in fields:
            fields[name] = _json(fields[name])
    numbered: dict[int, str] = {}
    others: dict[str, Any] = {}
    for name, cell in unknown.items():
        if found := PARAGRAPH.fullmatch(name):
            numbered[int(found[1])] = cell
        elif (number := number_of(cell, comma=comma)) is not None:
            others[name] = number
        elif cell.strip().casefold() not in NO_NUMBER:
            others[name] = cell
    if "paragraphs" not in fields and any(numbered.values()):
        fields["paragraphs"] = [numbered[i] for i in sorted(numbered) if numbered[i]]
    return fields, others


def _json(cell: str) -> Any:
    try:
        return DECODER.decode(cell.strip())
    except (json.JSONDecodeError, RecursionError):
        return cell


def number_of(cell: str, *, comma: bool) -> float | None:
    """Return the number in a cell; None if it holds something else, or a number out of range."""
    text = cell.strip()
    if comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if abs(number) <= LARGEST else None


def is_metric(name: str) -> bool:
    return name.startswith(METRIC) and len(name) > len(METRIC)
