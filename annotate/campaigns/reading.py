"""Reads the files of an import: formats recognised by content, records, rows in a sheet, pairs."""

import csv
import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, combinations, islice
from pathlib import PurePosixPath
from typing import Any

from annotate.campaigns import aligned, binary
from annotate.campaigns.packed import is_sheet, opened
from annotate.campaigns.problems import (
    DECODER,
    FIELDS,
    MANY_FIELDS,
    METRIC,
    MOST_FIELDS,
    MOST_UNKNOWN,
    NO_COLUMN,
    REQUIRED,
    TOO_DEEP,
    TOO_LONG,
    AmbiguousError,
    Column,
    FieldNames,
    Problems,
    Row,
    RowError,
    UploadRefused,
    as_utf8,
    entries,
    fields_shown,
    folded,
    head_of,
    looks_like,
    not_json,
    not_utf8,
)
from annotate.campaigns.problems import lines as numbered_lines
from annotate.campaigns.shapes import (
    LOOKED_AT,
    PARAGRAPH,
    TURNS,
    USUAL,
    Shape,
    ShapeError,
    is_by_columns,
    is_name,
    roles,
    rows_of_columns,
    shape_of,
)
from annotate.campaigns.sheet import (
    LARGEST,
    LONGEST_METRIC,
    Facts,
    FaultyError,
    OddCell,
    Sheet,
    range_for,
    row_of,
)
from annotate.common.errors import Invalid
from annotate.common.numbers import count, many, series
from annotate.instruments import base as instruments_base

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
LONGEST_CELL = 5_000_000
LONG_HEAD = 1_000_000  # bytes of the first entries, from which their form is recognised
NO_NUMBER = {"", "na", "n/a", "nan", "null", "none", "-"}  # missing values in spreadsheets
SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)  # Excel's first line

csv.field_size_limit(LONGEST_CELL)  # for the whole process; the default is 131,072


@dataclass(frozen=True)
class Header:
    """The names of the columns, the delimiter, and the line of the header.

    quoted: whether quotation marks hold cells together, or are characters like any other.
    """

    names: tuple[str, ...]
    delimiter: str
    line: int
    quoted: bool = True

    @cached_property
    def filled(self) -> list[str]:
        """Return the names, with numbers in place of those that are empty."""
        return [name or f"column {i}" for i, name in enumerate(self.names, start=1)]


def header_of(head: bytes, known: FieldNames) -> Header:
    """Return the header, with the delimiter that the file names or that gives most known names."""
    lines = enumerate(head.splitlines(), start=1)
    filled = ((n, line.decode(errors="replace")) for n, line in lines if line.strip())
    number, first = next(filled, (1, ""))
    delimiters: Iterable[str] = DELIMITERS
    if named := SEPARATOR.fullmatch(first):
        delimiters, (number, first) = named[1], next(filled, (number, ""))
    found = [Header((first.strip(),), ",", number)]
    for delimiter in delimiters:
        with suppress(csv.Error):
            names = next(csv.reader([first], delimiter=delimiter), [])
            if names:
                tidy = tuple(name.strip() for name in names[: MOST_FIELDS + 1])
                found.append(Header(tidy, delimiter, number))
    return max(found, key=lambda one: (known.means_something(one.names), len(one.names)))


def _looked_through(header: Header, text: Iterator[bytes]) -> tuple[Header, Iterator[bytes]]:
    """Return the header with what its first rows say of quotation marks, and the text once more."""
    if header.delimiter != "\t":
        return header, text
    head, text = head_of(text, LONG_HEAD)
    return replace(header, quoted=_is_quoted(head[:LONG_HEAD], header)), text


def _is_quoted(head: bytes, header: Header) -> bool:
    """Return whether every cell that begins with a quotation mark ends with one."""
    if b'"' not in head:
        return True
    is_cut = len(head) >= LONG_HEAD
    begun = 0  # lines of complete rows
    lines = [line.decode(errors="replace") for line in head.splitlines(keepends=True)]
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    try:
        for cells in reader:
            if is_cut and reader.line_num == len(lines):
                break
            beyond = any(cells[len(header.names) :]) or 0 < len(cells) < len(header.names)
            if beyond and reader.line_num > header.line:
                return False
            begun = reader.line_num
    except csv.Error:
        # A cell that is cut off may go on beyond the head; tabs in it are those of further rows.
        rest = "".join(lines[begun:]).rpartition('\t"')[2]
        return is_cut and reader.line_num == len(lines) and "\t" not in rest
    return True


def _decoded(blocks: Iterable[bytes], faults: list[RowError]) -> Iterator[str]:
    """Yield lines to the `csv` module. Those that are no UTF-8 are noted and replaced."""
    for number, line in numbered_lines(blocks):
        if line is None:
            faults.append(RowError(number, TOO_LONG, kind="long"))
            line = b"\n"
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            faults.append(not_utf8(number, error))
            yield line.decode(errors="replace")


def table_records(
    blocks: Iterable[bytes], header: Header
) -> Iterator[tuple[int, dict[str, str] | RowError]]:
    """Yield the number of each record's first line, and its cells by column name."""
    faults: list[RowError] = []
    reader = csv.reader(
        _decoded(blocks, faults),
        delimiter=header.delimiter,
        quoting=csv.QUOTE_MINIMAL if header.quoted else csv.QUOTE_NONE,
        strict=True,
    )
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
            yield began, _named_cells(began, cells, header)
        began = reader.line_num + 1


def _named_cells(
    place: int, cells: list[str], header: Header, unit: str = "line"
) -> dict[str, str] | RowError:
    """Return the cells of a row by their columns' names; some have a number in place of one."""
    names = header.filled
    while len(cells) > len(names) and not cells[-1]:
        cells.pop()
    if len(cells) == len(names):
        return dict(zip(names, cells, strict=True))
    message = f"{len(cells)} columns, where the first {unit} has {len(names)}."
    return RowError(place, message, "columns", unit)


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


EMPTY = (
    "The file is empty. It needs one output of one system on each line, with item, system and "
    "output."
)
NEITHER = (
    "This is neither JSON nor a table. The file needs one JSON object on each line, a JSON list "
    "of such objects, or CSV whose first line names the columns item, system and output. Text "
    "files of one output a line are chosen together, one for each system."
)
NO_OBJECT = 'not an object. Each one looks like {"item": …, "system": …, "output": …}.'
BY_ROWS = (
    "Is this a table that is written column by column? Write one object on each line (in pandas: "
    'orient="records", lines=True).'
)
SHOWN_COLUMNS, SHOWN_ROWS = 60, 3  # with menus that say which column is which
MOST_NAMES = 6  # columns that a message lists

NO_COLUMNS: Mapping[str, Any] = {}  # every field goes by its own or a usual name
Raw = Iterator[tuple[int, Any]]  # the place, and the value there or a RowError
Typed = Callable[[dict[str, Any], dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]


# One entry of a file: its place, its known fields under our names, and the unknown ones.
Record = tuple[int, dict[str, Any], dict[str, Any]]
Files = Iterator[tuple[str, Iterator[bytes]]]


@dataclass
class Table:
    """The entries of a file as they are, and its format.

    fields: the names in its first entries. line: of the names; 0 where each entry has them.
    typed: gives known and unknown fields their types. told: what was read as what.
    """

    name: str
    encoding: str
    unit: str
    fields: list[str]
    first: list[dict[str, Any]]
    raw: Raw
    told: list[str] = field(default_factory=list)
    line: int = 0
    typed: Typed = lambda *both: both


@dataclass
class Form:
    """The format of a file. The messages about its names are complete after reading.

    where: what the places of records count; in an archive the file, too, and of the last record.
    """

    table: Table
    names: FieldNames
    shape: Shape
    records: Iterator[Record | RowError]
    where: str = ""


def recognised(blocks: Iterable[bytes], columns: Mapping[str, Any] = NO_COLUMNS) -> Form:
    """Return the format of a file; raises `UploadRefused` for a format that cannot be read.

    columns: which column is which, as in `FieldNames`, where somebody said so.
    """
    name, table, names, files = _begun(blocks, columns)
    try:
        if not (names.said or names.systems):
            raise UploadRefused([RowError(0, aligned.NO_SYSTEM)])
        form = _formed(name, table, names)
    except UploadRefused as refused:
        refused.refusal.columns = _columns(table, names)
        raise
    form.where = table.unit
    form.records = chain(_in_file(name, form, form.records), _further(files, form))
    return form


def plain_table(blocks: Iterable[bytes]) -> Table:
    """Return the table in a file of any format, as it is; further files of an archive follow.

    Raises `UploadRefused`, also while its entries are taken.
    """
    _name, table, names, files = _begun(blocks, NO_COLUMNS)

    def further() -> Raw:
        for other, text in files:
            found = _table_in(other, text, names)
            if found.fields != table.fields:
                message = f"{other}: other columns than in the first file of this archive."
                raise UploadRefused([RowError(0, message)])
            yield from found.raw

    table.raw = chain(table.raw, further())
    return table


def _columns(table: Table, names: FieldNames) -> list[Column]:
    """Return the first columns, with what they are and the beginnings of their first cells."""
    found = [
        Column(name, role, [_beginning(entry.get(name)) for entry in table.first[:SHOWN_ROWS]])
        for name, role in roles(table.fields, table.first, names).items()
        if is_name(name)
    ]
    return found[:SHOWN_COLUMNS]


def _beginning(value: Any) -> str:
    if value is None:
        return ""
    return fields_shown(value if isinstance(value, str) else json.dumps(value, default=str))


def _begun(
    blocks: Iterable[bytes], columns: Mapping[str, Any]
) -> tuple[str, Table, FieldNames, Files]:
    """Return the first file, by its name in an archive, and the further ones."""
    files = opened(blocks)
    names = FieldNames(columns)
    name, text = next(files)
    try:
        head, text = head_of(text)
    except UploadRefused as refused:
        raise _named(name, refused) if name else refused from None
    if not (name and _is_plain(name, head, names)):
        return name, _table_in(name, text, names), names, files
    first, raw = _ahead(aligned.rows_of_files(chain([(name, text)], files)), LOOKED_AT)
    fields = list(first[0]) if first else []
    table = Table(aligned.FORM, "UTF-8", "line", fields, first, raw)
    if fields and not columns:
        names = FieldNames(aligned.proposed(fields), said=False)
        table.told = list(aligned.told(names.columns))
    return "", table, names, files


NO_TEXT_FILES = {".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx"}


def _is_plain(name: str, head: bytes, names: FieldNames) -> bool:
    """Return whether a file in an archive has a text on each line: it is no table and no JSON."""
    if PurePosixPath(name).suffix.casefold() in NO_TEXT_FILES or is_sheet(head):
        return False
    try:
        _encoding, text = as_utf8([head])
    except UploadRefused:
        return False  # reading it says why
    first = b"".join(text).strip().partition(b"\n")[0].strip()
    if first[:1] not in (b"{", b"["):
        return names.means_something(header_of(first, names).names) < 2
    try:
        DECODER.decode(first.decode(errors="replace"))
    except (ValueError, RecursionError):
        return len(first) > 1
    return False


def _further(files: Files, form: Form) -> Iterator[Record | RowError]:
    """Yield the records of further files in an archive, which must be of the first one's form."""
    for name, text in files:
        other = _formed(name, _table_in(name, text, form.names), form.names)
        both = [(one.table.name, replace(one.shape, system="")) for one in (form, other)]
        if both[0] != both[1]:
            message = f"{name}: not of the same form as the first file in this archive."
            raise UploadRefused([RowError(0, message)])
        yield from _in_file(name, form, other.records)


def _in_file(
    name: str, form: Form, records: Iterator[Record | RowError]
) -> Iterator[Record | RowError]:
    """Yield the records of one file; errors name it, if it has a name."""
    if not name:
        yield from records
        return
    form.where = f"{fields_shown(name)}, {form.table.unit}"
    try:
        for record in records:
            yield replace(record, unit=form.where) if isinstance(record, RowError) else record
    except UploadRefused as refused:
        raise _named(name, refused) from None


def _named(name: str, refused: UploadRefused) -> UploadRefused:
    shown = fields_shown(name)
    return UploadRefused(
        replace(one, unit=f"{shown}, {one.unit}")
        if one.line
        else replace(one, message=f"{shown}: {one.message}")
        for one in refused.errors
    )


def _table_in(name: str, blocks: Iterable[bytes], names: FieldNames) -> Table:
    try:
        head, blocks = head_of(blocks)
        if is_sheet(head):
            return _of_sheet(blocks)
        if head.startswith(binary.PARQUET):
            return _of_json("Parquet", binary.UNIT, binary.entries_of_parquet(blocks), "", names)
        return _of_text(blocks, names)
    except UploadRefused as refused:
        raise _named(name, refused) if name else refused from None


def _of_text(blocks: Iterable[bytes], names: FieldNames) -> Table:
    encoding, text = as_utf8(blocks)
    head, text = head_of(text)
    start = head.lstrip()[:1]
    if not start:
        raise UploadRefused([RowError(0, NEITHER if any(map(bytes.strip, text)) else EMPTY)])
    if start == b"{" and _is_lines(head):
        return _of_json("JSON lines", "line", _json_lines(text), encoding, names)
    if start in (b"{", b"["):
        name = "a JSON list" if start == b"[" else "JSON objects"
        raw = enumerate(entries(text), start=1)
        return _of_json(name, "entry", raw, encoding, names)
    header = header_of(head, names)
    if not names.means_something(header.names) and len(header.names) < 2:
        raise UploadRefused([RowError(0, NEITHER)])
    header, text = _looked_through(header, text)
    table = _of_rows("line", header, table_records(text, header))
    table.name = f"CSV with {DELIMITERS.get(header.delimiter, f'“{header.delimiter}”')}"
    table.encoding = encoding
    if not header.quoted:
        table.told = ["Quotation marks are read as characters of the texts."]
    return table


def _of_sheet(blocks: Iterable[bytes]) -> Table:
    told: list[str] = []
    rows = binary.rows_of_sheet(blocks, told)
    line, first = next(rows)
    names = [cell.strip() for cell in first]
    while not names[-1]:
        names.pop()
    header = Header(tuple(names), "", line)

    def cells_of(place: int, cells: list[str]) -> dict[str, str] | RowError:
        missing = len(header.names) - len(cells)  # a row ends with its last cell
        return _named_cells(place, [*cells, *[""] * missing], header, binary.UNIT)

    table = _of_rows(binary.UNIT, header, ((n, cells_of(n, cells)) for n, cells in rows))
    table.name, table.told = "a spreadsheet", told
    return table


def _of_rows(unit: str, header: Header, raw: Raw) -> Table:
    """Return a table that has no name yet. raw: its rows, each by the names of the columns."""
    if len(header.names) > MOST_FIELDS:
        raise UploadRefused([RowError(header.line, MANY_FIELDS, unit=unit)])
    if twice := [name for name, n in Counter(filter(None, header.names)).items() if n > 1]:
        message = f"two columns are called “{fields_shown(twice[0])}”. Rename one."
        raise UploadRefused([RowError(header.line, message, unit=unit)])
    first, raw = _ahead(raw, LOOKED_AT)
    typed = partial(from_cells, comma=header.delimiter == ";")
    return Table("", "", unit, header.filled, first, raw, line=header.line, typed=typed)


def _of_json(name: str, unit: str, raw: Raw, encoding: str, names: FieldNames) -> Table:
    first, raw = _ahead(raw, 2)
    told = []
    if first and is_by_columns(first[0]):
        told = ["Read as a table that is written column by column."]
        name, unit, raw = "JSON by columns", "row", _by_rows(raw)
    elif inside := _list_inside(first, names):
        told = [f"Read the list “{fields_shown(inside)}” of the object around it."]
        name, unit = "a JSON list", "entry"
        raw = chain(enumerate(first[0][inside], start=1), islice(raw, 1, None))
    first, raw = _ahead(_objects(raw, names, unit), LOOKED_AT)
    fields = list(dict.fromkeys(chain.from_iterable(first)))
    return Table(name, encoding, unit, fields, first, raw, told)


def _list_inside(first: list[Any], names: FieldNames) -> str:
    """Return the name of the list in the only object of a file; "" if it is not around rows."""
    is_alone = len(first) == 1 and isinstance(first[0], dict)
    return _wrapped(first[0], names) if is_alone and not names.means_something(first[0]) else ""


def _formed(name: str, table: Table, names: FieldNames) -> Form:
    """Return the form of a table. name: of its file in an archive."""
    fields = table.fields
    shape = shape_of(fields, table.first, names, PurePosixPath(name).stem)
    try:
        if table.line and shape is None:
            few = len(fields) < 3 and not names.means_something(fields)
            raise UploadRefused([RowError(0, NEITHER) if few else _no_column(table, names)])
        if table.line and shape == USUAL:
            names.sort(dict.fromkeys(fields, ""))
    except AmbiguousError as error:
        refused = UploadRefused([RowError(table.line, str(error), NO_COLUMN, table.unit)])
        raise _named(name, refused) if name else refused from None
    except UploadRefused as refused:
        raise _named(name, refused) if name else refused from None
    shape = shape or USUAL
    records = _records(table.raw, names, shape, table.unit, table.typed)
    return Form(table, names, shape, records)


def _ahead(raw: Raw, most: int) -> tuple[list[Any], Raw]:
    """Return the first values that are no errors, and all once more."""
    looked: list[tuple[int, Any]] = []
    size = 0
    for place, value in islice(raw, most):
        looked.append((place, value))
        size += sum(map(len, filter(_is_text, value.values()))) if isinstance(value, dict) else 0
        if size > LONG_HEAD:
            break
    return [one for _place, one in looked if not isinstance(one, RowError)], chain(looked, raw)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _by_rows(raw: Raw) -> Raw:
    """Yield the rows of tables that are written column by column."""
    row = 0
    for place, value in raw:
        if isinstance(value, RowError) or not is_by_columns(value):
            other = RowError(0, "something else than columns follows the first table.")
            yield place, value if isinstance(value, RowError) else other
            continue
        try:
            for entry in rows_of_columns(value):
                row += 1
                yield row, entry
        except ShapeError as error:
            yield 0, RowError(0, str(error))


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
    for number, line in numbered_lines(text):
        if line is None:
            message = TOO_LONG if number > 1 else f"{TOO_LONG} {BY_ROWS}"
            yield number, RowError(number, message, kind="long")
        elif line.strip():
            try:
                yield number, DECODER.decode(line.decode().strip(" \t\r\n"))
            except UnicodeDecodeError as error:
                yield number, not_utf8(number, error)
            except json.JSONDecodeError as error:
                yield number, RowError(number, not_json(error.msg, error.colno), kind="json")
            except RecursionError:
                yield number, RowError(number, TOO_DEEP)


def _objects(raw: Raw, names: FieldNames, unit: str) -> Raw:
    for place, value in raw:
        if isinstance(value, RowError):
            yield place, value
        elif not isinstance(value, dict):
            yield place, RowError(place, NO_OBJECT, unit=unit)
        elif len(value) > MOST_FIELDS:
            yield place, RowError(place, MANY_FIELDS, unit=unit)
        elif wrapped := _wrapped(value, names):
            message = f"an object around the rows. Save the list “{fields_shown(wrapped)}” alone."
            yield place, RowError(place, message, kind="wrapped", unit=unit)
        else:
            yield place, value


def _records(
    raw: Raw, names: FieldNames, shape: Shape, unit: str, typed: Typed = lambda *both: both
) -> Iterator[Record | RowError]:
    """Yield the records of all entries. typed: gives known and unknown fields their types."""
    for number, (place, value) in enumerate(raw, start=1):
        if isinstance(value, RowError):
            yield value
            continue
        try:
            for entry in shape.split(value):
                known, unknown = _with_metrics(*typed(*names.sort(entry)))
                yield place, shape.filled(known, number), unknown
        except AmbiguousError as error:
            yield RowError(place, str(error), NO_COLUMN, unit)
        except ShapeError as error:
            yield RowError(place, str(error), kind="shape", unit=unit)


def _wrapped(value: dict[str, Any], names: FieldNames) -> str:
    """Return the name of a list inside an object that is not itself a row; "" otherwise."""
    for name, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            is_chat = folded(name) in TURNS or "role" in inner[0]
            return "" if is_chat or names.means_something(value) > 1 else name
    return ""


def _with_metrics(
    known: dict[str, Any], unknown: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read `metrics.comet` as a nested field: pandas writes nested objects like this."""
    named = [name for name in unknown if name.startswith(METRIC)]
    metrics = known.get("metrics")
    if named and (metrics is None or isinstance(metrics, dict)):
        values = {name.removeprefix(METRIC): unknown.pop(name) for name in named}
        known = known | {"metrics": values | (metrics or {})}
    return known, unknown


def _no_column(table: Table, names: FieldNames) -> RowError:
    missing = [name for name in REQUIRED if not names.candidates(name, table.fields)]
    found = [f"“{fields_shown(name)}”" for name in table.fields[:MOST_NAMES]]
    more = f" and {count(rest)} more" if (rest := len(table.fields) - MOST_NAMES) > 0 else ""
    wanted = series(f"“{fields_shown(names.named.get(name, name))}”" for name in missing)
    message = (
        f"no {'column' if len(missing) == 1 else 'columns'} {wanted}. The columns are "
        f"{', '.join(found)}{more}. The first {table.unit} must name item, system and output, "
        f"and each further {table.unit} holds one output of one system; or each system has a "
        "column of its own."
    )
    return RowError(table.line, message, NO_COLUMN, table.unit)


# Reads files into a sheet: checks every row, reports every error, adds tables of metrics.


COLUMNS = ["item", "metric", "system", "value"]
UNIT = "metrics file, line"


def add_metrics(sheet: Sheet, blocks: Iterable[bytes]) -> None:
    """Add metric values to their outputs; raises `UploadRefused` for values without an output."""
    problems = Problems()
    try:
        for _name, content in opened(blocks):
            _encoding, text = as_utf8(content)
            head, text = head_of(text)
            header, text = _looked_through(header_of(head, FieldNames()), text)
            _add_values(sheet, header, text, problems)
    except UploadRefused as refused:
        raise UploadRefused([_of_metrics(error) for error in refused.errors]) from None
    problems.check()


def _add_values(sheet: Sheet, header: Header, text: Iterable[bytes], problems: Problems) -> None:
    names = tuple(name.strip().casefold() for name in header.names)
    if sorted(names) != COLUMNS:
        raise UploadRefused([RowError(1, "the columns must be: system,item,metric,value.")])
    header = replace(header, names=names)
    for line, cells in table_records(text, header):
        try:
            if isinstance(cells, RowError):
                problems.add(_of_metrics(cells))
            else:
                _add_value(sheet, cells, comma=header.delimiter == ";")
        except FaultyError as faulty:
            for kind, message in faulty.told:
                problems.add(_of_metrics(RowError(line, message, kind)))
        if problems.full:
            break


def _of_metrics(error: RowError) -> RowError:
    return RowError(error.line, error.message, error.kind, UNIT)


def _add_value(sheet: Sheet, cells: dict[str, str], *, comma: bool) -> None:
    metric, text = cells["metric"], cells["value"]
    if not 0 < len(metric) <= LONGEST_METRIC or "\x00" in metric:
        message = f"the name of a metric has 1 to {LONGEST_METRIC} characters, none of them NUL."
        raise FaultyError([("metric name", message)])
    number = number_of(text, comma=comma)
    if number is None:
        raise FaultyError([("value", f"“{fields_shown(text)}” is not a number{range_for(text)}.")])
    sheet.add_value(cells["system"], cells["item"], metric, number)


MOST_SYSTEMS = 1000
MOST_METRICS = 200
EXCEL_CUTS = 32_767  # the most characters that a cell of Excel holds
BROKEN = "#NAME?"  # what Excel writes for a text that begins with = or -


def read(
    sheet: Sheet,
    outputs: Iterable[bytes],
    metrics: Iterable[bytes] | None = None,
    *,
    columns: Mapping[str, Any] = NO_COLUMNS,
) -> Facts:
    """Read the files into an empty sheet; raises `UploadRefused` with all errors found.

    outputs: the file in blocks of any size, in one of the recognised formats.
    metrics: a CSV file with the columns system, item, metric and value.
    columns: which column of the outputs is which, as in `FieldNames`, where somebody said so.
    """
    reading = _Reading(sheet, recognised(outputs, columns))
    form = reading.form
    table = form.table
    try:
        reading.run()
    except UploadRefused as refused:
        lacks = [ours for ours in REQUIRED if not form.names.candidates(ours, table.fields)]
        kinds = {NO_COLUMN, *(f"{ours} missing" for ours in lacks)}
        if kinds & {one.kind for one in refused.errors}:
            refused.refusal.columns = _columns(table, form.names)
        raise
    if metrics is not None:
        add_metrics(sheet, metrics)
    facts = sheet.facts()
    facts.read_as = _columns(table, form.names)
    facts.form, facts.encoding, facts.unit = table.name, table.encoding, table.unit
    facts.columns = [one for one in facts.columns if not one.loose or one.name in reading.numeric]
    facts.odd_cells = reading.odd_cells()
    facts.notices = list(reading.notices())
    return facts


def rows(outputs: Iterable[bytes], metrics: Iterable[bytes] | None = None) -> list[Row]:
    """Return all rows of small files, in the order of the file."""
    with Sheet() as sheet:
        read(sheet, outputs, metrics)
        found = [row for item in sheet.in_order() for row in sheet.group(item)]
    return sorted(found, key=lambda row: row.line)


class _Reading:
    """One pass over the file with the outputs."""

    def __init__(self, sheet: Sheet, form: Form) -> None:
        self.sheet, self.form = sheet, form
        self.numeric: set[str] = set()  # unknown fields that hold a number wherever they are given
        self.mixed: dict[str, OddCell] = {}  # by name: the first value that is no number
        self.numbers: Counter[str] = Counter()  # values of unknown fields that are numbers
        self.others: Counter[str] = Counter()
        self.metrics: set[str] = set()
        self.n_cut = self.n_broken = 0
        self.problems = Problems()
        sheet.unit = form.table.unit

    def run(self) -> None:
        for record in self.form.records:
            if isinstance(record, RowError):
                self.problems.add(record)
            else:
                self._take(*record)
            if self.problems.full:
                break
        if not self.problems.problems and not self.sheet.systems:
            self.problems.add(RowError(0, EMPTY))
        self.problems.check()

    def _take(self, place: int, known: dict[str, Any], unknown: dict[str, Any]) -> None:
        try:
            row = row_of(known, place, unknown)
            self._count(row)
            self.sheet.add(row, self._numbers(unknown, place))
        except FaultyError as faulty:
            for kind, message in faulty.told:
                self.problems.add(self._error(RowError(place, message, kind, self.form.where)))

    def _error(self, error: RowError) -> RowError:
        """Return the error as its cause: two outputs of an item, and no column for the system."""
        if error.kind != "twice" or not self.form.shape.system:
            return error
        message = "a second output for an item, and no column names the system. Add one."
        return replace(error, message=message, kind=NO_COLUMN)

    def _count(self, row: Row) -> None:
        self.n_cut += len(row.output) == EXCEL_CUTS
        self.n_broken += row.output == BROKEN
        self.metrics.update(row.metrics)
        if len(self.metrics) > MOST_METRICS:
            raise FaultyError([("metrics many", f"more than {MOST_METRICS} different metrics.")])
        if row.system not in self.sheet and len(self.sheet.systems) >= MOST_SYSTEMS:
            message = f"more than {MOST_SYSTEMS:,} systems. Is “system” what it should be?"
            raise FaultyError([("systems many", message)])

    def _numbers(self, unknown: dict[str, Any], place: int) -> dict[str, float]:
        """Return the numbers among unknown fields. They may be metrics."""
        found = {}
        for name, value in unknown.items():
            if name not in self.form.names.unknown or value is None:
                continue
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            is_number = is_number and abs(value) <= LARGEST
            if not (name and name == fields_shown(name) and is_number):
                if name not in self.mixed:
                    self.mixed[name] = OddCell(
                        column=name, line=place, cell=fields_shown(str(value))
                    )
                self.numeric.discard(name)
                self.others[name] += 1
                continue
            self.numbers[name] += 1
            if name not in self.mixed:
                found[name] = float(value)
                self.numeric.add(name)
        return found

    def odd_cells(self) -> list[OddCell]:
        """Return where columns that are mostly numbers have none: they cannot be metrics."""
        return [odd for name, odd in self.mixed.items() if self.numbers[name] > self.others[name]]

    def notices(self) -> Iterator[str]:
        yield from self.form.shape.told
        yield from self.form.table.told
        yield from self.sheet.told_of_joined()
        names = self.form.names
        said = {theirs: ours for theirs, ours in names.read_as.items() if ours in names.named}
        systems = [name for name in names.systems if name in self.form.table.fields]
        said |= dict.fromkeys(systems[:MOST_UNKNOWN], "a system")
        if not names.said:  # the names of files do, which stands above
            said = {}
        usual = {theirs: ours for theirs, ours in names.read_as.items() if ours not in names.named}
        for how, found in (("as you said", said), ("by their usual names", usual)):
            if found:
                pairs = [f"“{fields_shown(theirs)}” as {ours}" for theirs, ours in found.items()]
                yield f"Read {how}: {', '.join(pairs)}."
        numeric = self.numeric | {odd.column for odd in self.odd_cells()}
        if ignored := [name for name in names.unknown if name not in numeric]:
            yield f"Not used: {', '.join(map(_guess, ignored))}."
        for ours, theirs in names.unclear.items():
            either = " or ".join(f"“{fields_shown(name)}”" for name in theirs)
            yield f"No {ours} was read: it could be {either}. Rename the one that you mean."
        if self.n_broken:
            broken = many(self.n_broken, "output is", "outputs are")
            yield (
                f"{broken} “{BROKEN}”, which a spreadsheet writes for a text that it takes for a "
                "formula."
            )
        if self.n_cut:
            cut = many(self.n_cut, "output has", "outputs have")
            yield f"{cut} exactly {count(EXCEL_CUTS)} characters, where Excel cuts a cell off."


def _guess(name: str) -> str:
    close = looks_like(name, FIELDS)
    return f"“{fields_shown(name)}”" + (f" (did you mean “{close}”?)" if close else "")


# The rows of a ranking: of the items with two different texts. Those of a comparison: every two.


class Differing:
    """The rows of a sheet, item by item, without the items that have one text."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def in_order(self) -> "array[int]":
        """Return the numbers of the items with different texts, in the order of their keys."""
        return self._sheet.in_order(differing=True)

    def groups(self) -> list[int]:
        return self._sheet.groups(differing=True)

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        return self._sheet.group(item, loose)

    def size_of(self, item: int) -> int:
        return len(self.group(item))


class Pairs(Differing):
    """The pairs of a sheet, item by item; an item without any is not one of its items."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__(sheet)
        self._places = {name: place for place, name in enumerate(sheet.systems)}

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        rows = super().group(item, loose)
        return list(paired(sorted(rows, key=lambda row: self._places[row.system])))


def paired(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield each two rows of an item as one; a metric is the difference of both."""
    for first, second in combinations(rows, 2):
        if first.output != second.output:
            yield replace(
                first,
                system=instruments_base.name(first.system, second.system),
                output=instruments_base.joined(first.output, second.output),
                metrics={
                    name: value - second.metrics[name]
                    for name, value in first.metrics.items()
                    if name in second.metrics
                },
            )


def pair_names(systems: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the pairs of these systems by their names; `Invalid` where two have one name."""
    each = list(combinations(systems, 2))
    found = {instruments_base.name(*both): both for both in each}
    if len(found) < len(each):
        raise Invalid(
            {
                "instrument": "Two pairs of systems would have the same name, because a system’s "
                f"name contains “{instruments_base.BETWEEN.strip()}”. "
                "Rename that system in the file."
            }
        )
    return found
