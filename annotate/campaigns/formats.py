"""Reads CSV and similar tables: finds the delimiter and the header, and yields records."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.campaigns import problems
from annotate.campaigns.problems import (
    DECODER,
    METRIC,
    MOST_FIELDS,
    NO_COLUMN,
    REQUIRED,
    TOO_DEEP,
    AmbiguousError,
    FieldNames,
    RowError,
    UploadRefused,
    entries,
    fields_shown,
    not_json,
)
from annotate.campaigns.sheet import LARGEST
from annotate.common.numbers import count, series

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
            [
                RowError(
                    header.line, f"two columns are called “{fields_shown(twice[0])}”. Rename one."
                )
            ]
        )


class _Lines:
    """Yields lines to the `csv` module. Lines that are not UTF-8 are noted and replaced."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._lines = problems.lines(blocks)
        self.faults: list[RowError] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        if line is None:
            self.faults.append(RowError(number, problems.TOO_LONG, kind="long"))
            return "\n"
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            self.faults.append(problems.not_utf8(number, error))
            return line.decode(errors="replace")


def table_records(
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


# Recognises the format of a file by its content and reads its records: JSON lines, JSON, CSV.


EMPTY = (
    "The file is empty. It needs one output of one system on each line, with item, system and "
    "output."
)
NEITHER = (
    "This is neither JSON nor a table. The file needs one JSON object on each line, a JSON list "
    "of such objects, or CSV whose first line names the columns item, system and output."
)
MANY_FIELDS = f"more than {MOST_FIELDS:,} fields."
NO_OBJECT = 'not an object. Each one looks like {"item": …, "system": …, "output": …}.'
MOST_NAMES = 6  # columns that a message lists

NO_COLUMNS: Mapping[str, str] = {}  # every field goes by its own or a usual name
Raw = Iterator[tuple[int, Any]]  # the place, and the value there or a RowError


@dataclass(frozen=True)
class Record:
    """One entry of a file: its known fields under our names, and the unknown ones."""

    place: int
    known: dict[str, Any]
    unknown: dict[str, Any]


@dataclass(frozen=True)
class Form:
    """The format of a file. The messages about its names are complete after reading."""

    name: str
    encoding: str
    unit: str
    names: FieldNames
    records: Iterator[Record | RowError]


def recognised(blocks: Iterable[bytes], columns: Mapping[str, str] = NO_COLUMNS) -> Form:
    """Return the format of a file; raises `UploadRefused` for a format that cannot be read.

    columns: which column is which, by our names, where somebody said so.
    """
    encoding, text = problems.as_utf8(blocks)
    head, text = problems.head_of(text)
    start = head.lstrip()[:1]
    if not start:
        raise UploadRefused([RowError(0, NEITHER if any(map(bytes.strip, text)) else EMPTY)])
    names = FieldNames(columns)
    if start == b"{" and _is_lines(head):
        records = _sorted(_json_lines(text), names, "line")
        return Form("JSON lines", encoding, "line", names, records)
    if start in (b"{", b"["):
        name = "a JSON list" if start == b"[" else "JSON objects"
        records = _sorted(enumerate(entries(text), start=1), names, "entry")
        return Form(name, encoding, "entry", names, records)
    return _table(head, text, encoding, names)


def _is_lines(head: bytes) -> bool:
    """Return whether each object is on one line: the first is, or the second starts on the next."""
    first, *others = [line for line in head.splitlines(keepends=True) if line.strip()]
    if not first.endswith((b"\n", b"\r")):
        return True
    try:
        DECODER.decode(first.decode(errors="replace").strip())
    except (ValueError, RecursionError):
        return bool(others) and others[0].startswith(b"{")
    return True


def _json_lines(text: Iterable[bytes]) -> Raw:
    for number, line in problems.lines(text):
        if line is None:
            yield number, RowError(number, problems.TOO_LONG, kind="long")
        elif line.strip():
            yield number, _parsed(line, number)


def _parsed(line: bytes, number: int) -> Any:
    try:
        return DECODER.decode(line.decode().strip(" \t\r\n"))
    except UnicodeDecodeError as error:
        return problems.not_utf8(number, error)
    except json.JSONDecodeError as error:
        return RowError(number, not_json(error.msg, error.colno), kind="json")
    except RecursionError:
        return RowError(number, TOO_DEEP)


def _sorted(raw: Raw, names: FieldNames, unit: str) -> Iterator[Record | RowError]:
    for place, value in raw:
        if isinstance(value, RowError):
            yield value
        elif not isinstance(value, dict):
            yield RowError(place, NO_OBJECT, unit=unit)
        elif len(value) > MOST_FIELDS:
            yield RowError(place, MANY_FIELDS, unit=unit)
        elif wrapped := _wrapped(value, names):
            message = f"an object around the rows. Save the list “{fields_shown(wrapped)}” alone."
            yield RowError(place, message, kind="wrapped", unit=unit)
        else:
            yield _form_record(place, value, names, unit)


def _wrapped(value: dict[str, Any], names: FieldNames) -> str:
    """Return the name of a list inside an object that is not itself a row; "" otherwise."""
    for name, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return "" if names.means_something(value) > 1 else name
    return ""


def _form_record(
    place: int, value: dict[str, Any], names: FieldNames, unit: str
) -> Record | RowError:
    try:
        known, unknown = names.sort(value)
    except AmbiguousError as error:
        return RowError(place, str(error), unit=unit)
    return _with_metrics(place, known, unknown)


def _with_metrics(place: int, known: dict[str, Any], unknown: dict[str, Any]) -> Record:
    """Read `metrics.comet` as a nested field: pandas writes nested objects like this."""
    named = [name for name in unknown if name.startswith(METRIC)]
    metrics = known.get("metrics")
    if named and (metrics is None or isinstance(metrics, dict)):
        values = {name.removeprefix(METRIC): unknown.pop(name) for name in named}
        known = known | {"metrics": values | (metrics or {})}
    return Record(place, known, unknown)


def _table(head: bytes, text: Iterable[bytes], encoding: str, names: FieldNames) -> Form:
    header = header_of(head, names)
    if not names.means_something(header.names) and len(header.names) < len(REQUIRED):
        raise UploadRefused([RowError(0, NEITHER)])
    if len(header.names) > MOST_FIELDS:
        raise UploadRefused([RowError(header.line, MANY_FIELDS)])
    check_names(header)
    try:
        known, _unknown = names.sort(dict.fromkeys(header.names, ""))
    except AmbiguousError as error:
        raise UploadRefused([RowError(header.line, str(error))]) from None
    missing = [name for name in REQUIRED if name not in known]
    if missing:
        lacking = _lacking(header, missing, names)
        raise UploadRefused([RowError(header.line, lacking, kind=NO_COLUMN)])
    records = _cells(table_records(text, header), names, comma=header.delimiter == ";")
    return Form(f"CSV with {DELIMITERS[header.delimiter]}", encoding, "line", names, records)


def _lacking(header: Header, missing: list[str], names: FieldNames) -> str:
    found = [f"“{fields_shown(name)}”" for name in header.names[:MOST_NAMES]]
    more = f" and {count(rest)} more" if (rest := len(header.names) - MOST_NAMES) > 0 else ""
    wanted = series(f"“{fields_shown(names.named.get(name, name))}”" for name in missing)
    column = "column" if len(missing) == 1 else "columns"
    return (
        f"no {column} {wanted}. The columns are {', '.join(found)}{more}. The first line must name "
        "item, system and output, and each further line holds one output of one system."
    )


def _cells(raw: Raw, names: FieldNames, *, comma: bool) -> Iterator[Record | RowError]:
    for place, cells in raw:
        if isinstance(cells, RowError):
            yield cells
        else:
            known, unknown = from_cells(*names.sort(cells), comma=comma)
            yield _with_metrics(place, known, unknown)
