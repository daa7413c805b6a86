"""Compares an export with what follows from it, in the order in which work becomes numbers.

Each check yields what differs: where, what stands there, and what it should be. Rows that another
version of Plumbline made may differ without a fault: what differs there is collected apart.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from annotate.instruments.base import Material
from config.version import VERSION
from estimation.core import REGISTERED, EstimationError
from estimation.exporting import manifest, tables
from estimation.packing import chosen
from estimation.verifying import amendments
from estimation.verifying.bundle import Bundle, Unreadable, plain, reading
from estimation.verifying.facts import BundleFacts, materials
from estimation.verifying.remaking import Remade, remade

CLOSE = 1e-9  # relative; sums in another order, or another processor, differ by less
WORDS = ("criterion", "estimator", "interval", "estimand")
NUMBERS = (
    *("level", "low", "high", "width", "df", "std_error", "n_items", "n_population"),
    *("n_judgments", "n_annotators", "effective_annotators"),
)
OF_ESTIMATE = ("estimate", "mean_estimate", "mean_low", "mean_high")

Progress = Callable[[str], None]
Rows = list[dict[str, str]]


def differences(
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
        "settings of the screens": lambda: amendments.differences(bundle),
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
    "estimate": tables.ESTIMATES,
    "comparison": tables.COMPARISONS,
    "decision": tables.DECISIONS,
}


def summary(bundle: Bundle, facts: BundleFacts) -> str:
    """Return what was made again, and what could not be."""
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
    """Compare the files with the manifest."""
    with reading(manifest.NAME):
        listed = dict(bundle.value(manifest.NAME)["files"])
    for name in sorted(bundle.names - {manifest.NAME} ^ set(listed)):
        where = "not in the export" if name in listed else "not in the manifest"
        yield f"{name}: it is {where}."
    for name in sorted(set(listed) & bundle.names):
        found, size = bundle.sum_of(name)
        with reading(manifest.NAME):
            if (listed[name]["sha256"], listed[name]["bytes"]) != (found, size):
                yield f"{name}: it was changed after the export: its SHA-256 is {found}."


def versions(bundle: Bundle) -> list[str]:
    """Return a sentence for each part of another version than the one that runs here."""
    with reading(manifest.NAME):
        made = dict(bundle.value(manifest.NAME)["made_with"])
    here = manifest.versions()
    return [
        f"It was made with {name} {made.get(name, '(not told)')}; {here[name]} runs here."
        for name in here
        if made.get(name) != here[name]
    ]


def answers(bundle: Bundle, facts: BundleFacts) -> Iterator[str]:
    """Score every answer again; compare what counts with exclusions and corrections."""
    shown = materials(bundle)
    corrected, out = _corrected(bundle), _excluded(bundle)
    for row in bundle.objects(tables.JUDGMENTS.name):
        with reading(tables.JUDGMENTS.name):
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


def _corrected(bundle: Bundle) -> set[int]:
    rows = (row.get("supersedes") for row in bundle.objects(tables.JUDGMENTS.name))
    return {one for one in rows if one is not None}


def _excluded(bundle: Bundle) -> set[int]:
    rows = bundle.table(tables.EXCLUSIONS)
    with reading(tables.EXCLUSIONS.name):
        return {int(row["judgment"]) for row in rows if not row["restored_at"]}


def score_table(bundle: Bundle) -> Iterator[str]:
    """Compare scores.csv, from which a reader would estimate, with the judgments."""
    left: dict[tuple[int, str, str, float], int] = defaultdict(int)
    for row in bundle.objects(tables.JUDGMENTS.name):
        with reading(tables.JUDGMENTS.name):
            for name, value in row["scores"].items():
                for _system in row["systems"]:
                    left[int(row["judgment"]), name, row["annotator"], float(value)] += 1
    for row in bundle.table(tables.SCORES):
        with reading(tables.SCORES.name):
            key = int(row["judgment"]), row["criterion"], row["annotator"], float(row["score"])
        left[key] -= 1
        if left[key] < 0:
            yield f"scores.csv: judgment {key[0]} has no such score on {key[1]}: {key[3]}."
    for key in (key for key, n in left.items() if n > 0):
        yield f"scores.csv: the score of judgment {key[0]} on {key[1]} is missing."


def _told(bundle: Bundle) -> dict[str, Rows]:
    return {name: list(bundle.table(file)) for name, file in TABLES.items()}


def decisions(bundle: Bundle, facts: BundleFacts, others: list[str]) -> Iterator[str]:
    """Make each decision again, with the estimates that caused it."""
    told = _told(bundle)
    yield from _order(told["decision"])
    rows: dict[str, Rows] = defaultdict(list)
    for row in told["decision"]:
        rows[row["evidence"]].append(row)
    for one in bundle.objects(tables.EVIDENCE_OF_DECISIONS.name):
        with reading(tables.EVIDENCE_OF_DECISIONS.name):
            mine = rows.pop(str(one["evidence"]), [])
            yield from _decided(one, mine, facts, told, others)
    for number in rows.keys() - {""}:
        yield f"evidence {number}: it is missing, and {len(rows[number])} decisions rest on it."


def _order(rows: Rows) -> Iterator[str]:
    for before, row in pairwise(rows):
        with reading(tables.DECISIONS.name):
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
    again = _remade(facts, rested, stops=one["stops"], status=one["status"])
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
    """Make the newest estimates again, unless some wait to be made."""
    told = _told(bundle)
    if not _is_current(bundle):
        return
    with reading(tables.PLAN):
        again = _remade(facts, facts.judged.counts, stops=facts.stops, status=facts.brief.status)
    for name in ("estimate", "comparison"):
        mine = [row for row in told[name] if row["newest"] == "1" and row["n_judgments"] != "0"]
        yield from _compared(name, mine, again, others)


def _is_current(bundle: Bundle) -> bool:
    with reading(manifest.NAME):
        return bool(bundle.value(manifest.NAME)["current"])


def _remade(facts: BundleFacts, rested: Any, *, stops: Mapping[str, Any], status: str) -> Remade:
    try:
        return remade(facts, rested, stops=stops, status=status)
    except EstimationError as error:
        raise Unreadable(f"Nothing can be estimated from these judgments: {error}") from None


def _compared(name: str, rows: Rows, again: Remade, others: list[str]) -> Iterator[str]:
    """Compare rows of a table with those that were made again."""
    for row in rows:
        key, made = _counterpart(name, row, again)
        where = f"{name} {row['id']} ({key})"
        if row["estimator"] not in REGISTERED:
            others.append(f"{where}: this version no longer estimates by {row['estimator']}.")
            continue
        if made is None:
            found = [f"{where}: nothing can be estimated there from the judgments."]
        else:
            found = list(_of_row(where, row, made, _numbers(name)))
        if _version(row) == VERSION:
            yield from found
        else:
            others += found


def _version(row: Mapping[str, str]) -> str:
    """Return the version of Plumbline that made a row; exports before 0.2.0 do not tell it."""
    return row.get("version", "")


def _numbers(name: str) -> tuple[str, ...]:
    return (*OF_ESTIMATE, *NUMBERS) if name == "estimate" else ("difference", *NUMBERS)


def _counterpart(name: str, row: Mapping[str, str], again: Remade) -> tuple[str, Any]:
    if name == "estimate":
        key = plain(row["system"]), row["criterion"]
        return ", ".join(key), again.estimates.get(key)
    pair = plain(row["first"]), plain(row["second"]), row["criterion"]
    return f"{pair[0]} less {pair[1]}, {pair[2]}", again.comparisons.get(pair)


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
