"""From tables read from plain files to the samples of `estimation.core`. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from estimation.core import Sample, Scale, entering
from estimation.files import (
    GROUP,
    AmbiguousMetricError,
    FileMetricError,
    FileScoreError,
    FileTooShortError,
    Floats,
    GroupsDisagreeError,
    Ints,
    ItemMissingError,
    ItemsDisagreeError,
    Names,
    ScaleNeededError,
    Table,
    UnknownNameError,
)
from estimation.known_criteria import KNOWN_SCALES

ALL_METRICS = "auto"


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


@dataclass(frozen=True)
class FileCell:
    """One system on one criterion.

    items_known: whether it is known how many outputs there are, judged or not.
    """

    system: str
    criterion: str
    sample: Sample
    items_known: bool


@dataclass(frozen=True)
class FilePair:
    """Two systems on one criterion, their items numbered alike; items_known as in `FileCell`."""

    systems: tuple[str, str]
    criterion: str
    first: Sample
    second: Sample
    items_known: bool


@dataclass(frozen=True)
class Population:
    """A system's outputs: the known items' numbers, ascending, and (N, p) metrics or None.

    total: N, where it is more than the items that are known.
    """

    item: Ints
    metric: Floats | None
    total: int | None = None


def chosen_metrics(metrics: Table | None, wanted: Selection) -> tuple[str, ...]:
    """Return the metrics to use, in the order named; raises `UnknownNameError`."""
    if metrics is None:
        return ()
    known = tuple(metrics.names.metric)
    if wanted.metrics:
        every = wanted.metrics == (ALL_METRICS,)
        return (
            known if every else _known(metrics.path, "metric", metrics.names.metric, wanted.metrics)
        )
    if not wanted.uses_metric:
        return ()
    if len(known) > 1:
        raise AmbiguousMetricError(
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


def cells(judgments: Table, metrics: Table | None, wanted: Selection) -> Iterator[FileCell]:
    """Yield the sample of every wanted system × criterion; raises a `FileError`."""
    judged = judged_systems(judgments)
    systems = tuple(judged)
    if wanted.systems:
        systems = _known(judgments.path, "system", judged, wanted.systems)
    scales = _scales(judgments, wanted)
    chosen = chosen_metrics(metrics, wanted)
    known_items = metrics is not None or wanted.items is not None
    groups = _groups(judgments, metrics, wanted)
    for system in systems:
        population = _population(metrics, system, chosen) if metrics else None
        for criterion, scale in scales.items():
            at = _rows(judgments, system, criterion)
            if at.size or (wanted.systems and wanted.criteria):
                item = judgments.columns["item"][at]
                known = population or Population(np.unique(item), None)
                known = _of_all(judgments.path, known, system, wanted, listed=metrics is not None)
                sample = _sample(judgments, at, known, scale, system, criterion, groups)
                yield FileCell(system, criterion, sample, known_items)


def pairs(
    judgments: Table, metrics: Table | None, wanted: Selection, systems: tuple[str, str]
) -> Iterator[FilePair]:
    """Yield the samples of two systems on every wanted criterion; raises a `FileError`.

    Both must list the same items in the metrics file; without one, the items judged for both are
    all that there are.
    """
    _known(judgments.path, "system", judged_systems(judgments), systems)
    scales, chosen = _scales(judgments, wanted), chosen_metrics(metrics, wanted)
    listed = [_population(metrics, name, chosen) for name in systems] if metrics else []
    groups = _groups(judgments, metrics, wanted)
    if metrics:
        _check_same_items(metrics, listed, systems)
    for criterion, scale in scales.items():
        rows = [_rows(judgments, name, criterion) for name in systems]
        known = listed
        if not metrics:
            item = judgments.columns["item"]
            common = np.intersect1d(item[rows[0]], item[rows[1]])
            rows = [at[np.isin(item[at], common)] for at in rows]
            known = [Population(common, None)] * 2
        known = [
            _of_all(judgments.path, one, name, wanted, listed=metrics is not None)
            for one, name in zip(known, systems, strict=True)
        ]
        first, second = (
            _sample(judgments, at, population, scale, name, criterion, groups)
            for at, population, name in zip(rows, known, systems, strict=True)
        )
        said = metrics is not None or wanted.items is not None
        yield FilePair(systems, criterion, first, second, said)


def _of_all(
    path: Path, known: Population, system: str, wanted: Selection, *, listed: bool
) -> Population:
    """The same with the number of outputs that was said; raises `ItemsDisagreeError`."""
    size, said = known.item.size, wanted.items
    if said is None:
        return known
    if said < size or (listed and said != size):
        what = "the metrics file lists" if listed else "there are judgments of"
        raise ItemsDisagreeError(path, 0, f"--items says {said:,}; {what} {size:,} of {system}.")
    return replace(known, total=said)


def judged_systems(judgments: Table) -> Names:
    """The systems of the judgments alone: the metrics file may have more."""
    every, judged = list(judgments.names.system), Names()
    judged.encode([every[number] for number in np.unique(judgments.columns["system"])])
    return judged


def _rows(judgments: Table, system: str, criterion: str) -> Ints:
    columns, names = judgments.columns, judgments.names
    of_system = columns["system"] == names.system.number(system)
    of_criterion = columns["criterion"] == names.criterion.number(criterion)
    return np.asarray(np.flatnonzero(of_system & of_criterion))


def _check_same_items(metrics: Table, listed: list[Population], systems: tuple[str, str]) -> None:
    odd = np.setxor1d(listed[0].item, listed[1].item)
    if not odd.size:
        return
    name = list(metrics.names.item)[odd[0]]
    lacking = systems[1] if odd[0] in listed[0].item else systems[0]
    raise ItemMissingError(
        metrics.path,
        0,
        f"item {name} is missing for {lacking}; compared systems answer the same items.",
    )


def _known(path: Path, what: str, names: Names, asked: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked:
        if names.number(name) is None:
            raise UnknownNameError(
                path, 0, f"there is no {what} {name!r}; there are {', '.join(names)}."
            )
    return tuple(dict.fromkeys(asked))


def _scales(judgments: Table, wanted: Selection) -> dict[str, Scale]:
    """The wanted criteria in order, with their scales."""
    names, path = judgments.names.criterion, judgments.path
    criteria = tuple(names)
    if wanted.criteria:
        criteria = _known(path, "criterion", names, wanted.criteria)
    return {name: _scale(path, name, wanted) for name in criteria}


def _scale(path: Path, criterion: str, wanted: Selection) -> Scale:
    known = KNOWN_SCALES.get(criterion)
    if wanted.scale:
        return Scale(*wanted.scale, bounded=not wanted.unbounded)
    if known is None:
        raise ScaleNeededError(
            path,
            0,
            f"the scale of {criterion!r} is not known; say --scale LOW HIGH "
            "(and --unbounded where scores may lie outside it).",
        )
    return Scale(known.low, known.high, known.bounded and not wanted.unbounded)


def _population(metrics: Table, system: str, chosen: tuple[str, ...]) -> Population:
    rows = np.flatnonzero(metrics.columns["system"] == metrics.names.system.number(system))
    items = np.unique(metrics.columns["item"][rows])
    columns = [_metric(metrics, rows, items, system, name) for name in chosen]
    return Population(items, np.stack(columns, axis=1) if columns else None)


def _metric(metrics: Table, rows: Ints, items: Ints, system: str, name: str) -> Floats:
    """(N,) one metric of a system's outputs."""
    of_metric = rows[metrics.columns["metric"][rows] == metrics.names.metric.number(name)]
    values = np.full(items.size, np.nan)
    values[np.searchsorted(items, metrics.columns["item"][of_metric])] = metrics.value[of_metric]
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        item = list(metrics.names.item)[items[missing[0]]]
        raise FileMetricError(
            metrics.path,
            0,
            f"the metric {name} is missing for {missing.size} of {items.size} "
            f"outputs of {system} (the first is item {item}); it must be known for all of them.",
        )
    return values


def _sample(
    judgments: Table,
    rows: Ints,
    known: Population,
    scale: Scale,
    system: str,
    criterion: str,
    groups: Ints | None,
) -> Sample:
    _check_number(judgments, rows, system, criterion)
    _check_scale(judgments, rows, criterion, scale)
    item = judgments.columns["item"][rows]
    place = np.minimum(np.searchsorted(known.item, item), max(0, known.item.size - 1))
    found = known.item[place] == item if known.item.size else np.zeros(item.size, dtype=bool)
    if not found.all():
        row = int(rows[np.argmin(found)])
        raise ItemMissingError(
            judgments.path,
            int(judgments.line[row]),
            f"item {judgments.name('item', row)} of {system} is not in the metrics file, which "
            "must list every output.",
        )
    metric = known.metric
    return Sample(
        score=judgments.value[rows],
        item=place,
        annotator=judgments.columns["annotator"][rows],
        n_population=known.total or known.item.size,
        scale=scale,
        metric=metric[:, 0] if metric is not None and metric.shape[1] == 1 else metric,
        group=None if groups is None else groups[known.item],
    )


def _groups(judgments: Table, metrics: Table | None, wanted: Selection) -> Ints | None:
    """The group of each named item, one of its own without a name; None without such a column.

    Raises `GroupsDisagreeError`.
    """
    tables = [table for table in (metrics, judgments) if table and GROUP in table.columns]
    if not tables:
        return None
    if metrics is None and wanted.items is not None:
        raise GroupsDisagreeError(
            judgments.path,
            0,
            "--items does not say how many groups there are; list all outputs, with their groups, "
            "in a metrics file.",
        )
    found = np.full(len(judgments.names.item), -1)
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
            raise GroupsDisagreeError(
                table.path,
                int(table.line[row]),
                f"item {table.name('item', row)} is in group {table.name(GROUP, row)} here, and in "
                "another one elsewhere.",
            )
    alone = found < 0
    found[alone] = len(judgments.names.group) + np.flatnonzero(alone)
    return found


def _check_number(judgments: Table, rows: Ints, system: str, criterion: str) -> None:
    if rows.size >= 2:
        return
    line = int(judgments.line[rows[0]]) if rows.size else 0
    count = "a single judgment" if rows.size else "no judgment"
    raise FileTooShortError(
        judgments.path, line, f"{count} of {system} on {criterion}; an estimate needs two or more."
    )


def _check_scale(judgments: Table, rows: Ints, criterion: str, scale: Scale) -> None:
    score = judgments.value[rows]
    off = (score < scale.low) | (score > scale.high)
    if scale.bounded and off.any():
        row = int(rows[np.argmax(off)])
        raise FileScoreError(
            judgments.path,
            int(judgments.line[row]),
            f"the score {judgments.value[row]:g} on {criterion} lies outside the scale "
            f"{scale.low:g} to {scale.high:g}; --scale LOW HIGH names another.",
        )
