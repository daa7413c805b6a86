"""The rows of one import on disk, what they must be, and the facts about them."""

import json
import re
import sqlite3
import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from itertools import compress, groupby
from typing import Any, Self

from pydantic import BaseModel

from annotate.campaigns import problems
from annotate.campaigns.problems import REQUIRED, Constant, Row, fields_shown, looks_like
from annotate.common import content
from annotate.common.numbers import count
from annotate.common.text import UNSEEN, is_visible
from annotate.instruments import base as instruments_base
from estimation.metrics import METRICS, Metric

MOST_TEXTS = 20_000  # in larger files nothing is said of computed metrics: this takes a second
BLOCK = 200  # texts that are scored before the values are compared again
FEW = 8  # fewer rows or items than this may be in the order of a score by chance
# Those that a new campaign chooses by itself; each needs the text alone.
CHOSEN = [one for one in METRICS.values() if one.efficiency and one.needs == "nothing"]


class MetricFault(StrEnum):
    """The reason why a column of numbers saves nothing. The first that holds is reported."""

    SAME = "same"  # for every output
    OF_SYSTEM = "of_system"  # for all outputs of a system: each system has its own estimate
    NUMBERS_ROWS = "numbers_rows"
    NUMBERS_ITEMS = "numbers_items"


def constant_metrics(db: sqlite3.Connection) -> list[str]:
    """Return the metrics that a new campaign would choose and that are the same for every text.

    A metric is computed only until two of its values differ, and not for very many texts.
    """
    (n_texts,) = db.execute("SELECT count(*) FROM row").fetchone()
    if n_texts > MOST_TEXTS:
        return []
    return [one.name for one in CHOSEN if not _differs(one, db)]


def _differs(metric: Metric, db: sqlite3.Connection) -> bool:
    first: float | None = None
    found = db.execute("SELECT output FROM row ORDER BY id")
    while rows := found.fetchmany(BLOCK):
        scores = metric.score([output for (output,) in rows])
        first = float(scores[0]) if first is None else first
        if (scores != first).any():
            return True
    return False


# Names of systems or items that look alike: two names of one thing, as a rule.


ALIKE = {
    "systems": "SELECT min(name), max(name) FROM system GROUP BY looks(name) HAVING count(*) > 1",
    "items": "SELECT min(key), max(key) FROM item GROUP BY looks(key) HAVING count(*) > 1",
}
MOST = 10  # pairs of a kind that are told


def names_alike(db: sqlite3.Connection) -> list[str]:
    """Return a sentence for each two systems, or items, whose names look alike."""
    db.create_function("looks", 1, looks, deterministic=True)
    found: list[str] = []
    for kind, query in ALIKE.items():
        rows = db.execute(query).fetchall()
        found += [
            f"Two {kind} have names that look alike: “{_shown(one)}” and “{_shown(other)}” differ "
            f"only in {_difference(one, other)}."
            for one, other in rows[:MOST]
        ]
        if len(rows) > MOST:
            found.append(f"{len(rows) - MOST:,} more names of {kind} look alike.")
    return found


def looks(name: str) -> str:
    """Return what a reader sees: without case, outer and double blanks, and what is not drawn."""
    return _composed(_drawn(name)).casefold()


def _drawn(name: str) -> str:
    kept = (one for one in name if one not in UNSEEN and unicodedata.category(one) != "Cf")
    return " ".join("".join(kept).split())


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _difference(one: str, other: str) -> str:
    if _composed(one) == _composed(other):
        return "how their accents are coded (NFC and NFD)"
    if _composed(_drawn(one)) == _composed(_drawn(other)):
        return "blanks, or characters that are not drawn"
    if one.casefold() == other.casefold():
        return "capital letters"
    return "capital letters, blanks, or how accents are coded"


def _shown(name: str) -> str:
    """Return a name with marks for what is not seen."""
    text = name
    if name != _composed(name):
        text = "".join(_code(one) if unicodedata.combining(one) else one for one in name)
    inner = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    text = "·" * start + inner.replace("  ", "··") + "·" * (len(text) - start - len(inner))
    return "".join(_code(one) if _is_unseen(one) else one for one in text)


def _is_unseen(one: str) -> bool:
    hidden = one in UNSEEN or unicodedata.category(one) in ("Cf", "Cc")
    return hidden or (one.isspace() and one != " ")


def _code(one: str) -> str:
    return f"\\u{ord(one):04x}"


# The columns of numbers of a sheet: which can be metrics, and what stands against the others.


MOST_LINES = 5  # kept as examples
VALUES = {
    "metrics": "SELECT metrics, line, id, item, system FROM row ORDER BY id",
    "loose": "SELECT loose, line, id, item, system FROM row ORDER BY id",
}
SHARED_TEXTS = """
SELECT metrics, loose, item, hash FROM row
WHERE (item, hash) IN (SELECT item, hash FROM row GROUP BY item, hash HAVING count(*) > 1)
ORDER BY item, hash, id
"""


class Gap(BaseModel):
    """Rows that lack something: how many, and where the first ones are."""

    count: int = 0
    lines: list[int] = []


class Column(BaseModel):
    """A metric with values in the file.

    loose: a numeric column beside the known fields. It is used only if the plan names it.
    useless: why it can save no judgments, if that is known.
    averaged: the texts of several systems of which it has several values. Their mean is used.
    """

    name: str
    lacking: Gap = Gap()
    loose: bool = False
    useless: MetricFault | None = None
    averaged: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.lacking.count


def unpacked(packed: str | None) -> dict[str, float]:
    return json.loads(packed) if packed else {}


def columns(db: sqlite3.Connection, kind: str) -> list[Column]:
    """Return the metrics of the rows, sorted by name, with the rows that lack them."""
    given: Counter[str] = Counter()
    possible: dict[str, set[MetricFault]] = {}  # the reasons that hold for all rows so far
    expected: dict[tuple[str, MetricFault, int], float] = {}
    n_rows = n_items = n_systems = 0
    for packed, _line, row, item, system in db.execute(VALUES[kind]):
        n_rows, n_items, n_systems = n_rows + 1, max(n_items, item), max(n_systems, system)
        for name, value in unpacked(packed).items():
            given[name] += 1
            holds = possible.setdefault(name, set(MetricFault))
            # What is the same wherever a reason holds, and where that is one place of many.
            for why, place, same in (
                (MetricFault.SAME, 0, value),
                (MetricFault.OF_SYSTEM, system, value),
                (MetricFault.NUMBERS_ROWS, 0, value - row),
                (MetricFault.NUMBERS_ITEMS, 0, value - item),
            ):
                if why in holds and expected.setdefault((name, why, place), same) != same:
                    holds.discard(why)
    sure = {MetricFault.SAME}  # those that are no chance in so many rows
    sure |= {MetricFault.OF_SYSTEM} if n_rows > n_systems else set()
    sure |= {MetricFault.NUMBERS_ROWS} if n_rows >= FEW else set()
    sure |= {MetricFault.NUMBERS_ITEMS} if n_items >= FEW else set()
    gaps = {name: Gap(count=n_rows - n) for name, n in given.items() if n < n_rows}
    _find_lines(db, kind, gaps)
    averaged = _averaged(db, kind)
    return [
        Column(
            name=name,
            lacking=gaps.get(name, Gap()),
            loose=kind == "loose",
            useless=next((why for why in MetricFault if why in sure & possible[name]), None),
            averaged=averaged[name],
        )
        for name in sorted(given)
    ]


def _find_lines(db: sqlite3.Connection, kind: str, gaps: dict[str, Gap]) -> None:
    wanted = dict(gaps)
    for packed, line, *_ids in db.execute(VALUES[kind]):
        if not wanted:
            return
        values = unpacked(packed)
        for name in [name for name in wanted if name not in values]:
            wanted[name].lines.append(line)
            if len(wanted[name].lines) == MOST_LINES:
                del wanted[name]


def _averaged(db: sqlite3.Connection, kind: str) -> Counter[str]:
    """Return for each metric how many texts of several systems have several values of it."""
    found: Counter[str] = Counter()
    at = 0 if kind == "metrics" else 1
    for _text, rows in groupby(db.execute(SHARED_TEXTS), key=lambda row: row[2:]):
        values = [unpacked(row[at]) for row in rows]
        names = {name for one in values for name in one}
        found.update(name for name in names if len({one.get(name) for one in values}) > 1)
    return found


# The contents of a file in numbers and a few examples, for the preview and the checks.


# The items, or those with two different texts, in the order of their keys.
IN_ORDER = "SELECT item.id FROM item {} ORDER BY key"
DIFFERING = "WHERE (SELECT count(DISTINCT hash) FROM row WHERE row.item = item.id) > 1"
SAMPLES = 3  # outputs of each system
LONGEST_SAMPLE = 280  # characters
MOST_LOOKED_AT = 200  # texts from which their form is proposed
SERIES_SHOWN = 5  # items of a block
SERIAL = re.compile(r"(.+)[-_./:# ][A-Za-z]{0,3}\d{1,5}")  # a stem, and a number at the end
MOST_SYSTEMS = 20  # shown with samples
MOST_COMPARED = 12  # systems of a comparison: 66 pairs


class Example(BaseModel):
    """The start of an output, or of all fields of an item, as their readers see it."""

    item: str = ""
    output: str = ""
    input: str = ""
    reference: str = ""
    n_paragraphs: int = 0


class SystemFacts(BaseModel):
    name: str
    n_outputs: int
    samples: list[Example] = []


class OddCell(BaseModel):
    """The first cell that is no number, in a column that has numbers otherwise."""

    column: str
    line: int
    cell: str


class Series(BaseModel):
    """Items whose keys say that they may belong together.

    items: the first few of the first block. blocks: how many there are. n_items: in all of them.
    """

    items: list[str]
    blocks: int
    n_items: int


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
    n_inputs: int = 0  # items with an input or paragraphs
    n_empty: int = 0
    n_systems: int = 0
    is_even: bool = True  # all systems have the same number of outputs
    systems: list[SystemFacts] = []
    output_form: str = "plain"  # how texts seem to be meant: a `TextForm`
    input_form: str = "plain"
    first: Example = Example()  # the first item, to see that its fields were understood
    no_reference: Gap = Gap()
    no_input: Gap = Gap()  # neither an input nor paragraphs
    no_question: Gap = Gap()  # no input, or no paragraphs
    no_others: Gap = Gap()  # only one system wrote a text for the item
    columns: list[Column] = []
    odd_cells: list[OddCell] = []
    constant_metrics: list[str] = []  # recommended ones that are the same for every output
    notices: list[str] = []
    read_as: list[problems.Column] = []  # the columns of the file
    alike: list[str] = []  # a sentence for each two names of systems or items that look alike
    # The facts of every two systems, as far as they differ; None: there are fewer, or too many.
    pairs: "Facts | None" = None
    n_same: int = 0  # of pairs and rankings: those of one text, which are left out
    marked: Gap = Gap()  # of pairs: rows that contain the mark between two texts

    def of_pairs(self, found: "Facts") -> "Facts":
        """Return the facts of a comparison of every two systems."""
        return self.model_copy(update={name: getattr(found, name) for name in OF_PAIRS})

    def of_rankings(self) -> "Facts":
        """Return the facts where all texts of an item are one task, if two of them differ."""
        kept = [n > 1 for n in self.texts_of_items()]
        groups = list(compress(self.groups, kept))
        return self.model_copy(
            update={
                "n_rows": sum(kept) * self.n_systems,
                "n_items": sum(kept),
                "n_outputs": sum(kept),
                "n_texts": [],
                "groups": groups if len(set(groups)) < len(groups) else [],
                "n_same": len(kept) - sum(kept),
            }
        )

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


# What differs in a comparison of every two systems.
OF_PAIRS = ("n_rows", "n_items", "n_outputs", "n_texts", "groups", "n_systems", "systems")

COUNTS = """
SELECT
    (SELECT count(*) FROM row) AS n_rows,
    (SELECT count(*) FROM row WHERE blank) AS n_empty,
    (SELECT count(*) FROM item) AS n_items,
    (SELECT count(*) FROM item WHERE reference <> '') AS n_references,
    (SELECT count(*) FROM item WHERE has_input) AS n_inputs,
    (SELECT count(*) FROM (SELECT DISTINCT item, hash FROM row)) AS n_outputs
"""


ALONE = "(SELECT count(*) FROM row AS other WHERE other.item = row.item) < 2"


def facts_of_sheet(db: sqlite3.Connection) -> Facts:
    counted = db.execute(COUNTS)
    names = [column[0] for column in counted.description]
    sizes = db.execute(
        "SELECT system.id, name, count(row.id) FROM system LEFT JOIN row ON system = system.id "
        "GROUP BY system.id ORDER BY system.id"
    ).fetchall()
    texts = db.execute(
        "SELECT count(DISTINCT hash) FROM row JOIN item ON item.id = row.item "
        "GROUP BY item.id ORDER BY key"
    )
    n_texts = [n for (n,) in texts]
    output_form = _form(db, "SELECT output FROM row ORDER BY id LIMIT ?")
    input_form = _form(db, "SELECT input FROM item ORDER BY id LIMIT ?")
    return Facts(
        **dict(zip(names, counted.fetchone(), strict=True)),
        n_texts=n_texts if len(set(n_texts)) > 1 else [],
        groups=groups_of(db),
        series=_series(db),
        n_systems=len(sizes),
        is_even=len({size for _id, _name, size in sizes}) < 2,
        systems=[
            SystemFacts(name=name, n_outputs=size, samples=_samples(db, number, output_form))
            for number, name, size in sizes[:MOST_SYSTEMS]
        ],
        output_form=output_form,
        input_form=input_form,
        first=_first(db, input_form),
        no_reference=_lacking(db, "reference = ''"),
        no_input=_lacking(db, "NOT has_input"),
        no_question=_lacking(db, "NOT has_question"),
        no_others=_lacking(db, ALONE),
        columns=[*columns(db, "metrics"), *columns(db, "loose")],
        constant_metrics=constant_metrics(db),
        alike=names_alike(db),
        pairs=_pairs(db) if 2 <= len(sizes) <= MOST_COMPARED else None,
    )


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


def _samples(db: sqlite3.Connection, system: int, form: str) -> list[Example]:
    found = db.execute(
        "SELECT key, output FROM row JOIN item ON item.id = row.item WHERE system = ? "
        "ORDER BY row.id LIMIT ?",
        (system, SAMPLES),
    )
    return [Example(item=key, output=_short(output, form)) for key, output in found]


def _form(db: sqlite3.Connection, query: str) -> str:
    return content.proposed([text for (text,) in db.execute(query, (MOST_LOOKED_AT,))])


def _first(db: sqlite3.Connection, form: str) -> Example:
    found = db.execute(
        "SELECT key, input, reference, paragraphs FROM item ORDER BY id LIMIT 1"
    ).fetchone()
    if found is None:
        return Example()
    key, given, reference, paragraphs = found
    n_paragraphs = len(json.loads(paragraphs))
    return Example(
        item=key,
        input=_short(given, form),
        reference=_short(reference),
        n_paragraphs=n_paragraphs,
    )


def _lacking(db: sqlite3.Connection, condition: str) -> Gap:
    rows = f"FROM row JOIN item ON item.id = row.item WHERE {condition}"
    (count,) = _one(db, f"SELECT count(*) {rows}")
    lines = db.execute(f"SELECT row.line {rows} ORDER BY row.id LIMIT {MOST_LINES}")
    return Gap(count=count, lines=[line for (line,) in lines])


PAIRS = (
    "FROM row AS a JOIN row AS b ON a.item = b.item AND a.system < b.system AND a.hash <> b.hash "
)


def _pairs(db: sqlite3.Connection) -> Facts:
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
        SystemFacts(name=instruments_base.name(first, second), n_outputs=n)
        for first, second, n in systems
    ]
    n_rows = sum(one.n_outputs for one in found)
    (every,) = _one(
        db, "SELECT count(*) FROM row AS a JOIN row AS b ON a.item = b.item AND a.system < b.system"
    )
    return Facts(
        n_rows=n_rows,
        n_items=len(n_texts),
        n_outputs=sum(n_texts),
        n_texts=n_texts if len(set(n_texts)) > 1 else [],
        groups=groups_of(db, differing=True),
        n_systems=len(found),
        systems=found[:MOST_SYSTEMS],
        n_same=every - n_rows,
        marked=_lacking(db, f"instr(output, '{instruments_base.MARK.strip()}')"),
    )


def _one(db: sqlite3.Connection, query: str) -> tuple[Any, ...]:
    return tuple(db.execute(query).fetchone())


def _short(text: str, form: str = content.TextForm.PLAIN) -> str:
    text = content.beginning(text, form, LONGEST_SAMPLE)
    return text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1] + "…"


# One row as it is in a file, and the messages about rows that do not fit.


# Characters of each text; the first two are never empty.
LONGEST = {"item": 120, "system": 80, "output": 50_000, "reference": 50_000, "input": 200_000}
LONGEST_GROUP = 120
MOST_PARAGRAPHS, LONGEST_PARAGRAPH = 10, 20_000
LONGEST_METRIC = 60
LARGEST = 1e100  # what is larger is a mistake, and its square may be infinite
RANGE = "between −10^100 and 10^100"

Told = tuple[str, str]  # kind, message


class FaultyError(ValueError):
    """A row that cannot be imported. `told` holds one message per fault."""

    def __init__(self, told: Iterable[Told]) -> None:
        self.told = list(told)
        super().__init__("; ".join(message for _kind, message in self.told))


def row_of(known: Mapping[str, Any], line: int, unknown: Iterable[str] = ()) -> Row:
    """Return the row, or raise `FaultyError`.

    unknown: names in the record that may be misspelt fields.
    """
    # Null means the same as absent, and an item or a group may be numbered.
    fields = {name: value for name, value in known.items() if value is not None}
    for name in ("item", "group"):
        if isinstance(number := fields.get(name), int) and not isinstance(number, bool):
            fields[name] = str(number)
    metrics, paragraphs = fields.get("metrics", {}), fields.get("paragraphs", [])
    if isinstance(metrics, dict):
        metrics = {name: value for name, value in metrics.items() if value is not None}
    wrong = [
        *_wrong_texts(fields, unknown),
        *_wrong_paragraphs(paragraphs),
        *wrong_text("group", fields.get("group", ""), LONGEST_GROUP),
        *_wrong_metrics(metrics),
    ]
    if wrong:
        raise FaultyError(wrong)
    return Row(
        **{name: fields.get(name, "") for name in LONGEST},
        paragraphs=tuple(paragraphs),
        group=fields.get("group", "").strip(),
        metrics={name: float(value) for name, value in metrics.items()},
        line=line,
    )


def _wrong_texts(fields: Mapping[str, Any], unknown: Iterable[str]) -> Iterator[Told]:
    for name, longest in LONGEST.items():
        value = fields.get(name)
        needed = name in REQUIRED
        if (value is None and needed) or (value == "" and needed and name != "output"):
            close = looks_like(name, unknown)
            shown = fields_shown(close)
            hint = f" Did you mean “{shown}”? Then rename it to “{name}”." if close else ""
            yield f"{name} missing", f"“{name}” is missing.{hint}"
        elif value is not None:
            yield from wrong_text(name, value, longest)


def wrong_text(name: str, value: Any, longest: int, no_text: str = "") -> Iterator[Told]:
    """Yield what is wrong with a text. no_text: the message for what is none."""
    if not isinstance(value, str):
        yield f"{name} type", no_text or f"“{name}” must be text."
    elif not _can_be_stored(value):
        message = "contains an incomplete character (a lone surrogate such as \\ud800)."
        yield f"{name} surrogate", f"“{name}” {message}"
    elif len(value) > longest:
        yield f"{name} long", f"“{name}” is longer than {longest:,} characters."
    elif "\x00" in value:
        yield f"{name} nul", f"“{name}” contains a NUL character, which no text has."


def _can_be_stored(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wrong_paragraphs(given: Any) -> Iterator[Told]:
    no_list = "“paragraphs” must be a list of texts."
    if not isinstance(given, list):
        yield "paragraphs type", no_list
    elif len(given) > MOST_PARAGRAPHS:
        yield "paragraphs many", f"more than {MOST_PARAGRAPHS} paragraphs."
    else:
        for one in given:
            wrong = list(wrong_text("paragraphs", one, LONGEST_PARAGRAPH, no_list))
            if not wrong and not one.strip():
                wrong = [("paragraphs blank", "a paragraph is empty.")]
            yield from wrong


def _wrong_metrics(given: Any) -> Iterator[Told]:
    if not isinstance(given, dict):
        yield "metrics", '“metrics” must be an object of numbers, such as {"comet": 0.71}.'
        return
    for name, value in given.items():
        if not _can_be_stored(name) or "\x00" in name:
            message = "the name of a metric contains a character that no text has."
            yield "metric name", message
        elif not 0 < len(name) <= LONGEST_METRIC:
            yield "metric name", f"the name of a metric has 1 to {LONGEST_METRIC} characters."
        shown = f"metric “{fields_shown(name)}”"
        if isinstance(value, Constant):
            message = f"{value.name} is not a number. Leave the metric out, or correct it."
            yield "metric constant", message
        elif isinstance(value, bool) or not isinstance(value, int | float):
            yield "metric type", f"{shown} is not a number."
        elif not abs(value) <= LARGEST:
            yield "metric range", f"{shown} is not {RANGE}."


def range_for(text: str) -> str:
    """Return what “no number” lacks: the range, where the text is a number or NaN; else ""."""
    try:
        float(text)
    except ValueError:
        return ""
    return f" {RANGE}"


# The rows of one import, on disk during the import, so that memory does not grow with the file.
#
# They are in SQLite's temporary database, a file without a name that disappears with the process.


TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
CREATE TABLE system (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, line INTEGER, reference TEXT, input TEXT,
    paragraphs TEXT, grouped TEXT, hashes TEXT, has_input INTEGER, has_question INTEGER
);
CREATE TABLE first (kind TEXT, looks TEXT, name TEXT, PRIMARY KEY (kind, looks)) WITHOUT ROWID;
CREATE TABLE row (
    id INTEGER PRIMARY KEY, item INTEGER, system INTEGER, line INTEGER, output TEXT, hash INTEGER,
    blank INTEGER, metrics TEXT, loose TEXT, UNIQUE (item, system)
);
"""
SHARED = ("reference", "input", "paragraphs", "group")


class Sheet:
    """Takes rows in the order of the file, and returns them item by item."""

    def __init__(self, *, joins: bool = False) -> None:
        """joins: names that look alike are one: the first of them."""
        self.joins = joins
        self.joined: dict[tuple[str, str], str] = {}  # the first of them: by kind and other name
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(TABLES)
        self._db.execute("BEGIN")
        self._systems: dict[str, int] = {}
        self.unit = "line"  # what row numbers count, for messages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._db.close()

    def add(self, row: Row, loose: Mapping[str, float] | None = None) -> None:
        """Add a row; raises `FaultyError` where it contradicts an earlier one.

        loose: numbers in unknown fields, by their names in the file.
        """
        if self.joins:
            system_name, key = self._first("system", row.system), self._first("item", row.item)
            row = replace(row, system=system_name, item=key)
        item = self._item(row)
        system = self._systems.get(row.system)
        if system is None:
            added = self._db.execute("INSERT INTO system (name) VALUES (?)", (row.system,))
            system = self._systems[row.system] = int(added.lastrowid or 0)
        try:
            self._db.execute(
                "INSERT INTO row (item, system, line, output, hash, blank, metrics, loose) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    item,
                    system,
                    row.line,
                    row.output,
                    hash(row.output),
                    not is_visible(row.output),
                    _packed(row.metrics),
                    _packed(loose),
                ),
            )
        except sqlite3.IntegrityError:
            (line,) = self._one("SELECT line FROM row WHERE item = ? AND system = ?", item, system)
            message = (
                f"system “{row.system}” already has an output for item “{row.item}” "
                f"on {self.unit} {count(line)}. Keep one of them."
            )
            raise FaultyError([("twice", message)]) from None

    def _first(self, kind: str, name: str) -> str:
        """Return the first name of this kind that looks like this one."""
        look = looks(name)
        self._db.execute("INSERT OR IGNORE INTO first VALUES (?, ?, ?)", (kind, look, name))
        (first,) = self._one("SELECT name FROM first WHERE kind = ? AND looks = ?", kind, look)
        if first != name and len(self.joined) < MOST:
            self.joined[kind, name] = first
        return str(first)

    def _item(self, row: Row) -> int:
        hashes = " ".join(str(hash(getattr(row, name))) for name in SHARED)
        found = self._db.execute(
            "SELECT id, line, hashes FROM item WHERE key = ?", (row.item,)
        ).fetchone()
        if found is None:
            return self._new_item(row, hashes)
        number, line, before = found
        if before != hashes:
            raise FaultyError(self._differences(row, line, before.split(), hashes.split()))
        return int(number)

    def _new_item(self, row: Row, hashes: str) -> int:
        question = bool(row.input.strip())
        added = self._db.execute(
            "INSERT INTO item (key, line, reference, input, paragraphs, grouped, hashes, "
            "has_input, has_question) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.item,
                row.line,
                row.reference,
                row.input,
                json.dumps(row.paragraphs),
                row.group,
                hashes,
                bool(row.whole_input.strip()),
                question and bool(row.paragraphs),
            ),
        )
        return int(added.lastrowid or 0)

    def _differences(
        self, row: Row, line: int, before: list[str], now: list[str]
    ) -> Iterator[tuple[str, str]]:
        for name, one, other in zip(SHARED, before, now, strict=True):
            if one != other:
                message = (
                    f"another {name} for item “{row.item}” than on {self.unit} {count(line)}. "
                    "All outputs of an item share one."
                )
                yield f"another {name}", message

    def add_value(self, system: str, item: str, metric: str, value: float) -> None:
        """Add a metric's value to an existing row; raises `FaultyError` if there is none."""
        if self.joins:
            system, item = self._first("system", system), self._first("item", item)
        found = self._db.execute(
            "SELECT row.id, metrics FROM row JOIN item ON item.id = row.item "
            "WHERE item.key = ? AND system = ?",
            (item, self._systems.get(system)),
        ).fetchone()
        if found is None:
            message = (
                f"there is no output of system “{fields_shown(system)}” "
                f"for item “{fields_shown(item)}”."
            )
            raise FaultyError([("unknown output", message)])
        number, packed = found
        metrics = unpacked(packed)
        if metric in metrics:
            message = f"metric “{metric}” of this output was given twice."
            raise FaultyError([("value twice", message)])
        self._db.execute(
            "UPDATE row SET metrics = ? WHERE id = ?", (_packed(metrics | {metric: value}), number)
        )

    def __contains__(self, system: str) -> bool:
        return system in self._systems

    @property
    def systems(self) -> list[str]:
        """Names in the order of the file."""
        return list(self._systems)

    def told_of_joined(self) -> Iterator[str]:
        """Yield which names were taken for which, as far as they are few."""
        for (kind, name), first in self.joined.items():
            yield f"The {kind} “{_shown(name)}” is read as “{_shown(first)}”."

    def facts(self) -> Facts:
        return facts_of_sheet(self._db)

    def in_order(self, *, differing: bool = False) -> "array[int]":
        """Return the numbers of all items, in the order of their keys.

        differing: only of those with two different texts.
        """
        found = self._db.execute(IN_ORDER.format(DIFFERING if differing else ""))
        return array("q", (number for (number,) in found))

    def first(self, most: int) -> list[int]:
        """Return the numbers of the first items in the order of the file."""
        found = self._db.execute("SELECT id FROM item ORDER BY id LIMIT ?", (most,))
        return [number for (number,) in found]

    def groups(self, *, differing: bool = False) -> list[int]:
        """Return the number of each item's group, in the same order; empty without groups."""
        return groups_of(self._db, differing=differing)

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        """Return the rows of an item in the order of the file; `loose` numbers become metrics."""
        key, reference, given, paragraphs, grouped = self._one(
            "SELECT key, reference, input, paragraphs, grouped FROM item WHERE id = ?", item
        )
        rows = self._db.execute(
            "SELECT name, output, metrics, loose, line FROM row JOIN system ON system.id = system "
            "WHERE item = ? ORDER BY row.id",
            (item,),
        )
        return [
            Row(
                item=key,
                system=system,
                output=output,
                reference=reference,
                input=given,
                paragraphs=tuple(json.loads(paragraphs)),
                group=grouped,
                metrics=_merged(metrics, columns, loose),
                line=line,
            )
            for system, output, metrics, columns, line in rows
        ]

    def size_of(self, item: int) -> int:
        (count,) = self._one("SELECT count(*) FROM row WHERE item = ?", item)
        return int(count)

    def _one(self, query: str, *values: Any) -> tuple[Any, ...]:
        return tuple(self._db.execute(query, values).fetchone())


def _packed(numbers: Mapping[str, float] | None) -> str | None:
    return json.dumps(numbers) if numbers else None


def _merged(metrics: str | None, columns: str | None, loose: Collection[str]) -> dict[str, float]:
    values = unpacked(columns) if loose else {}
    return {name: values[name] for name in loose if name in values} | unpacked(metrics)
