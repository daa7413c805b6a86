"""What an export says that people did, as the arrays from which estimates are made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Instrument, Material
from annotate.selectors.campaigns.counting import Brief, Scores, SystemOutputs
from annotate.selectors.campaigns.protocol import brief_in, instrument_in, protocols_in
from estimation.data import Metrics, Seen
from estimation.exporting.tables import ITEMS, JUDGMENTS, METRICS, OUTPUTS, PLAN
from estimation.verifying.bundle import Bundle, Unreadable, reading

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class BundleJudgments:
    """The judgments (T,) of an export, in its order.

    annotator: numbered in the order of appearance. value: {criterion: (T,)}, NaN where there is
    no score. counts: as the export says.
    """

    judgment: Ints
    output: Ints
    annotator: Ints
    value: dict[str, NDArray[np.float64]]
    counts: NDArray[np.bool_]

    def scores(self, chosen: NDArray[np.bool_]) -> Scores:
        """Return these judgments as estimates take them."""
        value = {name: values[chosen] for name, values in self.value.items()}
        return Scores(
            self.output[chosen],
            self.annotator[chosen],
            {name: values for name, values in value.items() if not np.isnan(values).all()},
            waiting=0,
            judgment=self.judgment[chosen],
        )


@dataclass(frozen=True)
class BundleFacts:
    """An export's plan, its systems in their order, and what was judged."""

    plan: Mapping[str, Any]
    instrument: Instrument
    brief: Brief
    systems: tuple[SystemOutputs, ...]
    judged: BundleJudgments
    metrics: Metrics | None

    def seen(self, chosen: NDArray[np.bool_], stops: Mapping[str, int]) -> Seen:
        """Return these judgments (T,), with samples that end at these positions."""
        systems = [replace(one, stop_position=stops.get(one.name)) for one in self.systems]
        return Seen(self.judged.scores(chosen), self.metrics, systems)

    def under(self, digest: str) -> "BundleFacts | None":
        """Return the same under the protocol with this digest: the one in use, or an earlier one.

        None where the amendments of the plan lead back to no such protocol.
        """
        with reading(PLAN):
            found = {one.digest: one for one in protocols_in(self.plan)}
        if (protocol := found.get(digest)) is None:
            return None
        transform, brief = protocol.metric_transform, replace(self.brief, protocol=protocol)
        metrics = replace(self.metrics, transform=transform) if self.metrics else None
        return replace(self, brief=brief, metrics=metrics)

    @cached_property
    def stops(self) -> dict[str, int]:
        """Return where samples end now: {system: position}."""
        with reading(PLAN):
            ends = {one["name"]: one["stop_position"] for one in self.plan["systems"]}
        return {name: int(end) for name, end in ends.items() if end is not None}


def facts_of(bundle: Bundle) -> BundleFacts:
    """Read an export's facts; `Unreadable` says what is wrong with them."""
    plan = bundle.value(PLAN)
    with reading(PLAN):
        instrument = instrument_in(plan)
        brief = brief_in(plan, instrument)
        names = [str(one["name"]) for one in plan["systems"]]
    if brief is None:
        raise Unreadable("The campaign was not opened yet: there is nothing to verify.")
    systems = _systems(bundle, names)
    judged = _judged(bundle, [one.name for one in instrument.criteria])
    return BundleFacts(plan, instrument, brief, systems, judged, _metrics(bundle, brief))


def materials(bundle: Bundle) -> dict[int, Material]:
    """Return what annotators were shown, by the number of the output."""
    given = {}
    for row in bundle.objects(ITEMS.name):
        with reading(ITEMS.name):
            given[row["item"]] = (str(row["input"]), tuple(map(str, row["paragraphs"])))
    shown = {}
    for row in bundle.objects(OUTPUTS.name):
        with reading(OUTPUTS.name):
            shown[int(row["output"])] = Material(str(row["text"]), *given[row["item"]])
    return shown


def _systems(bundle: Bundle, names: Iterable[str]) -> tuple[SystemOutputs, ...]:
    place: dict[str, tuple[int, int]] = {}
    begins: dict[str, int] = {}
    for row in bundle.objects(ITEMS.name):
        with reading(ITEMS.name):
            at, name = int(row["position"]), str(row.get("group", ""))
            place[row["item"]] = at, begins.setdefault(name, at) if name else at
    grouped = any(at != group for at, group in place.values())
    wrote: dict[str, list[tuple[int, int, int]]] = {name: [] for name in names}
    for row in bundle.objects(OUTPUTS.name):
        with reading(OUTPUTS.name):
            for name in row["systems"]:
                wrote[name].append((int(row["output"]), *place[row["item"]]))
    found = []
    for number, (name, rows) in enumerate(wrote.items(), start=1):
        output, position, group = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
        known = group if grouped else None
        found.append(SystemOutputs(number, name, None, output, position, known))
    return tuple(found)


def _judged(bundle: Bundle, criteria: Iterable[str]) -> BundleJudgments:
    number: dict[str, int] = {}
    rows: list[tuple[int, int, int, bool]] = []
    value: dict[str, list[float]] = {name: [] for name in criteria}
    for row in bundle.objects(JUDGMENTS.name):
        with reading(f"{JUDGMENTS.name}, line {len(rows) + 1}"):
            who = number.setdefault(str(row["annotator"]), len(number))
            rows.append((int(row["judgment"]), int(row["output"]), who, row["counts"] is True))
            for name, values in value.items():
                values.append(float(row["scores"].get(name, np.nan)))
    with reading(JUDGMENTS.name):
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    if np.any(np.diff(table[:, 0]) <= 0):
        raise Unreadable(f"{JUDGMENTS.name} is not in the order of its numbers.")
    scores = {name: np.array(values) for name, values in value.items()}
    judgment, output, annotator, counts = table.T
    return BundleJudgments(judgment, output, annotator, scores, counts > 0)


def _metrics(bundle: Bundle, brief: Brief) -> Metrics | None:
    found: dict[int, list[float]] = {}
    used = list(brief.metrics)
    for line, row in enumerate(bundle.table(METRICS), start=2):
        with reading(f"{METRICS.name}, line {line}"):
            if (name := row["metric"]) in used:
                values = found.setdefault(int(row["output"]), [np.nan] * len(used))
                values[used.index(name)] = float(row["value"])
    if not found:
        return None
    outputs = np.array(sorted(found), dtype=np.int64)
    table = np.array([found[int(one)] for one in outputs])
    return Metrics(outputs, table, brief.protocol.metric_transform)
