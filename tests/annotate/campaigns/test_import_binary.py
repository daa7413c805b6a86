"""Spreadsheets and Parquet files: the rows that come of them, their limits, and hostile ones."""

import io
import json
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from rest_framework.test import APIClient

from annotate.campaigns import binary, imports, packed
from annotate.campaigns.problems import UploadRefused
from annotate.campaigns.reading import rows
from annotate.models import Campaign
from tests.annotate.campaigns.test_import_forms import facts, refused
from tests.annotate.campaigns.test_import_shapes import (
    ASKED,
    ITEMS,
    MILL,
    answer,
    archive,
    is_whole,
    short,
)
from tests.annotate.researcher import looked_at, press
from tests.factories import user

LONG = [["item", "system", "output"], [1, "gpt", "A mill."], [1, "llama", "The mill."]]
WIDE = [["item", "gpt", "llama"], [1, "A mill.", "The mill."]]


def sheet(
    *sheets: Sequence[Sequence[Any]], change: Callable[[Any], None] = lambda _book: None
) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, table in enumerate(sheets, start=1):
        page = book.create_sheet(f"Sheet{number}")
        for row in table:
            page.append(row)
    change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, part: str, old: str, new: str) -> bytes:
    """Return the spreadsheet with another text in one of its files, in the same order."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w", 8) as file:
        for name in given.namelist():
            text = given.read(name).decode()
            if name == part:
                assert old in text
                text = text.replace(old, new, 1)
            file.writestr(name, text)
    return out.getvalue()


def table(entries: list[dict[str, Any]], **how: Any) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(entries), out, **how)
    return out.getvalue()


PAGE = "xl/worksheets/sheet1.xml"
TEXTS_PART = "xl/sharedStrings.xml"
TEXTS = "<si><r><t>one </t></r><r><t>two</t></r></si><si><t>three</t></si>"


def with_texts(texts: str) -> bytes:
    """Return a spreadsheet as Excel writes it: its texts in a part of their own."""
    cells = [["item", "system", "output"], [1, "a", "first"], [1, "b", "second"]]
    data = sheet(cells)
    for number, cell in enumerate(("first", "second")):
        place = f"C{number + 2}"
        data = changed(
            data,
            PAGE,
            f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>',
            f'<c r="{place}" t="s"><v>{number}</v></c>',
        )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/{TEXTS_PART}" ContentType="{kind}"/></Types>'
    data = changed(data, "[Content_Types].xml", "</Types>", part)
    out = io.BytesIO(data)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(TEXTS_PART, f'<sst xmlns="{main}">{texts}</sst>')
    return out.getvalue()


ENTRIES = [{"id": 1, "model": system, "response": text} for _item, system, text in MILL]
CHATS = [
    {"id": 1, "model": system, "messages": [ASKED, answer(text)]} for _item, system, text in MILL
]
FORMS: dict[str, tuple[bytes, list[tuple[str, ...]]]] = {
    "sheet": (sheet(LONG), MILL),
    "sheet, wide": (sheet(WIDE), MILL),
    "sheet, empty rows and columns": (sheet([[], [], *(["", *row, None] for row in LONG)]), MILL),
    "sheet, an empty cell": (
        sheet([["item", "gpt", "llama"], [1, "A mill."], [2, "x", "y"]]),
        [MILL[0], ("1", "llama", ""), ("2", "gpt", "x"), ("2", "llama", "y")],
    ),
    "second sheet": (sheet([], LONG), MILL),
    "values of several kinds": (
        sheet(
            [
                ["item", "system", "output"],
                [1.5, True, date(2026, 5, 1)],
                [2, "a", datetime(2026, 5, 1, 9, 30)],  # noqa: DTZ001  as in spreadsheets
                [3, "a", time(9, 30)],
                [4, "a", 0.1],
                [5, "a", "one_x000D_\ntwo_x005F_"],
                [6, "a", "#NAME?"],
            ]
        ),
        [
            ("1.5", "TRUE", "2026-05-01"),
            ("2", "a", "2026-05-01 09:30:00"),
            ("3", "a", "09:30:00"),
            ("4", "a", "0.1"),
            ("5", "a", "one\r\ntwo_"),
            ("6", "a", "#NAME?"),
        ],
    ),
    "a formula with its value": (
        changed(
            sheet([*LONG[:2], [1, "llama", "=A1"]]),
            PAGE,
            "<f>A1</f><v></v>",
            "<f>A1</f><v>7</v>",
        ),
        [MILL[0], ("1", "llama", "7")],
    ),
    "a formula whose value is empty": (
        changed(
            sheet([*LONG[:2], [1, "llama", "=A1"]]),
            PAGE,
            '<c r="C3"><f>A1</f><v></v>',
            '<c r="C3" t="str"><f>A1</f><v></v>',
        ),
        [MILL[0], ("1", "llama", "")],
    ),
    "a claim of 10^6 empty rows and columns": (
        changed(sheet(LONG), PAGE, 'ref="A1:C3"', 'ref="A1:XFD1048576"'),
        MILL,
    ),
    "cells merged in a title": (
        sheet(LONG, change=lambda book: book.active.merge_cells("E1:F1")),
        MILL,
    ),
    "a wrong extension": (archive(("outputs.csv", sheet(LONG))), MILL),
    "one sheet a system": (
        archive(
            ("gpt.xlsx", sheet([["item", "output"], [1, "A mill."]])),
            ("llama.xlsx", sheet([["item", "output"], [1, "The mill."]])),
        ),
        MILL,
    ),
    "texts in a part of their own": (
        with_texts(TEXTS),
        [("1", "a", "one two"), ("1", "b", "three")],
    ),
    "parquet": (table(ENTRIES), MILL),
    "parquet, chats": (table(CHATS), [(*row, json.dumps([ASKED])) for row in MILL]),
    "parquet, pairs": (
        table([{"prompt": "What?", "chosen": "A mill.", "rejected": "The mill."}]),
        [("1", "chosen", "A mill.", "What?"), ("1", "rejected", "The mill.", "What?")],
    ),
    "parquet, one file a system": (
        archive(
            ("gpt.parquet", table([{"item": 1, "output": "A mill."}])),
            ("llama.parquet", table([{"item": 1, "output": "The mill."}])),
        ),
        MILL,
    ),
    "parquet, values of several kinds": (
        table(
            [
                {"item": datetime(2026, 5, 1, tzinfo=UTC), "system": b"a", "output": "x"},
                {"item": datetime(2026, 5, 2, tzinfo=UTC), "system": b"a", "output": "y"},
            ]
        ),
        [("2026-05-01T00:00:00+00:00", "a", "x"), ("2026-05-02T00:00:00+00:00", "a", "y")],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_this_form_has_these_rows(form: str) -> None:
    data, expected = FORMS[form]
    assert short(rows([data])) == expected
    assert short(rows(data[i : i + 999] for i in range(0, len(data), 999))) == expected


def test_numbers_of_a_row_are_metrics() -> None:
    whole = [[*LONG[0], "comet"], [*LONG[1], 0.5], [*LONG[2], 2]]
    assert [one.name for one in facts(sheet(whole)).columns] == ["comet"]
    several = [{**one, "comet": Decimal("0.5"), "n": float("nan")} for one in ENTRIES]
    assert [one.name for one in facts(table(several)).columns] == ["comet"]


def test_sheets_that_are_not_read_are_named() -> None:
    found = facts(sheet([], LONG, WIDE, []))
    assert (found.form, found.unit) == ("a spreadsheet", "row")
    assert found.notices == [
        "Read the sheet “Sheet2”; not “Sheet3” and “Sheet4”: one sheet is read."
    ]


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no value of a formula": (
        lambda: sheet([*LONG[:2], [1, "llama", "=A1"]]),
        "The cell C3 in the sheet “Sheet1” holds a formula without a stored value.",
    ),
    "merged cells": (
        lambda: sheet(LONG, change=lambda book: book.active.merge_cells("A2:A3")),
        "The cells A2:A3 in the sheet “Sheet1” are merged across rows",
    ),
    "no rows": (lambda: sheet([], [[None, ""]]), "No sheet of this spreadsheet has a row."),
    "no columns": (lambda: sheet([["a", "b", "c"], [1, 2, 3]]), "row 1: no columns “item”, “sys"),
    "two of a name": (lambda: sheet([["item", "item"], [1, 2]]), "row 1: two columns are called"),
    "more cells": (lambda: sheet([*LONG, [1, 2, 3, 4]]), "row 4: 4 columns, where the first row"),
    "NUL": (
        lambda: sheet([*LONG, [2, "a", "x_x0000_"]]),
        "row 4: “output” contains a NUL character",
    ),
    "10^6 empty columns": (
        lambda: changed(sheet(LONG), PAGE, "</row>", "<c/>" * 1_000_000 + "</row>"),
        "row 1: a cell beyond the 1,000th column. Delete the columns that are empty",
    ),
    "10^6 empty columns of another prefix": (
        lambda: changed(
            sheet(LONG),
            PAGE,
            "</row>",
            '<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>' * 9_999
            + "</row>",
        ),
        "row 1: a cell beyond the 1,000th column.",
    ),
    "a cell far away": (
        lambda: changed(sheet(LONG), PAGE, 'r="C2"', 'r="XFD2"'),
        "row 2: a cell beyond the 1,000th column.",
    ),
    "a row far away": (
        lambda: changed(sheet(LONG), PAGE, '<row r="3"', '<row r="99999999"'),
        "Unpacked, this spreadsheet is larger than 256 MB, or has more than 1,048,576 rows.",
    ),
    "a row very far away": (
        lambda: changed(sheet(LONG), PAGE, '<row r="3"', '<row r="1e9"'),
        "Unpacked, this spreadsheet is larger than",
    ),
    "no number of a row": (
        lambda: changed(sheet(LONG), PAGE, '<row r="3"', f'<row r="{"9" * 5000}"'),
        "This compressed file or spreadsheet cannot be read",
    ),
    "a bomb": (
        lambda: changed(sheet(LONG), PAGE, "</row>", "</row>" + " " * 20_000_000),
        "Unpacked, this file is more than 100 times as large",
    ),
    "entities": (
        lambda: changed(
            sheet(LONG),
            PAGE,
            "<worksheet",
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet',
        ),
        "This compressed file or spreadsheet cannot be read",
    ),
    "deep": (
        lambda: changed(sheet(LONG), PAGE, "<sheetData>", "<a>" * 100_000 + "<sheetData>"),
        "This compressed file or spreadsheet cannot be read",
    ),
    "half of it": (
        lambda: sheet(LONG)[:-99],
        "This compressed file or spreadsheet cannot be read",
    ),
    "LibreOffice": (
        lambda: archive(("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")),
        "This is a spreadsheet of LibreOffice (.ods).",
    ),
    "a document": (
        lambda: archive(("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>")),
        "This is no spreadsheet.",
    ),
    "nothing in it": (
        lambda: archive(("[Content_Types].xml", b"<x/>")),
        "This compressed file or spreadsheet cannot be read",
    ),
    "an old one": (lambda: b"\xd0\xcf\x11\xe0 old", "This is a spreadsheet of an old kind (.xls)"),
    "parquet, half of it": (lambda: table(ENTRIES)[:-9], "This compressed file or spreadsheet"),
    "parquet, no columns": (lambda: table([{"item": 1, "system": "a"}]), "row 1: “output” is"),
    "parquet, many columns": (
        lambda: table([{f"c{i}": 1 for i in range(1001)}]),
        "The table has more than 1,000 fields.",
    ),
    "parquet, no UTF-8": (
        lambda: table([{**ENTRIES[0], "response": b"\xff"}]),
        "row 1: a text is not UTF-8.",
    ),
    "parquet, a bomb of lists": (
        lambda: table([{**ENTRIES[0], "more": [{"a": [None] * 2_000_000}]}]),
        "Unpacked, this file is more than 100 times as large",
    ),
    "many texts": (
        lambda: with_texts("<si><t>x</t></si>" * 2_000_001),
        "Unpacked, this file is more than 100 times as large",
    ),
    "a text that is not there": (lambda: with_texts(""), "This compressed file or spreadsheet"),
    "an entity of a text": (
        lambda: changed(
            with_texts(TEXTS), TEXTS_PART, "<sst", '<!DOCTYPE s [<!ENTITY a "b">]><sst'
        ),
        "This compressed file or spreadsheet cannot be read",
    ),
    "parquet, a bomb": (
        lambda: table([{**ENTRIES[0], "response": "x" * 1_000_000}] * 40),
        "Unpacked, this file is more than 100 times as large",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_says_why(what: str) -> None:
    make, told = REFUSED[what]
    problems = refused(make())
    assert len(problems) == 1
    assert problems[0].startswith(told)


def test_a_spreadsheet_bomb_takes_no_memory() -> None:
    data = REFUSED["10^6 empty columns"][0]()
    assert len(data) < 50_000
    tracemalloc.start()
    try:
        refused(data)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_limits_of_what_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "MOST_SHEET_BYTES", 1000)
    monkeypatch.setattr(binary, "MOST_BYTES", 10)
    assert "larger than 256 MB" in refused(sheet(LONG))[0]
    assert refused(table(ENTRIES)) == [packed.LARGE]


def test_without_the_library_it_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (told,) = refused(table(ENTRIES))
    assert "pip install plumbline[parquet]" in told
    assert "Save the table as JSON lines or as CSV" in told


SHEET, TABLE = sheet(LONG), table(ENTRIES, compression="none")


@given(st.binary(min_size=1, max_size=40), st.integers(0, 10_000))
def test_any_damage_is_refused_or_read(damage: bytes, at: int) -> None:
    for whole in (SHEET, TABLE):
        start = at % len(whole)
        with suppress(UploadRefused):
            assert rows([whole[:start] + damage + whole[start + len(damage) :]])


WAYS = {
    "sheet": sheet([["item", "gpt", "llama"], *([i, f"gpt {i}", f"llama {i}"] for i in ITEMS)]),
    "parquet": table(
        [
            {"id": i, "model": model, "messages": [ASKED, answer(f"{model} {i}")]}
            for i in ITEMS
            for model in ("gpt", "llama")
        ]
    ),
}


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_a_page_a_program_and_the_command_make_the_same_of_it(
    way: str, client: Client, tmp_path: Path
) -> None:
    ada = user("ada")
    client.force_login(ada)
    press(client, looked_at(client, WAYS[way]))
    imports.run_due()
    api = APIClient()
    api.force_login(ada)
    file = SimpleUploadedFile("outputs.any", WAYS[way])
    plan = {"name": "News", "targets": json.dumps({"overall": 0.2}), "file": file}
    assert api.post("/api/v1/campaigns/", plan, format="multipart").status_code == 201
    path = tmp_path / "outputs"
    path.write_bytes(WAYS[way])
    options = ["--name", "News", "--target", "overall=0.2"]
    call_command("create_campaign", str(path), *options, stdout=io.StringIO())
    made = list(Campaign.objects.all())
    assert len(made) == 3
    assert all(map(is_whole, made))
