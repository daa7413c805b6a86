"""Reads the files of an import into a sheet, and pairs its rows for a comparison."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from annotate.campaigns import formats
from annotate.campaigns import problems as campaigns_problems
from annotate.campaigns.formats import Form
from annotate.campaigns.problems import (
    FIELDS,
    FieldNames,
    Problems,
    Row,
    RowError,
    UploadRefused,
    fields_shown,
    looks_like,
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
from annotate.common.numbers import count, many
from annotate.instruments import base as instruments_base


class Pairs:
    """The pairs of a sheet, item by item; an item without any is not one of its items."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._places = {name: place for place, name in enumerate(sheet.systems)}

    def in_order(self) -> "array[int]":
        """Return the numbers of the items with a pair, in the order of their keys."""
        return self._sheet.in_order(differing=True)

    def groups(self) -> list[int]:
        return self._sheet.groups(differing=True)

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        rows = self._sheet.group(item, loose)
        return list(paired(sorted(rows, key=lambda row: self._places[row.system])))

    def size_of(self, item: int) -> int:
        return len(self.group(item))


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


def names(systems: Sequence[str]) -> dict[str, tuple[str, str]]:
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


# Reads files into a sheet: checks every row, reports every error, adds tables of metrics.


COLUMNS = ["item", "metric", "system", "value"]
UNIT = "metrics file, line"


def add_metrics(sheet: Sheet, blocks: Iterable[bytes]) -> None:
    """Add metric values to their outputs; raises `UploadRefused` for values without an output."""
    try:
        _encoding, text = campaigns_problems.as_utf8(blocks)
        head, text = campaigns_problems.head_of(text)
        problems = _values(sheet, formats.header_of(head, FieldNames()), text)
    except UploadRefused as refused:
        raise UploadRefused([_of_metrics(error) for error in refused.errors]) from None
    problems.check()


def _values(sheet: Sheet, header: formats.Header, text: Iterable[bytes]) -> Problems:
    names = tuple(name.strip().casefold() for name in header.names)
    if sorted(names) != COLUMNS:
        raise UploadRefused([RowError(1, "the columns must be: system,item,metric,value.")])
    header = formats.Header(names, header.delimiter, header.line)
    problems = Problems()
    for line, cells in formats.table_records(text, header):
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
    return problems


def _of_metrics(error: RowError) -> RowError:
    return RowError(error.line, error.message, error.kind, UNIT)


def _add_value(sheet: Sheet, cells: dict[str, str], *, comma: bool) -> None:
    metric, text = cells["metric"], cells["value"]
    if not 0 < len(metric) <= LONGEST_METRIC or "\x00" in metric:
        message = f"the name of a metric has 1 to {LONGEST_METRIC} characters, none of them NUL."
        raise FaultyError([("metric name", message)])
    number = formats.number_of(text, comma=comma)
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
    columns: Mapping[str, str] = formats.NO_COLUMNS,
) -> Facts:
    """Read the files into an empty sheet; raises `UploadRefused` with all errors found.

    outputs: the file in blocks of any size, in one of the recognised formats.
    metrics: a CSV file with the columns system, item, metric and value.
    columns: which column of the outputs is which, by our names, where somebody said so.
    """
    reading = _Reading(sheet, formats.recognised(outputs, columns))
    reading.run()
    if metrics is not None:
        add_metrics(sheet, metrics)
    facts = sheet.facts()
    form = reading.form
    facts.form, facts.encoding, facts.unit = form.name, form.encoding, form.unit
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
        sheet.unit = form.unit

    def run(self) -> None:
        for record in self.form.records:
            if isinstance(record, RowError):
                self.problems.add(record)
            else:
                self._take(*record)
            if self.problems.full:
                break
        if not self.problems.problems and not self.sheet.systems:
            self.problems.add(RowError(0, formats.EMPTY))
        self.problems.check()

    def _take(self, place: int, known: dict[str, Any], unknown: dict[str, Any]) -> None:
        try:
            row = row_of(known, place, unknown)
            self._count(row)
            self.sheet.add(row, self._numbers(unknown, place))
        except FaultyError as faulty:
            for kind, message in faulty.told:
                self.problems.add(RowError(place, message, kind, self.form.unit))

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
        names = self.form.names
        said = {theirs: ours for theirs, ours in names.read_as.items() if ours in names.named}
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
