"""Judgments and metrics from plain files, as samples of `estimation.core`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.campaigns import reading
from annotate.campaigns.problems import RowError, UploadRefused
from annotate.instruments.registry import INSTRUMENTS
from estimation.core import Sample, Scale, entering

KNOWN_CRITERIA = {
    criterion.name: criterion
    for instrument in INSTRUMENTS.values()
    for criterion in instrument.criteria
}
KNOWN_SCALES = {name: Scale(one.low, one.high, one.bounded) for name, one in KNOWN_CRITERIA.items()}


# Reading judgments and metrics from files: columns in, arrays out, errors with their line.
#
# Tables of any format that imports read, columns in any order, further columns ignored. A column
# `group` may name the group of each item (a document, a prompt, a dialogue); empty cells are none.
# Names are numbered as they first appear, so a million rows become arrays of numbers while being
# read.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

JUDGMENT_COLUMNS = ("system", "item", "annotator", "criterion")
METRIC_COLUMNS = ("system", "item", "metric")
GROUP = "group"
_BLOCK = 1024 * 1024
_ROWS_AT_ONCE = 50_000


class FileError(ValueError):
    """A problem of a file, with its place, in one line."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {message}")
        self.path, self.line, self.message = path, line, message


class TooManyRows(FileError):
    """A file is longer than what is read here."""


Names = dict[str, int]  # numbered 0, 1, 2, ... in the order in which they first appear


def encoded(known: Names, names: list[str]) -> Ints:
    """(len(names),) the names' numbers; new names get the next ones."""
    return np.fromiter((known.setdefault(n, len(known)) for n in names), np.int64, len(names))


Vocabulary = defaultdict[str, Names]  # of each column, shared by two files


def vocabulary() -> Vocabulary:
    """Return no names yet; two files read with it number theirs alike."""
    return defaultdict(dict)


@dataclass(frozen=True)
class Table:
    """A file's rows: per column of names their numbers, the values, and the lines they stood on.

    columns: with "group", and "time" if it was asked for, where the file has that column; -1 where
        a cell is empty.
    """

    path: Path
    names: Vocabulary
    columns: dict[str, Ints]
    value: Floats
    line: Ints

    def refuse_duplicates(self, words: str, *, keys: tuple[str, ...]) -> None:
        """Raise `FileError` at the first row that repeats the keys of an earlier one.

        `words` is a sentence with one place in braces for each key's name.
        """
        order = np.lexsort([self.columns[key] for key in keys])
        same = np.logical_and.reduce([np.diff(self.columns[key][order]) == 0 for key in keys])
        if not same.any():
            return
        places = np.flatnonzero(same)
        second = order[places + 1]
        at = int(np.argmin(second))
        first, again = int(order[places[at]]), int(second[at])
        names = [self.name(key, again) for key in keys]
        raise FileError(
            self.path,
            int(self.line[again]),
            f"{words.format(*names)} (first on line {self.line[first]}).",
        )

    def name(self, column: str, row: int) -> str:
        return str(list(self.names[column])[self.columns[column][row]])


def read_judgments(
    path: str | Path,
    names: Vocabulary,
    *,
    blocks: Iterable[bytes] | None = None,
    also: Sequence[str] = (),
    most: int | None = None,
) -> Table:
    """Read `system,item,annotator,criterion,score`; raises a `FileError`.

    blocks: the contents, where they are no file at `path`. also: further columns of names, which
    need not be there. most: of the rows; `TooManyRows` otherwise.
    """
    asked: dict[str, Any] = {"blocks": blocks, "also": also, "most": most}
    table = _read(path, names, JUDGMENT_COLUMNS, value="score", **asked)
    table.refuse_duplicates(
        "{3} judged item {2} of {1} on {0} a second time",
        keys=("criterion", "system", "item", "annotator"),
    )
    return table


def read_metrics(path: str | Path, names: Vocabulary) -> Table:
    """Read `system,item,metric,value`; raises a `FileError`."""
    table = _read(path, names, METRIC_COLUMNS, value="value")
    table.refuse_duplicates(
        "the metric {0} of {1}, item {2}, is given a second time", keys=("metric", "system", "item")
    )
    return table


def _read(
    given: str | Path,
    names: Vocabulary,
    columns: tuple[str, ...],
    *,
    value: str,
    blocks: Iterable[bytes] | None = None,
    also: Sequence[str] = (),
    most: int | None = None,
) -> Table:
    path = Path(given)
    try:
        with ExitStack() as opened:
            if blocks is None:
                file = opened.enter_context(path.open("rb"))
                blocks = iter(partial(file.read, _BLOCK), b"")
            found = reading.plain_table(blocks)
            parts = []
            for part in _parts(path, found, names, columns, value, (GROUP, *also)):
                parts.append(part)
                if most is not None and sum(one[1].size for one in parts) > most:
                    raise TooManyRows(path, 0, f"it has more than {most:,} rows.")
    except OSError as error:
        raise FileError(path, 0, f"cannot be read: {error.strerror or error}.") from None
    except UploadRefused as refused:
        raise _told(path, refused.errors[0], (*columns, value)) from None
    if not parts:
        raise FileError(path, 0, "there are no rows below the header.")
    return Table(
        path=path,
        names=names,
        columns={c: np.concatenate([part[0][c] for part in parts]) for c in parts[0][0]},
        value=np.concatenate([part[1] for part in parts]),
        line=np.concatenate([part[2] for part in parts]),
    )


def _told(path: Path, error: RowError, columns: tuple[str, ...]) -> FileError:
    """Return an error of a file in words that fit its columns."""
    own = {
        reading.EMPTY: "the file is empty.",
        reading.NEITHER: f"this is no table; it needs the columns {', '.join(columns)}.",
    }
    return FileError(path, error.line, own.get(error.message, error.message))


def _parts(
    path: Path,
    table: reading.Table,
    names: Vocabulary,
    columns: tuple[str, ...],
    value: str,
    also: Sequence[str],
) -> Iterator[tuple[dict[str, Ints], Floats, Ints]]:
    """Yield (numbers by column, values, lines) for some rows at a time."""
    wanted = (*columns, value)
    if table.fields:
        _check(path, table.fields, wanted)
    there = [name for name in also if name in table.fields]
    wanted = (*wanted, *there)
    while part := list(islice(table.raw, _ROWS_AT_ONCE)):
        if fault := next((row for _line, row in part if isinstance(row, RowError)), None):
            raise _told(path, fault, columns)
        lines = [line for line, _row in part]
        fields = {c: tuple(_text(row.get(c)) for _line, row in part) for c in wanted}
        read = {c: _stripped(path, fields[c], lines, c) for c in columns}
        numbers = {c: encoded(names[c], read[c]) for c in columns}
        numbers |= {name: _optional(names[name], fields[name]) for name in there}
        yield numbers, _numbers(path, fields[value], lines, value), np.array(lines)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _check(path: Path, header: list[str], wanted: tuple[str, ...]) -> None:
    for name in wanted:
        if name not in header:
            needs = ", ".join(wanted)
            raise FileError(path, 1, f"the header has no column {name!r}; it needs {needs}.")


def _stripped(path: Path, fields: tuple[str, ...], lines: list[int], column: str) -> list[str]:
    names = [name.strip() for name in fields]
    if "" in names:
        raise FileError(path, lines[names.index("")], f"the {column} is empty.")
    return names


def _optional(names: Names, fields: tuple[str, ...]) -> Ints:
    cells = [cell.strip() for cell in fields]
    found = iter(encoded(names, [cell for cell in cells if cell]))
    return np.array([next(found) if cell else -1 for cell in cells], dtype=np.int64)


def _numbers(path: Path, fields: tuple[str, ...], lines: list[int], column: str) -> Floats:
    values = [_number(text) for text in fields]
    if None in values:
        at = values.index(None)
        found = fields[at].strip()
        words = f"{found!r} is not a finite number" if found else "it is empty"
        raise FileError(path, lines[at], f"the {column} must be a number; {words}.")
    return np.array(values, dtype=np.float64)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a thousand; a CSV file hardly means that.
    return value if isfinite(value) and "_" not in text else None


# From tables read from plain files to the samples of `estimation.core`. Pure.


ALL_METRICS = "auto"
Listed = tuple[Ints, Floats | None]  # items of a system, ascending, and (N, p) metrics


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What to estimate; empty tuples mean everything that the files have.

    items: how many outputs each system has; None where it is not said.
    metrics: names, or "auto" for all. scale, bounded: None for those of known criteria.
    uses_metric: False where the estimator needs none, so that none has to be chosen.
    """

    systems: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    items: int | None = None
    scale: tuple[float, float] | None = None
    unbounded: bool = False
    uses_metric: bool = True


def chosen_metrics(metrics: Table | None, wanted: Selection) -> tuple[str, ...]:
    """Return the metrics to use, in the order named; raises `FileError`."""
    if metrics is None:
        return ()
    known = tuple(metrics.names["metric"])
    if wanted.metrics:
        every = wanted.metrics == (ALL_METRICS,)
        return (
            known
            if every
            else _known(metrics.path, "metric", metrics.names["metric"], wanted.metrics)
        )
    if not wanted.uses_metric:
        return ()
    if len(known) > 1:
        raise FileError(
            metrics.path,
            0,
            f"there are {len(known)} metrics ({', '.join(known)}); name one with --metric, or "
            f"use them all with --metric {ALL_METRICS}.",
        )
    return known


def entered(metrics: Table, transform: str) -> Table:
    """Return the table with what enters estimates in place of each metric's values.

    It is made over all rows of the metric, whichever systems are estimated; see `entering`.
    """
    value = metrics.value.copy()
    for number in np.unique(metrics.columns["metric"]):
        rows = metrics.columns["metric"] == number
        value[rows] = entering(value[rows], transform=transform)
    return replace(metrics, value=value)


def cells(
    judgments: Table, metrics: Table | None, wanted: Selection
) -> Iterator[tuple[str, str, Sample]]:
    """Yield the sample of every wanted system × criterion; raises a `FileError`."""
    judged = judged_systems(judgments)
    systems = tuple(judged)
    if wanted.systems:
        systems = _known(judgments.path, "system", judged, wanted.systems)
    scales = _scales(judgments, wanted)
    chosen = chosen_metrics(metrics, wanted)
    groups = _groups_of_items(judgments, metrics, wanted)
    sample = partial(_sample, judgments, groups, wanted.items, metrics is not None)
    for system in systems:
        listed = _listed(metrics, system, chosen) if metrics else None
        for criterion, scale in scales.items():
            at = _rows_of(judgments, system, criterion)
            if at.size or (wanted.systems and wanted.criteria):
                known = listed or (np.unique(judgments.columns["item"][at]), None)
                yield system, criterion, sample(at, known, scale, system, criterion)


def pairs(
    judgments: Table, metrics: Table | None, wanted: Selection, systems: tuple[str, str]
) -> Iterator[tuple[str, Sample, Sample]]:
    """Yield the samples of two systems on every wanted criterion; raises a `FileError`.

    Both must list the same items in the metrics file; without one, the items judged for both are
    all that there are.
    """
    _known(judgments.path, "system", judged_systems(judgments), systems)
    scales, chosen = _scales(judgments, wanted), chosen_metrics(metrics, wanted)
    listed = [_listed(metrics, name, chosen) for name in systems] if metrics else []
    groups = _groups_of_items(judgments, metrics, wanted)
    sample = partial(_sample, judgments, groups, wanted.items, metrics is not None)
    if metrics:
        _check_same_items(metrics, [item for item, _metric in listed], systems)
    for criterion, scale in scales.items():
        rows = [_rows_of(judgments, name, criterion) for name in systems]
        known = listed
        if not metrics:
            item = judgments.columns["item"]
            common = np.intersect1d(item[rows[0]], item[rows[1]])
            rows = [at[np.isin(item[at], common)] for at in rows]
            known = [(common, None)] * 2
        first, second = (
            sample(at, one, scale, name, criterion)
            for at, one, name in zip(rows, known, systems, strict=True)
        )
        yield criterion, first, second


def judged_systems(judgments: Table) -> Names:
    """The systems of the judgments alone: the metrics file may have more."""
    every = list(judgments.names["system"])
    numbers = np.unique(judgments.columns["system"])
    return {every[number]: place for place, number in enumerate(numbers)}


def _rows_of(judgments: Table, system: str, criterion: str) -> Ints:
    columns, names = judgments.columns, judgments.names
    of_system = columns["system"] == names["system"].get(system, -1)
    of_criterion = columns["criterion"] == names["criterion"].get(criterion, -1)
    return np.asarray(np.flatnonzero(of_system & of_criterion))


def _check_same_items(metrics: Table, listed: list[Ints], systems: tuple[str, str]) -> None:
    odd = np.setxor1d(listed[0], listed[1])
    if not odd.size:
        return
    name = list(metrics.names["item"])[odd[0]]
    lacking = systems[1] if odd[0] in listed[0] else systems[0]
    raise FileError(
        metrics.path,
        0,
        f"item {name} is missing for {lacking}; compared systems answer the same items.",
    )


def _known(path: Path, what: str, names: Names, asked: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked:
        if name not in names:
            raise FileError(path, 0, f"there is no {what} {name!r}; there are {', '.join(names)}.")
    return tuple(dict.fromkeys(asked))


def _scales(judgments: Table, wanted: Selection) -> dict[str, Scale]:
    """The wanted criteria in order, with their scales."""
    names, path = judgments.names["criterion"], judgments.path
    criteria = tuple(names)
    if wanted.criteria:
        criteria = _known(path, "criterion", names, wanted.criteria)
    return {name: _scale(path, name, wanted) for name in criteria}


def _scale(path: Path, criterion: str, wanted: Selection) -> Scale:
    known = KNOWN_SCALES.get(criterion)
    if wanted.scale:
        return Scale(*wanted.scale, bounded=not wanted.unbounded)
    if known is None:
        raise FileError(
            path,
            0,
            f"the scale of {criterion!r} is not known; say --scale LOW HIGH "
            "(and --unbounded where scores may lie outside it).",
        )
    return Scale(known.low, known.high, known.bounded and not wanted.unbounded)


def _listed(metrics: Table, system: str, chosen: tuple[str, ...]) -> Listed:
    rows = np.flatnonzero(metrics.columns["system"] == metrics.names["system"].get(system, -1))
    items = np.unique(metrics.columns["item"][rows])
    columns = [_metric(metrics, rows, items, system, name) for name in chosen]
    return items, np.stack(columns, axis=1) if columns else None


def _metric(metrics: Table, rows: Ints, items: Ints, system: str, name: str) -> Floats:
    of_metric = rows[metrics.columns["metric"][rows] == metrics.names["metric"].get(name, -1)]
    values = np.full(items.size, np.nan)
    values[np.searchsorted(items, metrics.columns["item"][of_metric])] = metrics.value[of_metric]
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        item = list(metrics.names["item"])[items[missing[0]]]
        raise FileError(
            metrics.path,
            0,
            f"the metric {name} is missing for {missing.size} of {items.size} "
            f"outputs of {system} (the first is item {item}); it must be known for all of them.",
        )
    return values


def _sample(
    judgments: Table,
    groups: Ints | None,
    said: int | None,
    is_listed: bool,
    rows: Ints,
    known: Listed,
    scale: Scale,
    system: str,
    criterion: str,
) -> Sample:
    """Return a sample; `said`: how many outputs, `is_listed`: a metrics file has all of them."""
    items, metric = known
    if said is not None and (said < items.size or (is_listed and said != items.size)):
        what = "the metrics file lists" if is_listed else "there are judgments of"
        raise FileError(
            judgments.path, 0, f"--items says {said:,}; {what} {items.size:,} of {system}."
        )
    _check_number(judgments, rows, system, criterion)
    _check_scale(judgments, rows, criterion, scale)
    item = judgments.columns["item"][rows]
    place = np.minimum(np.searchsorted(items, item), max(0, items.size - 1))
    found = items[place] == item if items.size else np.zeros(item.size, dtype=bool)
    if not found.all():
        row = int(rows[np.argmin(found)])
        raise FileError(
            judgments.path,
            int(judgments.line[row]),
            f"item {judgments.name('item', row)} of {system} is not in the metrics file, which "
            "must list every output.",
        )
    return Sample(
        score=judgments.value[rows],
        item=place,
        annotator=judgments.columns["annotator"][rows],
        n_population=said or items.size,
        scale=scale,
        metric=metric[:, 0] if metric is not None and metric.shape[1] == 1 else metric,
        group=None if groups is None else groups[items],
    )


def _groups_of_items(judgments: Table, metrics: Table | None, wanted: Selection) -> Ints | None:
    """The group of each named item, one of its own without a name; None without such a column.

    Raises `FileError`.
    """
    tables = [table for table in (metrics, judgments) if table and GROUP in table.columns]
    if not tables:
        return None
    if metrics is None and wanted.items is not None:
        raise FileError(
            judgments.path,
            0,
            "--items does not say how many groups there are; list all outputs, with their groups, "
            "in a metrics file.",
        )
    found = np.full(len(judgments.names["item"]), -1)
    for table in tables:
        item, group = table.columns["item"], table.columns[GROUP]
        told = np.flatnonzero(group >= 0)
        before = found[item[told]]
        found[item[told]] = group[told]
        odd = np.flatnonzero(
            (before >= 0) & (before != group[told]) | (found[item[told]] != group[told])
        )
        if odd.size:
            row = int(told[odd[0]])
            raise FileError(
                table.path,
                int(table.line[row]),
                f"item {table.name('item', row)} is in group {table.name(GROUP, row)} here, and in "
                "another one elsewhere.",
            )
    alone = found < 0
    found[alone] = len(judgments.names["group"]) + np.flatnonzero(alone)
    return found


def _check_number(judgments: Table, rows: Ints, system: str, criterion: str) -> None:
    if rows.size >= 2:
        return
    line = int(judgments.line[rows[0]]) if rows.size else 0
    count = "a single judgment" if rows.size else "no judgment"
    raise FileError(
        judgments.path, line, f"{count} of {system} on {criterion}; an estimate needs two or more."
    )


def _check_scale(judgments: Table, rows: Ints, criterion: str, scale: Scale) -> None:
    score = judgments.value[rows]
    off = (score < scale.low) | (score > scale.high)
    if scale.bounded and off.any():
        row = int(rows[np.argmax(off)])
        raise FileError(
            judgments.path,
            int(judgments.line[row]),
            f"the score {judgments.value[row]:g} on {criterion} lies outside the scale "
            f"{scale.low:g} to {scale.high:g}; --scale LOW HIGH names another.",
        )
