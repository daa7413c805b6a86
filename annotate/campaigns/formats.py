"""The formats of a file (JSON lines, JSON, CSV): recognised by content, read as records."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
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
    line: int


def header_of(head: bytes, known: FieldNames) -> Header:
    """Return the header, with the delimiter that gives most of the known names."""
    lines = enumerate(head.splitlines(), start=1)
    number, raw = next(((n, line) for n, line in lines if line.strip()), (1, b""))
    first = raw.decode(errors="replace")
    found = [Header((first.strip(),), ",", number)]
    for delimiter in DELIMITERS:
        with suppress(csv.Error):
            names = next(csv.reader([first], delimiter=delimiter), [])
            if names:
                tidy = tuple(name.strip() for name in names)
                found.append(Header(tidy, delimiter, number))
    return max(found, key=lambda one: (known.means_something(one.names), len(one.names)))


def _decoded(blocks: Iterable[bytes], faults: list[RowError]) -> Iterator[str]:
    """Yield lines to the `csv` module. Those that are no UTF-8 are noted and replaced."""
    for number, line in problems.lines(blocks):
        if line is None:
            faults.append(RowError(number, problems.TOO_LONG, kind="long"))
            line = b"\n"
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            faults.append(problems.not_utf8(number, error))
            yield line.decode(errors="replace")


def table_records(
    blocks: Iterable[bytes], header: Header
) -> Iterator[tuple[int, dict[str, str] | RowError]]:
    """Yield the number of each record's first line, and its cells by column name."""
    faults: list[RowError] = []
    reader = csv.reader(_decoded(blocks, faults), delimiter=header.delimiter, strict=True)
    names = [name or f"column {i}" for i, name in enumerate(header.names, start=1)]
    began = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield began, _no_csv(began, str(error))
            cells = []
        for fault in faults:
            yield fault.line, fault
        faults.clear()
        if cells is None:
            return
        if began > header.line and any(cells):
            while len(cells) > len(names) and not cells[-1]:
                cells.pop()
            if len(cells) == len(names):
                yield began, dict(zip(names, cells, strict=True))
            else:
                message = f"{len(cells)} columns, where the first line has {len(names)}."
                yield began, RowError(began, message, kind="columns")
        began = reader.line_num + 1


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
            with suppress(json.JSONDecodeError, RecursionError):  # it is refused as a text
                fields[name] = DECODER.decode(fields[name].strip())
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


# One entry of a file: its place, its known fields under our names, and the unknown ones.
Record = tuple[int, dict[str, Any], dict[str, Any]]


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
            try:
                yield number, DECODER.decode(line.decode().strip(" \t\r\n"))
            except UnicodeDecodeError as error:
                yield number, problems.not_utf8(number, error)
            except json.JSONDecodeError as error:
                yield number, RowError(number, not_json(error.msg, error.colno), kind="json")
            except RecursionError:
                yield number, RowError(number, TOO_DEEP)


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
            try:
                yield _with_metrics(place, *names.sort(value))
            except AmbiguousError as error:
                yield RowError(place, str(error), unit=unit)


def _wrapped(value: dict[str, Any], names: FieldNames) -> str:
    """Return the name of a list inside an object that is not itself a row; "" otherwise."""
    for name, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return "" if names.means_something(value) > 1 else name
    return ""


def _with_metrics(place: int, known: dict[str, Any], unknown: dict[str, Any]) -> Record:
    """Read `metrics.comet` as a nested field: pandas writes nested objects like this."""
    named = [name for name in unknown if name.startswith(METRIC)]
    metrics = known.get("metrics")
    if named and (metrics is None or isinstance(metrics, dict)):
        values = {name.removeprefix(METRIC): unknown.pop(name) for name in named}
        known = known | {"metrics": values | (metrics or {})}
    return place, known, unknown


def _table(head: bytes, text: Iterable[bytes], encoding: str, names: FieldNames) -> Form:
    header = header_of(head, names)
    if not names.means_something(header.names) and len(header.names) < len(REQUIRED):
        raise UploadRefused([RowError(0, NEITHER)])
    if len(header.names) > MOST_FIELDS:
        raise UploadRefused([RowError(header.line, MANY_FIELDS)])
    if twice := [name for name, n in Counter(filter(None, header.names)).items() if n > 1]:
        message = f"two columns are called “{fields_shown(twice[0])}”. Rename one."
        raise UploadRefused([RowError(header.line, message)])
    try:
        known, _unknown = names.sort(dict.fromkeys(header.names, ""))
    except AmbiguousError as error:
        raise UploadRefused([RowError(header.line, str(error))]) from None
    missing = [name for name in REQUIRED if name not in known]
    if missing:
        found = [f"“{fields_shown(name)}”" for name in header.names[:MOST_NAMES]]
        more = f" and {count(rest)} more" if (rest := len(header.names) - MOST_NAMES) > 0 else ""
        wanted = series(f"“{fields_shown(names.named.get(name, name))}”" for name in missing)
        message = (
            f"no {'column' if len(missing) == 1 else 'columns'} {wanted}. The columns are "
            f"{', '.join(found)}{more}. The first line must name item, system and output, and each "
            "further line holds one output of one system."
        )
        raise UploadRefused([RowError(header.line, message, kind=NO_COLUMN)])
    records = _cells(table_records(text, header), names, comma=header.delimiter == ";")
    return Form(f"CSV with {DELIMITERS[header.delimiter]}", encoding, "line", names, records)


def _cells(raw: Raw, names: FieldNames, *, comma: bool) -> Iterator[Record | RowError]:
    for place, cells in raw:
        if isinstance(cells, RowError):
            yield cells
        else:
            known, unknown = from_cells(*names.sort(cells), comma=comma)
            yield _with_metrics(place, known, unknown)
