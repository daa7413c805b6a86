"""Spreadsheets (.xlsx) and Parquet files: their rows, read from a temporary file within limits.

Neither can be read from its beginning to its end, as text can. A spreadsheet is looked through
before it is read: what its library would keep in memory is limited there.
"""

import math
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from itertools import chain
from tempfile import TemporaryFile
from typing import IO, Any
from xml.parsers import expat

import openpyxl
from openpyxl.utils import get_column_letter

from annotate.campaigns.packed import (
    BOMB,
    DAMAGED,
    FREE,
    LARGE,
    MOST_BYTES,
    MOST_RATIO,
    refused,
)
from annotate.campaigns.problems import MANY_FIELDS, MOST_FIELDS, RowError, fields_shown
from annotate.common.numbers import count, series

PARQUET = b"PAR1"
UNIT = "row"
MOST_SHEET_BYTES = 256 * 1024**2  # unpacked
MOST_PARTS = 1000  # files in a spreadsheet
MOST_ROWS = 1_048_576  # as many as Excel has
MOST_CHILDREN = 2_000_000  # of one element: rows, or different texts
DEEPEST = 100
BATCH = 16  # rows of a Parquet file at once: each may hold long texts
MOST_BATCH_BYTES, MOST_BATCH_VALUES = 256 * 1024**2, 1_000_000  # in that many rows
SHOWN = 3  # sheets that are named
ESCAPED = re.compile("_x(00[01][0-9A-F]|005F)_", re.IGNORECASE)  # characters, as Excel writes them

NO_SHEET = "This is no spreadsheet. Save the table as .xlsx or as CSV."
LARGE_SHEET = (
    f"Unpacked, this spreadsheet is larger than {MOST_SHEET_BYTES >> 20} MB, or has more than "
    f"{count(MOST_ROWS)} rows. Save the table as CSV."
)
WIDE_SHEET = (
    f"a cell beyond the {count(MOST_FIELDS)}th column. Delete the columns that are empty, or save "
    "the table as CSV."
)
NO_ROWS = "No sheet of this spreadsheet has a row. The first row names the columns."
NO_PYARROW = (
    "This is a Parquet file, and this installation cannot read it. Save the table as JSON lines "
    "or as CSV, or ask the person who runs it to install pyarrow (pip install plumbline[parquet])."
)


def _stored(blocks: Iterable[bytes], file: IO[bytes]) -> int:
    for block in blocks:
        file.write(block)
    size = file.tell()
    file.seek(0)
    return size


# Spreadsheets.


def rows_of_sheet(blocks: Iterable[bytes], told: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the first sheet that has some: their numbers, and their cells as text.

    told: takes what a reader should know of the other sheets.
    """
    with TemporaryFile() as file:
        size = _stored(blocks, file)
        seen = _looked_through(file, size)
        book = _tried(lambda: openpyxl.load_workbook(file, read_only=True, data_only=True))
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        for place, sheet in enumerate(sheets):
            part = seen[sheet._worksheet_path]
            sheet.reset_dimensions()  # they may claim any number of rows and columns
            rows = _rows(sheet)
            if (first := next(rows, None)) is None:
                continue
            part.check(sheet.title)
            if others := [one.title for one in sheets[place + 1 :]]:
                named = series(f"“{fields_shown(name)}”" for name in others[:SHOWN])
                more = f" and {count(len(others) - SHOWN)} more" if len(others) > SHOWN else ""
                told.append(
                    f"Read the sheet “{fields_shown(sheet.title)}”; not {named}{more}: one sheet "
                    "is read."
                )
            yield from chain([first], rows)
            return
        raise refused(NO_ROWS)


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty."""
    rows = sheet.iter_rows(values_only=True)
    for number in range(1, MOST_ROWS + 2):
        cells = _tried(lambda: next(rows, None))
        if cells is None:
            return
        if number > MOST_ROWS:
            raise refused(LARGE_SHEET)
        texts = [_cell(value) for value in cells]
        if any(texts):
            yield number, texts


def _cell(value: object) -> str:
    """Return what is in a cell as CSV would have it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _tried(read: Callable[[], Any]) -> Any:
    """Return what a library reads of a file; it may raise anything where the file is damaged."""
    try:
        return read()
    except MemoryError:
        raise
    except Exception as error:
        raise refused(DAMAGED) from error


@dataclass
class _Part:
    """What a look through one file of a spreadsheet found. Cells are named as in a spreadsheet."""

    formula: str = ""  # the first without a value
    merged: str = ""  # the first cells of several rows that are one
    refusal: str = ""
    row: int = 0
    cell: str = ""
    has: set[str] = field(default_factory=set)  # of the cell: a formula (f), a value (v)
    in_value: bool = False
    counts: list[int] = field(default_factory=list)  # children so far, of each open element

    def begins(self, name: str, given: dict[str, str]) -> None:
        kind = name.rpartition(" ")[2]
        if self.counts:
            self.counts[-1] += 1
            if self.counts[-1] > MOST_CHILDREN:
                raise refused(LARGE_SHEET)
        if len(self.counts) > DEEPEST:
            raise refused(DAMAGED)
        self.counts.append(0)
        self.in_value = kind == "v"
        if kind == "row":
            self.row = _whole(given.get("r")) or self.row + 1
            if self.row > MOST_ROWS:
                raise refused(LARGE_SHEET)
        elif kind == "c":
            place, number = given.get("r", ""), sum(self.counts[-2:-1])
            if number > MOST_FIELDS or _column(place) > MOST_FIELDS:
                raise refused(WIDE_SHEET, line=self.row, unit=UNIT)
            self.cell = place or f"{get_column_letter(max(1, number))}{self.row}"
            self.has = {"v"} if given.get("t") == "str" else set()  # which may be ""
        elif kind == "f":
            self.has.add(kind)
        elif kind == "mergeCell" and not self.merged:
            cells = given.get("ref", "")
            if len(set(re.findall(r"\d+", cells))) > 1:
                self.merged = cells

    def says(self, _text: str) -> None:
        if self.in_value:
            self.has.add("v")

    def ends(self, name: str) -> None:
        self.counts.pop()
        self.in_value = False
        if name.rpartition(" ")[2] == "c" and self.has == {"f"} and not self.formula:
            self.formula = self.cell

    def check(self, title: str) -> None:
        where = f"in the sheet “{fields_shown(title)}”"
        if self.formula:
            raise refused(
                f"The cell {fields_shown(self.formula)} {where} holds a formula without a stored "
                "value. Open the file in a spreadsheet program and save it there, or put values in "
                "place of formulas."
            )
        if self.merged:
            raise refused(
                f"The cells {fields_shown(self.merged)} {where} are merged across rows, so only "
                "the first of these rows has their value. Unmerge them, and fill in each row."
            )


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 9 else 0


def _column(place: str) -> int:
    """Return the number of a cell's column; 0 where its place does not say."""
    letters = place.rstrip("0123456789").replace("$", "").upper()[:9]
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _looked_through(file: IO[bytes], size: int) -> dict[str, _Part]:
    """Return what stands in the files of a spreadsheet; refuses what is too large to be read."""
    found: dict[str, _Part] = {}
    archive = _tried(lambda: zipfile.ZipFile(file))
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if total > MOST_SHEET_BYTES or len(members) > MOST_PARTS:
        raise refused(LARGE_SHEET)
    if total > FREE + MOST_RATIO * size:
        raise refused(BOMB)
    if "xl/workbook.xml" not in archive.namelist() and "word/document.xml" in archive.namelist():
        raise refused(NO_SHEET)
    for member in members:
        part = found[member.filename] = _Part()
        content = _tried(partial(archive.open, member))
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = part.begins
        parser.EndElementHandler = part.ends
        parser.CharacterDataHandler = part.says
        try:
            while block := _tried(partial(content.read, 2**16)):
                parser.Parse(block)
        except expat.ExpatError:
            pass  # a picture; what is read as XML later is refused there
    return found


# Parquet files.


def entries_of_parquet(blocks: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield the rows as JSON would have them: structs are objects, dates are texts."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise refused(NO_PYARROW) from None
    with TemporaryFile() as file:
        size = _stored(blocks, file)
        table = _tried(lambda: pyarrow.parquet.ParquetFile(file))
        names: Sequence[str] = table.schema_arrow.names
        if len(names) > MOST_FIELDS:
            raise refused(f"The table has {MANY_FIELDS}")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise refused(f"Two columns are called “{fields_shown(twice)}”. Rename one.")
        batches = table.iter_batches(batch_size=BATCH)
        number = seen = 0
        while (batch := _tried(lambda: next(batches, None))) is not None:
            n_values = _tried(partial(_n_values, batch.to_struct_array()))
            if batch.nbytes > MOST_BATCH_BYTES or n_values > MOST_BATCH_VALUES:
                raise refused(BOMB)
            for entry in _tried(batch.to_pylist):
                number += 1
                try:
                    plain, n_bytes = _plain(entry)
                except UnicodeDecodeError:
                    yield number, RowError(number, "a text is not UTF-8.", "utf-8", UNIT)
                    continue
                seen += n_bytes
                if seen > MOST_BYTES:
                    raise refused(LARGE)
                if seen > FREE + MOST_RATIO * size:
                    raise refused(BOMB)
                yield number, plain


def _n_values(array: Any) -> int:
    """Return how many values an array has, those in its lists and structs included."""
    if hasattr(array, "storage"):
        return _n_values(array.storage)
    inner = array.flatten() if hasattr(array, "flatten") else []
    parts = inner if isinstance(inner, list) else [inner]
    return len(array) + sum(map(_n_values, parts))


def _plain(value: Any) -> tuple[Any, int]:
    """Return a value as JSON would have it, and about how many bytes it takes."""
    if isinstance(value, str):
        return value, len(value)
    if isinstance(value, dict):
        found = {name: _plain(one) for name, one in value.items()}
        return {name: one for name, (one, _n) in found.items()}, sum(n for _o, n in found.values())
    if isinstance(value, list | tuple):
        several = [_plain(one) for one in value]
        return [one for one, _n in several], sum(n for _one, n in several)
    if isinstance(value, bytes):
        return value.decode(), len(value)
    if isinstance(value, float) and math.isnan(value):
        return None, 8  # as pandas writes what is missing
    if isinstance(value, Decimal):
        return (int(value) if value == value.to_integral_value() else float(value)), 8
    if value is None or isinstance(value, bool | int | float):
        return value, 8
    return (value.isoformat() if hasattr(value, "isoformat") else str(value)), 8
