"""From a file of each kind to an open campaign, by mouse: how many clicks it takes."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow
import pytest
from playwright.sync_api import Page, expect
from pyarrow import parquet

from annotate.campaigns import imports
from annotate.models import Campaign
from tests.browser.researchers import sign_in
from tests.factories import user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLICKS = 8  # new, the file, four steps, create, open
SYSTEMS = ("alpha", "beta")
ITEMS = range(60)

Row = dict[str, Any]


def wrote(system: str, item: int) -> str:
    return f"{system.title()} writes {item % 7 + 1} words of the bridge number {item}."


def long(*names: str) -> list[Row]:
    """Item, system and output under these names."""
    return [
        dict(zip(names, (f"i{item}", system, wrote(system, item)), strict=True))
        for item in ITEMS
        for system in SYSTEMS
    ]


def wide(*names: str, **more: str) -> list[Row]:
    """An output of each system in a column of its own."""
    return [
        {key: f"{text} {item}?" for key, text in more.items()}
        | {name: wrote(system, item) for name, system in zip(names, SYSTEMS, strict=True)}
        for item in ITEMS
    ]


def table(rows: list[Row], delimiter: str = ",") -> str:
    lines = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def as_lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def chats() -> list[Row]:
    def turns(system: str, item: int) -> list[Row]:
        asked = {"role": "user", "content": f"What is bridge {item}?"}
        return [asked, {"role": "assistant", "content": wrote(system, item)}]

    return [
        {"id": item, "model": system, "messages": turns(system, item)}
        for item in ITEMS
        for system in SYSTEMS
    ]


def spreadsheet() -> bytes:
    book = openpyxl.Workbook()
    for row in [["item", *SYSTEMS], *(list(one.values()) for one in wide(*SYSTEMS, item="i"))]:
        book.active.append([one if row[0] == "item" else one.strip("?") for one in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_parquet() -> bytes:
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(chats()), out)
    return out.getvalue()


def by_columns() -> str:
    rows = long("item", "system", "output")
    return json.dumps({name: {str(n): row[name] for n, row in enumerate(rows)} for name in rows[0]})


def of_system(system: str) -> str:
    return table([{"item": f"i{item}", "output": wrote(system, item)} for item in ITEMS])


def texts(write: Callable[[int], str]) -> str:
    return "".join(f"{write(item)}\n" for item in ITEMS)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for system in SYSTEMS:
            archive.writestr(f"run/{system}.csv", of_system(system))
    return out.getvalue()


def exported() -> str:
    return as_lines(
        [
            {"output": n, "item": row["item"], "systems": [row["system"]], "text": row["output"]}
            for n, row in enumerate(long("item", "system", "output"))
        ]
    )


USUAL = long("item", "system", "output")
Files = dict[str, str | bytes]
KINDS: dict[str, tuple[Files, int]] = {
    "long": ({"news.jsonl": as_lines(USUAL)}, 2),
    "wide": ({"news.csv": table(wide(*SYSTEMS, item="i"))}, 2),
    "one file a system": ({f"{one}.csv": of_system(one) for one in SYSTEMS}, 2),
    "aligned text files": (
        {
            "alpha.txt": texts(lambda item: wrote("alpha", item)),
            "beta.txt": texts(lambda item: wrote("beta", item)),
            "source.txt": texts(lambda item: f"Was ist Brücke {item}?"),
            "ref.txt": texts(lambda item: f"This is bridge {item}."),
        },
        2,
    ),
    "prompt, response, model": (
        {"news.jsonl": as_lines(long("prompt", "model", "response"))},
        2,
    ),
    "question and answer": (
        {"news.csv": table([{"question": f"q{i}", "answer": wrote("x", i)} for i in range(240)])},
        1,
    ),
    "messages": ({"news.jsonl": as_lines(chats())}, 2),
    "chosen and rejected": (
        {"news.jsonl": as_lines(wide("chosen", "rejected", prompt="What is it, "))},
        2,
    ),
    "JSON by columns": ({"news.json": by_columns()}, 2),
    "Parquet": ({"news.parquet": as_parquet()}, 2),
    "spreadsheet": ({"news.xlsx": spreadsheet()}, 2),
    "gzip": ({"news.csv.gz": gzip.compress(table(USUAL).encode())}, 2),
    "zip": ({"news.zip": zipped()}, 2),
    "sep=;": ({"news.csv": "sep=;\n" + table(USUAL, ";")}, 2),
    "TSV without quoting": ({"news.tsv": table(USUAL, "\t").replace("bridge", '"bridge')}, 2),
    "export": ({"outputs.jsonl": exported()}, 2),
}


class Hand:
    """Clicks where a person would, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, role: Any, name: str) -> None:
        self.page.get_by_role(role, name=name, exact=True).click()
        self.clicks += 1

    def choose(self, paths: list[Path]) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_label("Outputs: one file or several").click()
        self.clicks += 1
        chooser.value.set_files(paths)

    def see(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", name=heading)).to_be_visible()

    def begin(self, files: Files, folder: Path) -> None:
        """Send the files; the name is that of the first."""
        paths = []
        for name, content in files.items():
            paths.append(folder / name)
            paths[-1].write_bytes(content.encode() if isinstance(content, str) else content)
        self.click("link", "New campaign")
        self.page.wait_for_load_state()
        self.choose(paths)
        self.send()

    def send(self) -> None:
        self.click("button", "Next: questions and metrics")
        self.see("Reading the file")
        imports.run_due()

    def to_the_preview(self) -> None:
        self.see("What are people asked?")
        for button in ("Next: plan", "Next: people and money", "Preview"):
            self.click("button", button)
        self.see("Preview: the campaign does not exist yet")

    def create_and_open(self) -> Campaign:
        self.click("button", "Create the campaign")
        self.see("Creating the campaign")
        imports.run_due()
        self.see("Open the campaign")
        self.click("button", "Open for judgments")
        self.see("Invite people")
        return Campaign.objects.get()


@pytest.fixture
def hand(page: Page, live_server: Any) -> Hand:
    sign_in(page, live_server.url, user())
    page.goto(live_server.url)
    return Hand(page)


@pytest.mark.parametrize("kind", KINDS)
def test_clicks_from_a_file_to_an_open_campaign(kind: str, hand: Hand, tmp_path: Path) -> None:
    files, n_systems = KINDS[kind]
    hand.begin(files, tmp_path)
    hand.to_the_preview()
    made = hand.create_and_open()
    assert (made.status, made.systems.count()) == (Campaign.Status.OPEN, n_systems)
    assert made.items.count() == (len(ITEMS) if n_systems > 1 else 240)  # one needs more
    assert hand.clicks == CLICKS


def test_a_misspelt_column_takes_two_more(hand: Hand, tmp_path: Path) -> None:
    hand.begin({"news.csv": table(long("item", "sytem", "output"))}, tmp_path)
    hand.click("link", "Say which column is which")
    menu = hand.page.get_by_role("combobox", name="sytem")
    expect(menu).to_be_in_viewport()
    expect(menu).to_have_value("system")
    hand.send()
    hand.to_the_preview()
    assert hand.create_and_open().systems.count() == 2
    assert hand.clicks == CLICKS + 2


def test_names_that_look_alike_take_one_more(hand: Hand, tmp_path: Path) -> None:
    rows = [row | {"system": row["system"].title()} for row in USUAL[:6]] + USUAL[6:]
    hand.begin({"news.csv": table(rows)}, tmp_path)
    hand.to_the_preview()
    hand.click("button", "Join names that look alike")
    hand.see("Reading the file")
    imports.run_due()
    hand.see("Preview: the campaign does not exist yet")
    assert hand.create_and_open().systems.count() == 2
    assert hand.clicks == CLICKS + 1


def test_a_column_of_the_preview_is_another_one(hand: Hand, tmp_path: Path) -> None:
    rows = [row | {"c": f"Says {n} or so"} for n, row in enumerate(wide("a", "b", item="i"))]
    hand.begin({"news.csv": table(rows)}, tmp_path)
    hand.to_the_preview()
    hand.click("link", "Change which column is which")
    hand.page.get_by_role("combobox", name="c", exact=True).select_option("not used")
    hand.clicks += 2
    hand.send()
    hand.see("Preview: the campaign does not exist yet")
    made = hand.create_and_open()
    assert set(made.systems.values_list("name", flat=True)) == {"a", "b"}
    assert hand.clicks == CLICKS + 4
