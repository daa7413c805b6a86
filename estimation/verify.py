"""`manage.py verify`: reads an export, which it does not trust, and computes its numbers again."""

import csv
import hashlib
import io
import json
import math
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from annotate.campaigns.exports import design_in, instrument_in, protocols_in
from annotate.campaigns.facts import (
    CampaignDesign,
    Scores,
    SystemOutputs,
    by_output,
    stored_names,
    with_scores,
)
from annotate.common.requests import FORMULA
from annotate.common.rows import Amendment
from annotate.instruments.base import Instrument, Material, text_of_score
from annotate.instruments.rating.questions import SYSTEMS
from annotate.models.base import CloseReason
from config.version import VERSION
from estimation import export, findings, history
from estimation import facts as facts_module
from estimation.core import REGISTERED, EstimationError
from estimation.export import AMENDMENTS, ITEMS, JUDGMENTS, METRICS, OUTPUTS, PLAN, File
from estimation.facts import Evidence, Metrics, chosen, entering_of
from estimation.findings import Contrast, Finding, contrasts, finding
from estimation.models import Comparison, Decision, Estimate

ADDED = re.compile(r"(^|/)(__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)")
LONGEST_FILE = 1 << 26  # bytes of one line
AT_ONCE = 1 << 20
LATER = {"version", "group"}  # columns that exports before 0.2.0 lack
WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, csv.Error)
BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, RuntimeError)


class Unreadable(Exception):
    """The file is no export, or a part cannot be read. The message says which part and why."""


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Say where something was, if it cannot be read."""
    try:
        yield
    except WRONG as error:
        raise Unreadable(f"{where} cannot be read: {type(error).__name__} {error}"[:300]) from None


class Bundle:
    """An open export: its files by their names without the folder.

    path: of the zip as it was exported, of one that was packed again, or of the unpacked folder.
    What systems add when they pack (folders, hidden files) is no part of it.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self._zip: zipfile.ZipFile | None = None
        try:
            if path.is_dir():
                found = [(one.relative_to(path).as_posix(), one) for one in path.rglob("*")]
                names = [name for name, one in found if one.is_file()]
            else:
                self._zip = zipfile.ZipFile(path)
                names = [name for name in self._zip.namelist() if not name.endswith("/")]
        except (OSError, *BROKEN) as error:
            raise Unreadable(f"{path} is no export: {error}.") from None
        self._path = path
        names = [name for name in names if not ADDED.search(name)]
        folder = _folder(names)
        self._names = {name.removeprefix(folder): name for name in names}
        if not names or len(self._names) < len(names):
            raise Unreadable(f"{path} is no export: it is empty, or a file is there twice.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._zip is not None:
            self._zip.close()

    @property
    def names(self) -> set[str]:
        return set(self._names)

    def sum_of(self, name: str) -> tuple[str, int]:
        """Return the SHA-256 of a file, in hex, and its size in bytes."""
        digest, size = hashlib.sha256(), 0
        with self._open(name) as file:
            while part := _read_bundle(file.read, AT_ONCE, name):
                digest.update(part)
                size += len(part)
        return digest.hexdigest(), size

    def value(self, name: str) -> dict[str, Any]:
        with self._open(name) as file, reading(name):
            found = json.loads(_read_bundle(file.read, LONGEST_FILE, name))
            if not isinstance(found, dict):
                raise TypeError("an object is expected")
        return found

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        with self._open(name) as file:
            number = 0
            while line := _read_bundle(file.readline, LONGEST_FILE, name):
                number += 1
                with reading(f"{name}, line {number}"):
                    found = json.loads(line)
                    if not isinstance(found, dict):
                        raise TypeError("an object is expected")
                yield found

    def table(self, file: File) -> Iterator[dict[str, str]]:
        """Yield the rows of a table, by the names of its columns; all but `LATER` are there."""
        csv.field_size_limit(min(sys.maxsize, LONGEST_FILE))
        with self._open(file.name) as opened, io.TextIOWrapper(opened, "utf-8", newline="") as text:
            rows = csv.DictReader(text, restkey="", restval="")
            while True:
                with reading(f"{file.name}, line {rows.line_num + 1}"):
                    try:
                        row = next(rows, None)
                    except BROKEN as error:
                        raise Unreadable(f"{file.name} is damaged: {error}.") from None
                if row is None:
                    return
                if missing := file.columns.keys() - row.keys() - LATER:
                    raise Unreadable(f"{file.name} has no column {min(missing)}.")
                yield row

    @contextmanager
    def _open(self, name: str) -> Iterator[Any]:
        if name not in self._names:
            raise Unreadable(f"{name} is missing.")
        try:
            at = self._names[name]
            with self._zip.open(at) if self._zip else (self._path / at).open("rb") as file:
                yield file
        except (OSError, *BROKEN) as error:
            raise Unreadable(f"{name} is damaged: {error}.") from None


def _folder(names: list[str]) -> str:
    """Return the folder of the manifest, with its slash; without one, what all names begin with."""
    found = [name for name in names if name.rpartition("/")[2] == export.NAME]
    if not found:
        first = {name.partition("/")[0] for name in names if "/" in name}
        return f"{first.pop()}/" if len(first) == 1 else ""
    return min(found, key=lambda name: (name.count("/"), name)).removesuffix(export.NAME)


def plain(cell: str) -> str:
    """Return the text of a cell without the mark that keeps spreadsheets from computing it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def _read_bundle(read: Callable[[int], bytes], most: int, name: str) -> bytes:
    part = read(most)
    if len(part) == most and most == LONGEST_FILE:
        raise Unreadable(f"{name} has a line of more than {LONGEST_FILE >> 20} MB.")
    return part


# The amendments that an export holds, in words, and whether the screens' settings fit them.
#
# Exports of 0.1.0 have no such file, and nothing is said of their settings.


LONGEST = 300  # characters of a text that somebody sent


def sentences(bundle: Bundle) -> Iterator[str]:
    """Yield each change with its reason, the oldest first."""
    for what, amended in (
        ("settings of the screens", _read(bundle)),
        ("how metrics enter", _of_protocol(bundle)),
    ):
        for one in amended:
            changes = ", ".join(
                f"{_shown(path)} from {_value(was)} to {_value(now)}"
                for path, (was, now) in sorted(one.changes.items())
            )
            reason = f" Reason: “{_shown(one.why)}”." if one.why else ""
            yield f"{one.at:%Y-%m-%d %H:%M} UTC, {what} changed: {changes}.{reason}"


def differences(bundle: Bundle) -> Iterator[str]:
    """Yield where the changes do not lead from the settings at the opening to those in use."""
    if AMENDMENTS.name not in bundle.names:
        return
    values, in_use = _planned(bundle)
    for one in _read(bundle):
        yield from _changed(values, one)
    for path in sorted(values.keys() & in_use.keys()):
        if values[path] != in_use[path]:
            stands, follows = _value(in_use[path]), _value(values[path])
            yield f"{PLAN}: {_shown(path)} is {stands}; the changes lead to {follows}."


def _planned(bundle: Bundle) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings by path: at the opening, and in use."""
    with reading(PLAN):
        plan = bundle.value(PLAN)
        kept = (plan["protocol"] or {}).get("screening") or {}
        return _by_path(kept), _by_path(plan["screening"])


def _changed(values: dict[str, Any], one: Amendment) -> Iterator[str]:
    """Change the values; yield which of them are said to have been others."""
    for path, (was, now) in one.changes.items():
        if (before := values.get(path, was)) != was:
            yield (
                f"{AMENDMENTS.name}: {_shown(path)} is said to have been {_value(was)}; it was "
                f"{_value(before)}."
            )
        values[path] = now


def _read(bundle: Bundle) -> Iterator[Amendment]:
    if AMENDMENTS.name not in bundle.names:
        return
    for row in bundle.objects(AMENDMENTS.name):
        with reading(AMENDMENTS.name):
            found = _amendment(row)
        yield found


def _of_protocol(bundle: Bundle) -> Iterator[Amendment]:
    """Yield the changes of the protocol; which protocols they lead to, decisions say."""
    with reading(PLAN):
        found = [_amendment(row) for row in bundle.value(PLAN).get("protocol_amendments", ())]
    for one in reversed(found):
        # A protocol that told nothing took the values themselves.
        changes = {name: (was or "raw", now) for name, (was, now) in one.changes.items()}
        yield replace(one, changes=changes)


def _amendment(row: Mapping[str, Any]) -> Amendment:
    changes = {str(path): (was, now) for path, (was, now) in row["changes"].items()}
    at = datetime.fromisoformat(row["at"]).astimezone(UTC)
    return Amendment(at, "", str(row["why"]), changes)


def _by_path(settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {f"{group}.{name}": v for group, rest in settings.items() for name, v in rest.items()}


def _value(value: Any) -> str:
    return _shown(json.dumps(value, ensure_ascii=False))


def _shown(text: str) -> str:
    """Return a text of the export as a terminal may show it: one line, without control codes."""
    line = " ".join(text.split())[:LONGEST]
    return "".join(one for one in line if one.isprintable())


# What an export says that people did, as the arrays from which estimates are made.


@dataclass(frozen=True)
class BundleFacts:
    """An export's plan, its systems in their order, and what was judged.

    judged: all judgments (T,), in the order of the export, people numbered as they appear.
    counts: (T,) which of them count, as the export says.
    """

    plan: Mapping[str, Any]
    instrument: Instrument
    design: CampaignDesign
    systems: tuple[SystemOutputs, ...]
    judged: Scores
    counts: NDArray[np.bool_]
    metrics: Metrics | None

    def seen(self, chosen: NDArray[np.bool_], stops: Mapping[str, int]) -> Evidence:
        """Return these judgments (T,), with samples that end at these positions."""
        systems = [replace(one, stop_position=stops.get(one.name)) for one in self.systems]
        value = {name: values[chosen] for name, values in self.judged.value.items()}
        scores = Scores(
            self.judged.output[chosen],
            self.judged.annotator[chosen],
            value,
            waiting=0,
            judgment=self.judged.judgment[chosen],
        )
        if self.design.ranks:
            written = [np.stack([one.output, one.position]) for one in systems]
            scores = by_output(scores, *np.unique(np.concatenate(written, axis=1), axis=1))
        with reading(OUTPUTS.name):
            entered = entering_of(systems, self.metrics, ranks=self.design.ranks)
        return Evidence(with_scores(scores), self.metrics, systems, entered)

    def under(self, digest: str) -> "BundleFacts | None":
        """Return the same under the protocol with this digest: the one in use, or an earlier one.

        None where the amendments of the plan lead back to no such protocol.
        """
        with reading(PLAN):
            found = {one.digest: one for one in protocols_in(self.plan)}
        if (protocol := found.get(digest)) is None:
            return None
        transform, design = protocol.metric_transform, replace(self.design, protocol=protocol)
        metrics = replace(self.metrics, transform=transform) if self.metrics else None
        return replace(self, design=design, metrics=metrics)

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
        design = design_in(plan, instrument)
        names = [str(one["name"]) for one in plan["systems"]]
    if design is None:
        raise Unreadable("The campaign was not opened yet: there is nothing to verify.")
    systems = _systems(bundle, names)
    judged, counts = _judged(bundle, stored_names(instrument))
    return BundleFacts(plan, instrument, design, systems, judged, counts, _metrics(bundle, design))


def materials(bundle: Bundle) -> dict[int, Material]:
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
        found.append(
            SystemOutputs(number, name, None, output=output, position=position, group=known)
        )
    return tuple(found)


def _judged(bundle: Bundle, criteria: Iterable[str]) -> tuple[Scores, NDArray[np.bool_]]:
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
    return Scores(output, annotator, scores, waiting=0, judgment=judgment), counts > 0


def _metrics(bundle: Bundle, design: CampaignDesign) -> Metrics | None:
    found: dict[int, list[float]] = {}
    used = list(design.metrics)
    for line, row in enumerate(bundle.table(METRICS), start=2):
        with reading(f"{METRICS.name}, line {line}"):
            if (name := row["metric"]) in used:
                values = found.setdefault(int(row["output"]), [np.nan] * len(used))
                values[used.index(name)] = float(row["value"])
    if not found:
        return None
    outputs = np.array(sorted(found), dtype=np.int64)
    table = np.array([found[int(one)] for one in outputs])
    return Metrics(outputs, table, design.protocol.metric_transform)


# Estimates, differences and decisions, made again from facts: the product's own code, no query.


Verb = Decision.Verb
OURS = (CloseReason.TARGET, CloseReason.RANKED)  # closings that the findings themselves cause


@dataclass(frozen=True)
class Recomputation:
    """Everything that follows from some of the judgments at one moment."""

    design: CampaignDesign
    seen: Evidence
    found: list[Finding]
    compared: list[Contrast]

    @cached_property
    def rows(self) -> dict[str, dict[tuple[str, ...], Estimate | Comparison]]:
        """Return rows that are not stored, by the table and what `KEYS` names."""
        estimates: dict[tuple[str, ...], Estimate | Comparison] = {}
        for one in self.found:
            key = one.system.name, one.criterion.name
            estimates[key] = history.estimate_row(self.design, one, final=False)
        comparisons: dict[tuple[str, ...], Estimate | Comparison] = {}
        for pair in self.compared:
            names = pair.first.name, pair.second.name, pair.criterion.name
            comparisons[names] = history.comparison_row(self.design, pair, final=False)
        return {"estimate": estimates, "comparison": comparisons}

    def objection(self, verb: str, reason: str, name: str) -> str:
        """Return why the rule would not have done this; "" if it would."""
        is_open = self.design.status == "open"
        if is_open != (verb in (Verb.STOP_SYSTEM, Verb.RESUME_SYSTEM, Verb.CLOSE)):
            return f"the campaign was {self.design.status} then"
        match verb:
            case Verb.STOP_SYSTEM | Verb.RESUME_SYSTEM:
                return self._about_system(name, stops=verb == Verb.STOP_SYSTEM)
            case Verb.CLOSE if reason in OURS and (short := self._going_on()):
                return f"{', '.join(short)} had not reached the goal"
            case Verb.RESUME if not self._short():
                return "every system had reached the goal"
        return ""

    def _about_system(self, name: str, *, stops: bool) -> str:
        (system,) = (one for one in self.seen.systems if one.name == name)
        if (system.stop_position is None) != stops:
            return f"{name} had {'stopped already' if stops else 'not stopped'}"
        if (name in self._short()) == stops:
            return f"{name} had {'not reached' if stops else 'reached'} the goal"
        return ""

    def _short(self) -> list[str]:
        """Return the systems of which not enough is known."""
        arguments = (self.seen.systems, self.found, self.compared)
        return [
            one.name
            for one in self.seen.systems
            if not findings.is_enough(self.design, one, *arguments)
        ]

    def _going_on(self) -> list[str]:
        stopped = {one.name for one in self.seen.systems if one.stop_position is not None}
        return [name for name in self._short() if name not in stopped]


def recompute(
    facts: BundleFacts, chosen: NDArray[np.bool_], *, stops: Mapping[str, Any], status: str
) -> Recomputation:
    """Estimate and compare from these judgments (T,), with samples that end at `stops`."""
    design, seen = replace(facts.design, status=status), facts.seen(chosen, stops)
    try:
        found = [finding(design, cell) for cell in facts_module.cells(design, seen)]
        compared = findings.judged(design, seen.systems, contrasts(design, seen))
    except EstimationError as error:
        raise Unreadable(f"Nothing can be estimated from these judgments: {error}") from None
    return Recomputation(design, seen, found, compared)


# Compares an export with what follows from it, in the order in which work becomes numbers.
#
# Each check yields what differs: where, what stands there, and what it should be. Rows that another
# version of Plumbline made may differ without a fault: what differs there is collected apart.


CLOSE = 1e-9  # relative; sums in another order, or another processor, differ by less
WORDS = ("criterion", "estimator", "interval", "estimand")
NUMBERS = (
    *("level", "low", "high", "width", "df", "std_error", "n_items", "n_population"),
    *("n_judgments", "n_annotators", "effective_annotators"),
)
NUMBERS_OF = {
    "estimate": ("estimate", "mean_estimate", "mean_low", "mean_high", *NUMBERS),
    "comparison": ("difference", *NUMBERS),
}
KEYS = {"estimate": ("system", "criterion"), "comparison": ("first", "second", "criterion")}

Progress = Callable[[str], None]
Rows = list[dict[str, str]]


def differences_of(
    bundle: Bundle,
    facts: BundleFacts,
    *,
    others: list[str],
    progress: Progress = lambda _: None,
) -> Iterator[str]:
    """Yield everything in the export that does not follow from its facts, the facts first.

    others: takes what does not follow and was made by another version.
    """
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "files": lambda: files(bundle),
        "settings of the screens": lambda: differences(bundle),
        "answers": lambda: answers(bundle, facts),
        "scores": lambda: score_table(bundle),
        "decisions": lambda: decisions(bundle, facts, others),
        "newest estimates": lambda: newest(bundle, facts, others),
    }
    for name, check in parts.items():
        progress(name)
        try:
            yield from check()
        except Unreadable as error:  # what differs before it says why
            yield str(error)


TABLES = {
    "estimate": export.ESTIMATES,
    "comparison": export.COMPARISONS,
    "decision": export.DECISIONS,
}


def summary(bundle: Bundle, facts: BundleFacts) -> str:
    told = _told(bundle)
    kept = sum(bool(row["evidence"]) for row in told["decision"])
    is_current = _is_current(bundle)
    again = sum(_made_again(name, told, is_current) for name in ("estimate", "comparison"))
    earlier = len(told["estimate"]) + len(told["comparison"]) - again
    n = facts.judged.judgment.size
    return (
        f"Everything agrees. {n:,} answers were scored again, and {kept:,} decisions and "
        f"{again:,} estimates and differences made again. Not made again, because what they rest "
        f"on is not kept: {len(told['decision']) - kept:,} decisions and {earlier:,} earlier "
        "estimates."
    )


def _made_again(name: str, told: Mapping[str, Rows], is_current: bool) -> int:
    """Return how many rows of a table decisions cite, or are newest ones that can be made."""
    cited = {pk for row in told["decision"] for pk in row[f"{name}s"].split(" + ")}
    return sum(row["id"] in cited or (is_current and row["newest"] == "1") for row in told[name])


def files(bundle: Bundle) -> Iterator[str]:
    with reading(export.NAME):
        listed = dict(bundle.value(export.NAME)["files"])
    for name in sorted(bundle.names - {export.NAME} ^ set(listed)):
        where = "not in the export" if name in listed else "not in the manifest"
        yield f"{name}: it is {where}."
    for name in sorted(set(listed) & bundle.names):
        found, size = bundle.sum_of(name)
        with reading(export.NAME):
            if (listed[name]["sha256"], listed[name]["bytes"]) != (found, size):
                yield f"{name}: it was changed after the export: its SHA-256 is {found}."


def versions(bundle: Bundle) -> list[str]:
    """Return a sentence for each part of another version than the one that runs here."""
    with reading(export.NAME):
        made = dict(bundle.value(export.NAME)["made_with"])
    here = export.versions()
    return [
        f"It was made with {name} {made.get(name, '(not told)')}; {here[name]} runs here."
        for name in here
        if made.get(name) != here[name]
    ]


def answers(bundle: Bundle, facts: BundleFacts) -> Iterator[str]:
    shown = materials(bundle)
    corrected = {row.get("supersedes") for row in bundle.objects(export.JUDGMENTS.name)}
    rows = bundle.table(export.EXCLUSIONS)
    with reading(export.EXCLUSIONS.name):
        out = {int(row["judgment"]) for row in rows if not row["restored_at"]}
    for row in bundle.objects(export.JUDGMENTS.name):
        with reading(export.JUDGMENTS.name):
            pk, where = int(row["judgment"]), f"judgment {row['judgment']}"
            if bool(row["superseded"]) != (pk in corrected):
                yield f"{where}: superseded is {row['superseded']}, and corrections say otherwise."
            if bool(row["excluded"]) != (pk in out):
                yield f"{where}: excluded is {row['excluded']}, and exclusions.csv says otherwise."
            if row["counts"] and (row["superseded"] or row["excluded"]):
                yield f"{where}: it counts, although it is superseded or excluded."
            if not row["superseded"]:
                yield from _scored(where, row, facts, shown[int(row["output"])])


def _scored(
    where: str, row: Mapping[str, Any], facts: BundleFacts, material: Material
) -> Iterator[str]:
    fresh = facts.instrument.scores(row["response"], material=material)
    for name, value in row["scores"].items():
        if name not in fresh or not _same(float(value), fresh[name]):
            yield f"{where}: its score on {name} is {value}; its answer gives {fresh.get(name)}."


def score_table(bundle: Bundle) -> Iterator[str]:
    """Compare scores.csv, from which a reader would estimate, with the judgments."""
    left: dict[tuple[int, str, str, float], int] = defaultdict(int)
    for row in bundle.objects(export.JUDGMENTS.name):
        with reading(export.JUDGMENTS.name):
            for name, value in row["scores"].items():
                criterion, n = name, len(row["systems"])
                if row.get("ranked"):
                    criterion, number = text_of_score(name)
                    n = row["response"][SYSTEMS][number]
                left[int(row["judgment"]), criterion, row["annotator"], float(value)] += n
    for row in bundle.table(export.SCORES):
        with reading(export.SCORES.name):
            key = int(row["judgment"]), row["criterion"], row["annotator"], float(row["score"])
        left[key] -= 1
        if left[key] < 0:
            yield f"scores.csv: judgment {key[0]} has no such score on {key[1]}: {key[3]}."
    for key in (key for key, n in left.items() if n > 0):
        yield f"scores.csv: the score of judgment {key[0]} on {key[1]} is missing."


def _told(bundle: Bundle) -> dict[str, Rows]:
    return {name: list(bundle.table(file)) for name, file in TABLES.items()}


def decisions(bundle: Bundle, facts: BundleFacts, others: list[str]) -> Iterator[str]:
    told = _told(bundle)
    yield from _order(told["decision"])
    rows: dict[str, Rows] = defaultdict(list)
    for row in told["decision"]:
        rows[row["evidence"]].append(row)
    for one in bundle.objects(export.EVIDENCE_OF_DECISIONS.name):
        with reading(export.EVIDENCE_OF_DECISIONS.name):
            mine = rows.pop(str(one["evidence"]), [])
            yield from _decided(one, mine, facts, told, others)
    for number in rows.keys() - {""}:
        yield f"evidence {number}: it is missing, and {len(rows[number])} decisions rest on it."


def _order(rows: Rows) -> Iterator[str]:
    for before, row in pairwise(rows):
        with reading(export.DECISIONS.name):
            if int(row["id"]) <= int(before["id"]) or row["at"] < before["at"]:
                yield f"decision {row['id']}: it stands after decision {before['id']}, a later one."


def _decided(
    one: Mapping[str, Any],
    rows: Rows,
    facts: BundleFacts,
    told: Mapping[str, Rows],
    others: list[str],
) -> Iterator[str]:
    where = f"evidence {one['evidence']}"
    then = facts.under(one["protocol"])
    if then is None:
        yield f"{where}: the protocol was another one: its SHA-256 was {one['protocol']}."
    facts = then or facts
    rested = chosen(one["judgments"], facts.judged.judgment)
    if (there := int(rested.sum())) != one["n_judgments"]:
        yield f"{where}: it rests on {one['n_judgments']} judgments, and {there} of them are there."
    again = recompute(facts, rested, stops=one["stops"], status=one["status"])
    causes = {name: _causes(name, rows, told) for name in ("estimate", "comparison")}
    for row in rows:
        name = plain(row["system"])
        if objection := again.objection(row["verb"], row["reason"], name):
            objection = f"decision {row['id']} ({row['verb']} {name}): {objection}."
            made_by = {_version(cause) for found in causes.values() for cause in found.values()}
            if made_by <= {VERSION}:
                yield objection
            else:
                others.append(objection)
    for name, found in causes.items():
        for pk in sorted(_cited(name, rows) - found.keys()):
            yield f"{name} {pk}: a decision names it, and it is missing."
        yield from _compared(name, list(found.values()), again, others)


def _cited(name: str, rows: Rows) -> set[str]:
    return {pk for row in rows for pk in row[f"{name}s"].split(" + ") if pk}


def _causes(name: str, rows: Rows, told: Mapping[str, Rows]) -> dict[str, dict[str, str]]:
    wanted = _cited(name, rows)
    return {row["id"]: row for row in told[name] if row["id"] in wanted}


def newest(bundle: Bundle, facts: BundleFacts, others: list[str]) -> Iterator[str]:
    told = _told(bundle)
    if not _is_current(bundle):
        return
    with reading(export.PLAN):
        again = recompute(facts, facts.counts, stops=facts.stops, status=facts.design.status)
    for name in ("estimate", "comparison"):
        mine = [row for row in told[name] if row["newest"] == "1" and row["n_judgments"] != "0"]
        yield from _compared(name, mine, again, others)


def _is_current(bundle: Bundle) -> bool:
    with reading(export.NAME):
        return bool(bundle.value(export.NAME)["current"])


def _compared(name: str, rows: Rows, again: Recomputation, others: list[str]) -> Iterator[str]:
    for row in rows:
        key = tuple(plain(row[column]) for column in KEYS[name])
        made = again.rows[name].get(key)
        where = f"{name} {row['id']} ({' less '.join(key[:-1])}, {key[-1]})"
        if row["estimator"] not in REGISTERED:
            others.append(f"{where}: this version no longer estimates by {row['estimator']}.")
            continue
        if made is None:
            found = [f"{where}: nothing can be estimated there from the judgments."]
        else:
            found = list(_of_row(where, row, made, NUMBERS_OF[name]))
        if _version(row) == VERSION:
            yield from found
        else:
            others += found


def _version(row: Mapping[str, str]) -> str:
    return row.get("version", "")


def _of_row(where: str, row: Mapping[str, str], made: Any, numbers: Iterable[str]) -> Iterator[str]:
    for column in WORDS:
        if row[column] != getattr(made, column):
            yield f"{where}: {column} is {row[column]!r}; {getattr(made, column)!r} follows."
    outcome = made.detail.get("outcome") or ""
    if (told := row.get("outcome", outcome)) != outcome:  # estimates had no such column once
        yield f"{where}: outcome is {told!r}; {outcome!r} follows."
    for column in numbers:
        with reading(where):
            stands = float(row[column]) if row[column] else None
        follows = getattr(made, column)
        if not _same(stands, follows):
            yield f"{where}: {column} is {row[column] or 'empty'}; {follows} follows."


def _same(one: float | None, other: float | None) -> bool:
    """Return whether two numbers agree; none and what is not finite are the same."""
    if one is None or other is None or not (math.isfinite(one) and math.isfinite(other)):
        return not any(value is not None and math.isfinite(value) for value in (one, other))
    return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
