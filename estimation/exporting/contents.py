"""The rows of each file of an export, as bytes; and the plan and README beside them."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise

from annotate.selectors.campaigns import exports as work
from annotate.selectors.campaigns import gold_answers
from annotate.selectors.campaigns.exports import Moment
from annotate.selectors.studies import amended_texts, background
from annotate.tables import lines, moment
from estimation.exporting import tables
from estimation.exporting.tables import File
from estimation.selectors import exports as numbers

Rows = Iterator[Mapping[str, Any]]
LINE_ENDS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}
JOINT = " + "  # between several names in one cell


def judgments(now: Moment) -> Rows:
    for one in work.judgments(now):
        told = {name: getattr(one, name) for name in tables.JUDGMENTS.columns if name != "judgment"}
        yield {**told, "judgment": one.id, "systems": [system.name for system in one.systems]}


def scores(now: Moment) -> Rows:
    for one in work.judgments(now, answers=False):
        at = moment(one.submitted_at)  # once for all of its rows
        for system in one.systems:
            for criterion, score in one.scores.items():
                yield {
                    "system": system.name,
                    "item": one.item,
                    "annotator": one.annotator,
                    "criterion": criterion,
                    "score": score,
                    "judgment": one.id,
                    "output": one.output,
                    "position": one.position,
                    "group": one.group,
                    "submitted_at": at,
                    "counts": one.enters(system),
                }


def amendments(now: Moment) -> Rows:
    return (vars(one) for one in now.amendments)


def annotators(now: Moment) -> Rows:
    return (vars(person) for person in work.people(now))


def background_answers(now: Moment) -> Rows:
    return background.rows(now.campaign)


def consents(now: Moment) -> Rows:
    return amended_texts.accepted(now.campaign)


def exclusions(now: Moment) -> Rows:
    return (vars(one) for one in work.exclusions(now))


ROWS: dict[str, Callable[[Moment], Rows]] = {
    tables.AMENDMENTS.name: amendments,
    tables.JUDGMENTS.name: judgments,
    tables.SCORES.name: scores,
    tables.OUTPUTS.name: work.outputs,
    tables.ITEMS.name: work.items,
    tables.METRICS.name: numbers.metrics,
    tables.ANNOTATORS.name: annotators,
    tables.BACKGROUND.name: background_answers,
    tables.CONSENTS.name: consents,
    tables.EXCLUSIONS.name: exclusions,
    tables.GOLD.name: gold_answers.answers,
    tables.ESTIMATES.name: numbers.estimates,
    tables.COMPARISONS.name: numbers.comparisons_,
    tables.AGREEMENT.name: numbers.agreement_,
    tables.DECISIONS.name: numbers.decisions,
    tables.EVIDENCE_OF_DECISIONS.name: numbers.evidence,
}


def encoded(file: File, rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield the lines of a file."""
    if file.is_table:
        cells = ([_joined(row[name]) for name in file.columns] for row in rows)
        return (line.encode(errors="replace") for line in lines(tuple(file.columns), cells))
    return (as_json({name: _finite(row[name]) for name in file.columns}) + b"\n" for row in rows)


def as_json(value: Any, *, indent: int | None = None) -> bytes:
    """Return JSON in UTF-8 that ends its lines nowhere but where JSON does.

    Half a surrogate pair, which no text file can hold, becomes an escape, and so do the three
    characters that JSON leaves as they are and readers may take for the end of a line.
    """
    text = json.dumps(value, default=_plain, ensure_ascii=False, indent=indent, allow_nan=False)
    return text.translate(LINE_ENDS).encode("utf-8", "backslashreplace")


def _joined(value: Any) -> Any:
    return JOINT.join(map(str, value)) if isinstance(value, list | tuple) else value


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, Decimal | Promise):
        return str(value)
    raise TypeError(f"{type(value)} is not written into exports.")
