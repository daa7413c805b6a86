"""Recognises the format of a file by its content and reads its records: JSON lines, JSON, CSV."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.services.campaigns.importing import decoding, tables
from annotate.services.campaigns.importing.fields import (
    METRIC,
    MOST_FIELDS,
    REQUIRED,
    AmbiguousError,
    FieldNames,
    shown,
)
from annotate.services.campaigns.importing.json_values import DECODER, TOO_DEEP, entries, not_json
from annotate.services.campaigns.importing.problems import NO_COLUMN, RowError, UploadRefused
from annotate.services.campaigns.importing.tables import DELIMITERS, Header
from annotate.text.figures import count, series

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
    encoding, text = decoding.as_utf8(blocks)
    head, text = decoding.head_of(text)
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
    for number, line in decoding.lines(text):
        if line is None:
            yield number, RowError(number, decoding.TOO_LONG, kind="long")
        elif line.strip():
            yield number, _parsed(line, number)


def _parsed(line: bytes, number: int) -> Any:
    try:
        return DECODER.decode(line.decode().strip(" \t\r\n"))
    except UnicodeDecodeError as error:
        return decoding.not_utf8(number, error)
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
            message = f"an object around the rows. Save the list “{shown(wrapped)}” alone."
            yield RowError(place, message, kind="wrapped", unit=unit)
        else:
            yield _record(place, value, names, unit)


def _wrapped(value: dict[str, Any], names: FieldNames) -> str:
    """Return the name of a list inside an object that is not itself a row; "" otherwise."""
    for name, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return "" if names.means_something(value) > 1 else name
    return ""


def _record(place: int, value: dict[str, Any], names: FieldNames, unit: str) -> Record | RowError:
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
    header = tables.header_of(head, names)
    if not names.means_something(header.names) and len(header.names) < len(REQUIRED):
        raise UploadRefused([RowError(0, NEITHER)])
    if len(header.names) > MOST_FIELDS:
        raise UploadRefused([RowError(header.line, MANY_FIELDS)])
    tables.check_names(header)
    try:
        known, _unknown = names.sort(dict.fromkeys(header.names, ""))
    except AmbiguousError as error:
        raise UploadRefused([RowError(header.line, str(error))]) from None
    missing = [name for name in REQUIRED if name not in known]
    if missing:
        lacking = _lacking(header, missing, names)
        raise UploadRefused([RowError(header.line, lacking, kind=NO_COLUMN)])
    records = _cells(tables.records(text, header), names, comma=header.delimiter == ";")
    return Form(f"CSV with {DELIMITERS[header.delimiter]}", encoding, "line", names, records)


def _lacking(header: Header, missing: list[str], names: FieldNames) -> str:
    found = [f"“{shown(name)}”" for name in header.names[:MOST_NAMES]]
    more = f" and {count(rest)} more" if (rest := len(header.names) - MOST_NAMES) > 0 else ""
    wanted = series(f"“{shown(names.named.get(name, name))}”" for name in missing)
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
            known, unknown = tables.from_cells(*names.sort(cells), comma=comma)
            yield _with_metrics(place, known, unknown)
