"""The contents of a file in numbers and a few examples, for the preview and the checks."""

import json
import re
import sqlite3
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from annotate.instruments import pairs
from annotate.services.campaigns.importing import lookalikes
from annotate.services.campaigns.importing.metric_columns import (
    MOST_LINES,
    Column,
    Gap,
    columns,
)
from annotate.services.campaigns.importing.useless import constant_metrics

# The items, or those with two different texts, in the order of their keys.
IN_ORDER = "SELECT item.id FROM item {} ORDER BY key"
DIFFERING = "WHERE (SELECT count(DISTINCT hash) FROM row WHERE row.item = item.id) > 1"
SAMPLES = 3  # outputs of each system
LONGEST_SAMPLE = 280  # characters
SERIES_SHOWN = 5  # items of a block
SERIAL = re.compile(r"(.+)[-_./:# ][A-Za-z]{0,3}\d{1,5}")  # a stem, and a number at the end
MOST_SYSTEMS = 20  # shown with samples
MOST_COMPARED = 12  # systems of a comparison: 66 pairs


class ExampleRow(BaseModel):
    item: str
    output: str


class SystemFacts(BaseModel):
    name: str
    n_outputs: int
    samples: list[ExampleRow] = []


class OddCell(BaseModel):
    """The first cell that is no number, in a column that has numbers otherwise."""

    column: str
    line: int
    cell: str


class Context(BaseModel):
    """The fields of the first item, so that the user can check that they were understood."""

    item: str = ""
    input: str = ""
    reference: str = ""
    n_paragraphs: int = 0


class Series(BaseModel):
    """Items whose keys say that they may belong together.

    items: the first few of the first block. blocks: how many there are. n_items: in all of them.
    """

    items: list[str]
    blocks: int
    n_items: int


class PairFacts(BaseModel):
    """The same of every two systems, for a comparison: only texts of an item that differ."""

    n_rows: int = 0
    n_items: int = 0
    n_outputs: int = 0
    n_texts: list[int] = []
    groups: list[int] = []
    n_systems: int = 0
    systems: list[SystemFacts] = []
    n_same: int = 0  # pairs of one text, which are left out
    marked: Gap = Gap()  # rows that contain the mark between two texts


class Facts(BaseModel):
    """The summary of a file that was read completely and has no errors."""

    form: str = ""  # JSON lines, a JSON list, CSV with commas
    encoding: str = ""
    unit: str = "line"  # what row numbers count
    n_rows: int = 0
    n_items: int = 0
    n_outputs: int = 0  # different texts
    n_texts: list[int] = []  # per item, in the order of their keys; empty where all are equal
    groups: list[int] = []  # the number of each item's group, in that order; empty without groups
    series: Series | None = None  # without groups: items that look like parts of something
    n_references: int = 0  # items with a reference
    n_empty: int = 0
    n_systems: int = 0
    is_even: bool = True  # all systems have the same number of outputs
    systems: list[SystemFacts] = []
    first: Context = Context()
    no_reference: Gap = Gap()
    no_input: Gap = Gap()  # neither an input nor paragraphs
    no_question: Gap = Gap()  # no input, or no paragraphs
    no_others: Gap = Gap()  # only one system wrote a text for the item
    columns: list[Column] = []
    odd_cells: list[OddCell] = []
    constant_metrics: list[str] = []  # recommended ones that are the same for every output
    notices: list[str] = []
    alike: list[str] = []  # a sentence for each two names of systems or items that look alike
    pairs: PairFacts | None = None  # None: there are fewer than two systems, or too many

    def of_pairs(self, found: PairFacts) -> "Facts":
        """Return the facts of a comparison of every two systems."""
        numbers = found.model_dump(exclude={"marked", "n_same", "systems"})
        return self.model_copy(update={**numbers, "systems": found.systems})

    def column(self, name: str) -> Column | None:
        return next((one for one in self.columns if one.name == name), None)

    @property
    def n_units(self) -> int:
        """Return how many items there are, or groups of items where they come in groups."""
        return len(set(self.groups)) if self.groups else self.n_items

    def texts_of_items(self) -> list[int]:
        """Return how many different texts each item has, in the order of the items' keys."""
        alike = [self.n_outputs // max(1, self.n_items)] * self.n_items
        return list(self.n_texts) or alike


COUNTS = """
SELECT
    (SELECT count(*) FROM row) AS n_rows,
    (SELECT count(*) FROM row WHERE blank) AS n_empty,
    (SELECT count(*) FROM item) AS n_items,
    (SELECT count(*) FROM item WHERE reference <> '') AS n_references,
    (SELECT count(*) FROM (SELECT DISTINCT item, hash FROM row)) AS n_outputs
"""


ALONE = "(SELECT count(*) FROM row AS other WHERE other.item = row.item) < 2"


def facts_of_sheet(db: sqlite3.Connection) -> Facts:
    counted = db.execute(COUNTS)
    names = [column[0] for column in counted.description]
    sizes = _sizes(db)
    return Facts(
        **dict(zip(names, counted.fetchone(), strict=True)),
        n_texts=_texts(db),
        groups=groups_of(db),
        series=_series(db),
        n_systems=len(sizes),
        is_even=len({size for _id, _name, size in sizes}) < 2,
        systems=[
            SystemFacts(name=name, n_outputs=size, samples=_samples(db, number))
            for number, name, size in sizes[:MOST_SYSTEMS]
        ],
        first=_first(db),
        no_reference=_lacking(db, "reference = ''"),
        no_input=_lacking(db, "NOT has_input"),
        no_question=_lacking(db, "NOT has_question"),
        no_others=_lacking(db, ALONE),
        columns=[*columns(db, "metrics"), *columns(db, "loose")],
        constant_metrics=constant_metrics(db),
        alike=lookalikes.sentences(db),
        pairs=_pairs(db) if 2 <= len(sizes) <= MOST_COMPARED else None,
    )


def _texts(db: sqlite3.Connection) -> list[int]:
    found = db.execute(
        "SELECT count(DISTINCT hash) FROM row JOIN item ON item.id = row.item "
        "GROUP BY item.id ORDER BY key"
    )
    texts = [n for (n,) in found]
    return texts if len(set(texts)) > 1 else []


def groups_of(db: sqlite3.Connection, *, differing: bool = False) -> list[int]:
    """Return the number of each item's group, in the order of the items' keys.

    An item without a group is one of its own. Empty where every group has one item.
    differing: only of items with two different texts.
    """
    chosen = IN_ORDER.replace("item.id", "grouped", 1).format(DIFFERING if differing else "")
    number: dict[str | int, int] = {}
    found = [
        number.setdefault(group or place, len(number))
        for place, (group,) in enumerate(db.execute(chosen))
    ]
    return found if len(number) < len(found) else []


def _series(db: sqlite3.Connection) -> Series | None:
    """Return the items that look like parts of something, in the order of the file.

    Their keys are one stem with a number each, several in a row, for half of the items or more.
    Keys that are all of one stem are just numbered.
    """
    if db.execute("SELECT 1 FROM item WHERE grouped <> '' LIMIT 1").fetchone():
        return None
    stems = [(_stem(key), key) for (key,) in db.execute("SELECT key FROM item ORDER BY id")]
    blocks = [[key for _stem, key in block] for stem, block in groupby(stems, lambda one: one[0])]
    several = [block for block in blocks if len(block) > 1]
    names = [_stem(block[0]) for block in several]
    size = sum(map(len, several))
    if len(several) < 3 or len(set(names)) < len(names) or 2 * size < len(stems):
        return None
    return Series(items=several[0][:SERIES_SHOWN], blocks=len(several), n_items=size)


def _stem(key: str) -> str:
    """Return the key without the number at its end; the key itself where it has no such number."""
    found = SERIAL.fullmatch(key)
    return found[1] if found else key


def _sizes(db: sqlite3.Connection) -> list[tuple[int, str, int]]:
    found = db.execute(
        "SELECT system.id, name, count(row.id) FROM system LEFT JOIN row ON system = system.id "
        "GROUP BY system.id ORDER BY system.id"
    )
    return list(found)


def _samples(db: sqlite3.Connection, system: int) -> list[ExampleRow]:
    found = db.execute(
        "SELECT key, output FROM row JOIN item ON item.id = row.item WHERE system = ? "
        "ORDER BY row.id LIMIT ?",
        (system, SAMPLES),
    )
    return [ExampleRow(item=key, output=_short(output)) for key, output in found]


def _first(db: sqlite3.Connection) -> Context:
    found = db.execute(
        "SELECT key, input, reference, paragraphs FROM item ORDER BY id LIMIT 1"
    ).fetchone()
    if found is None:
        return Context()
    key, given, reference, paragraphs = found
    n_paragraphs = len(json.loads(paragraphs))
    return Context(
        item=key, input=_short(given), reference=_short(reference), n_paragraphs=n_paragraphs
    )


def _lacking(db: sqlite3.Connection, condition: str) -> Gap:
    rows = f"FROM row JOIN item ON item.id = row.item WHERE {condition}"
    (count,) = _one(db, f"SELECT count(*) {rows}")
    lines = db.execute(f"SELECT row.line {rows} ORDER BY row.id LIMIT {MOST_LINES}")
    return Gap(count=count, lines=[line for (line,) in lines])


PAIRS = (
    "FROM row AS a JOIN row AS b ON a.item = b.item AND a.system < b.system AND a.hash <> b.hash "
)


def _pairs(db: sqlite3.Connection) -> PairFacts:
    texts = db.execute(
        f"SELECT count(DISTINCT a.hash || ' ' || b.hash) {PAIRS} JOIN item ON item.id = a.item "
        "GROUP BY item.id ORDER BY key"
    )
    n_texts = [n for (n,) in texts]
    systems = db.execute(
        f"SELECT one.name, other.name, count(*) {PAIRS} JOIN system AS one ON one.id = a.system "
        "JOIN system AS other ON other.id = b.system GROUP BY a.system, b.system "
        "ORDER BY a.system, b.system"
    )
    found = [
        SystemFacts(name=pairs.name(first, second), n_outputs=n) for first, second, n in systems
    ]
    n_rows = sum(one.n_outputs for one in found)
    (every,) = _one(
        db, "SELECT count(*) FROM row AS a JOIN row AS b ON a.item = b.item AND a.system < b.system"
    )
    return PairFacts(
        n_rows=n_rows,
        n_items=len(n_texts),
        n_outputs=sum(n_texts),
        n_texts=n_texts if len(set(n_texts)) > 1 else [],
        groups=groups_of(db, differing=True),
        n_systems=len(found),
        systems=found[:MOST_SYSTEMS],
        n_same=every - n_rows,
        marked=_lacking(db, f"instr(output, '{pairs.MARK.strip()}')"),
    )


def _one(db: sqlite3.Connection, query: str) -> tuple[Any, ...]:
    return tuple(db.execute(query).fetchone())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1] + "…"
