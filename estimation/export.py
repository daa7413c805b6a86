"""The export: what its files and columns mean, its rows, its zip, and a download's progress."""

import hashlib
import io
import json
import logging
import math
import platform
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib import metadata
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.cache import caches
from django.db.models import Model
from django.utils import timezone
from django.utils.functional import Promise
from redis import RedisError

from annotate.campaigns import exports
from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.exports import CHUNK, Moment, protocol
from annotate.common.errors import NotFound
from annotate.common.requests import lines, moment
from annotate.studies import queries as studies_queries
from config.version import VERSION
from estimation import read
from estimation.facts import runs, unpacked
from estimation.models import (
    Agreement,
    Comparison,
    Decision,
    DecisionEvidence,
    Estimate,
    MetricScore,
)
from estimation.pages import charts, looks, numbers

METHOD = {
    "criterion": "what was asked of people",
    "at": "when it was computed",
    "version": "of the Plumbline that computed it; empty: one before 0.2.0",
    "provisional": "1 while the campaign collected: slow items were missing; 0 for final ones",
    "estimator": "mean, regression (one metric) or multi (several)",
    "interval": "the rule that made the interval",
    "estimand": "population: of annotators like these; panel: these annotators alone",
    "metrics": "the automatic metrics that it uses",
    "metric_transform": "how they entered: normal_scores, signed_scores (pairs of texts) or raw; "
    "empty without metrics, and in rows of before 0.2.0, where it is raw",
    "level": "of the interval",
}
INTERVAL = {
    "low": "lower end of the interval, not clipped to the scale",
    "high": "its upper end",
    "width": "high less low",
    "df": "degrees of freedom",
    "std_error": "standard error",
}
EVIDENCE = {
    "n_items": "items judged",
    "n_population": "items that there are",
    "n_judgments": "judgments that entered",
    "n_annotators": "people who gave them",
    "effective_annotators": "as many people with equal shares would be worth as much",
}
NEWEST = {
    "newest": "1 for the last of its kind, 0 for those before it",
    "notices": "codes of what is to be known about it",
}
DECIDED = {
    "outcome": "in a ranking: first or second (which is higher), close or open; else empty",
    "margin": "in a ranking: the largest difference that does not matter",
    "needs": "what would settle an open pair: items, people or neither",
    "items_needed": "about how many items in all would settle it",
}
ANNOTATOR = "pseudonym; nothing in this file says who it is"


# The files of an export: what each holds, and what each of its columns means.
#
# Plain values are tables (CSV), texts and lists JSON lines. An export's README is made from this.


@dataclass(frozen=True)
class File:
    """`columns`: {name: what it means}, in their order."""

    name: str
    what: str
    columns: Mapping[str, str]

    @property
    def is_table(self) -> bool:
        return self.name.endswith(".csv")


JUDGMENTS = File(
    "judgments.jsonl",
    "Every judgment as it was submitted, excluded and corrected ones too, in the order of arrival.",
    {
        "judgment": "number, unique in this installation",
        "output": "number of what was judged, as in outputs.jsonl",
        "item": "key of its item, as in items.jsonl",
        "systems": "the systems that wrote this very text for this item; of a ranking, all of them",
        "annotator": ANNOTATOR,
        "submitted_at": "when it was handed in",
        "elapsed_seconds": "from seeing the task to handing it in, pauses and corrections included",
        "active_seconds": "of these, with the page in use, as the browser says; null: not told",
        "instrument": "with what it was asked",
        "instrument_version": "in which version",
        "response": "the whole answer, as stored: levels, the edited text (edit), its distance, "
        "verdicts on paragraphs, highlights as pairs of code points; both_bad: the questions about "
        "two texts that were answered “Both are bad”, with the score of a tie",
        "highlights": "the highlighted words themselves: the criterion they explain, or the number "
        "of their paragraph, from 1; start and end in code points, the end excluded; text",
        "scores": "criterion: score, computed from the response",
        "counts": "whether it counts: it holds a slot, its crowd has confirmed it, no ruling has "
        "taken it out, and no correction has taken its place",
        "excluded": "whether a ruling has taken it out (exclusions.csv)",
        "supersedes": "number of the judgment that it corrects; null: it corrects none",
        "superseded": "whether a correction has taken its place; its scores are left out then",
        "page": "where the texts of an item stood side by side: the numbers of their outputs, in "
        "the order of this annotator’s page; null: the text stood alone",
        "ranked": "of a ranking: the numbers of the outputs that it scores, in the order in which "
        "scores and response number them; null: one output was judged",
    },
)
SCORES = File(
    "scores.csv",
    "One row for each score and system: `manage.py estimate --judgments` reads it.",
    {
        "system": "a system that wrote the output",
        "item": "key of the item",
        "annotator": ANNOTATOR,
        "criterion": "what was asked",
        "score": "on the scale of the criterion, see plan.json",
        "judgment": "as in judgments.jsonl",
        "output": "as in outputs.jsonl",
        "position": "of the item in the random order of judging, from 0",
        "group": "of the item; empty: a group of its own",
        "submitted_at": "when it was handed in",
        "counts": "1 if it counts, and its item lies before the end of the system's sample; else 0",
    },
)
OUTPUTS = File(
    "outputs.jsonl",
    "What the systems wrote, judged or not.",
    {
        "output": "number, unique in this installation",
        "item": "key of its item",
        "systems": "the systems that wrote this text; identical texts for an item are one output",
        "text": "the text",
        "words": "how many words people see of it",
        "visible": "the text as people see it, where its form (plan.json) is not plain",
        "blocks": "where blocks of Markdown stand: start and end in `visible`, first and last line",
    },
)
ITEMS = File(
    "items.jsonl",
    "What the systems were given.",
    {
        "item": "key, as uploaded",
        "position": "in the random order of judging, from 0",
        "group": "the group that it belongs to, as uploaded; empty: a group of its own",
        "input": "the text or question",
        "paragraphs": "those in which an answer is looked for",
        "reference": "the reference text",
    },
)
METRICS = File(
    "metrics.csv",
    "Automatic metrics of all outputs: `manage.py estimate --metrics` reads it.",
    {
        "system": "a system that wrote the output",
        "item": "key of the item",
        "metric": "its name",
        "value": "for this output",
        "output": "as in outputs.jsonl",
        "version": "of the metric; given: it came with the upload",
        "group": "of the item; empty: a group of its own",
    },
)
ANNOTATORS = File(
    "annotators.csv",
    "Who judged.",
    {
        "annotator": ANNOTATOR,
        "judgments": "that they gave",
        "counting": "of these, those that count",
        "excluded": "of these, those that a ruling took out",
        "first_at": "when they handed in the first",
        "last_at": "and the last",
        "active_seconds": "with the page in use, in all, as far as browsers told",
        "review": "open, cleared or excluded; empty where nobody has looked at their work",
        "screens": "the screens that pointed at their work",
    },
)
BACKGROUND = File(
    "background.csv",
    "What people told about themselves, where the campaign asked.",
    {
        "annotator": ANNOTATOR,
        "question": "what was asked",
        "answer": "one of those offered; empty: they would rather not say",
    },
)
CONSENTS = File(
    "consents.csv",
    "Which consent text people accepted, where the campaign has one.",
    {
        "annotator": ANNOTATOR,
        "version": "of the text, from 1: plan.json has the newest (texts) with its number, and "
        "those before it (text_amendments)",
        "accepted_at": "when",
    },
)
EXCLUSIONS = File(
    "exclusions.csv",
    "Judgments that a ruling took out of the estimates.",
    {
        "judgment": "as in judgments.jsonl",
        "annotator": ANNOTATOR,
        "reason": "what they were told",
        "excluded_at": "when",
        "restored_at": "when it was brought back; empty: it is still out",
    },
)
GOLD = File(
    "gold.jsonl",
    "Answers to gold items, whose right answer is known. None of them is a judgment.",
    {
        "gold": "name of the gold item",
        "kind": "given (from a file), planted (a planted defect) or instruction",
        "annotator": ANNOTATOR,
        "submitted_at": "when",
        "elapsed_seconds": "from its first sight to its submission",
        "active_seconds": "as the page counted them; null where it did not",
        "text": "what was shown",
        "expected": "{question: right values}",
        "response": "all answers",
        "right": "whether all expected answers were given",
        "corrections": "how often it was corrected later; the first answer counts",
    },
)
ESTIMATES = File(
    "estimates.csv",
    "Every estimate of a system (or pair) that was ever computed, the oldest first.",
    {
        "id": "number, as in decisions.csv and the API",
        "system": "its name",
        **METHOD,
        "estimate": "the score of the system; empty where there is none",
        **INTERVAL,
        "mean_estimate": "the plain mean of the same judgments, without metrics",
        "mean_low": "and its interval",
        "mean_high": "its upper end",
        **EVIDENCE,
        "n_unfinished": "items before the end of the sample that lack a judgment",
        "with_excluded_estimate": "the same with the excluded work in it; empty: nothing is out",
        "with_excluded_low": "lower end of that interval",
        "with_excluded_high": "its upper end",
        "with_excluded_n_judgments": "judgments that entered it",
        **DECIDED,  # in a ranking of pairs that are judged side by side
        **NEWEST,
    },
)
COMPARISONS = File(
    "comparisons.csv",
    "Every paired difference of two systems that was ever computed, the oldest first.",
    {
        "id": "number, as in the API",
        "first": "a system",
        "second": "the system whose score is subtracted",
        **METHOD,
        "difference": "first less second, over the items that both have finished",
        **INTERVAL,
        **EVIDENCE,
        **DECIDED,
        **NEWEST,
    },
)
AGREEMENT = File(
    "agreement.csv",
    "How far people agreed (Krippendorff's alpha), each time it was computed.",
    {
        "id": "number, as in the API",
        "criterion": "what was asked",
        "at": "when it was computed",
        "distance": "nominal, ordinal or interval",
        "level": "of the interval",
        "alpha": "1: they agree; 0: no more than chance; empty where there is none",
        "low": "lower end of its interval",
        "high": "its upper end",
        "n_outputs": "outputs that several people judged",
        "n_judgments": "their judgments",
        "n_annotators": "the people who gave them",
        "excluded": "judgments that rulings had left out",
        "observed": "how often two judgments of an output are equal; empty in rows before 0.2.0",
        "by_chance": "how often two judgments of any outputs are equal",
        "icc": "ICC(1,1), one-way, of single judgments; empty in rows of 0.1.0",
        "fleiss_kappa": "Fleiss' kappa; empty where scores have no levels, and in rows of 0.1.0",
        "newest": NEWEST["newest"],
    },
)
DECISIONS = File(
    "decisions.csv",
    "What stopping rules did, the oldest first.",
    {
        "id": "number, as in the API",
        "at": "when",
        "verb": "what was done: stop_system, resume_system, close, resume, finish",
        "reason": "why, as a code",
        "system": "which system; empty: the campaign",
        "text": "the same in words",
        "estimates": "ids of the estimates that caused it",
        "comparisons": "in a ranking: ids of the comparisons that caused it",
        "evidence": "what it rests on, as in evidence.jsonl; empty for decisions of 0.1.0",
    },
)
EVIDENCE_OF_DECISIONS = File(
    "evidence.jsonl",
    "What decisions rest on.",
    {
        "evidence": "number, as in decisions.csv",
        "at": "when",
        "status": "of the campaign before the decisions",
        "stops": "system: position at which its sample had ended before",
        "judgments": "those that counted, from the first to the last of each pair",
        "n_judgments": "how many",
        "protocol": "SHA-256 of the protocol",
    },
)
AMENDMENTS = File(
    "amendments.jsonl",
    "Changes of the settings of the screens after the opening, the oldest first.",
    {
        "at": "when",
        "why": "the reason that was given",
        "changes": "setting: what it was, and what it became",
    },
)
PLAN = "plan.json"
README = "README.md"
FILES = (
    AMENDMENTS,
    *(JUDGMENTS, SCORES, OUTPUTS, ITEMS, METRICS),
    *(ANNOTATORS, BACKGROUND, CONSENTS, EXCLUSIONS, GOLD),
    *(ESTIMATES, COMPARISONS, AGREEMENT, DECISIONS, EVIDENCE_OF_DECISIONS),
)


# The numbers of a campaign for its export, row by row: plain values, the oldest first.


EXPORTS_METHOD = tuple(name for name in METHOD if name != "metric_transform")
EXPORTS_INTERVAL = tuple(INTERVAL)
EXPORTS_EVIDENCE = tuple(EVIDENCE)

Row = dict[str, Any]


def newest_estimate(campaign_id: int) -> int:
    """Return the highest id of the campaign's estimates; 0 if there is none."""
    rows = Estimate.objects.filter(campaign=campaign_id).order_by("-pk")
    return rows.values_list("pk", flat=True).first() or 0


def metrics(now: Moment) -> Iterator[Row]:
    """Yield the value of each metric for each output, once for each system that wrote it."""
    rows = MetricScore.objects.filter(campaign=now.campaign).order_by("output", "metric")
    chosen = rows.values_list(
        "output", "output__item__key", "output__item__group", "metric", "version", "value"
    )
    for output, item, group, metric, version, value in chosen.iterator(chunk_size=CHUNK):
        for system in now.authors(output):
            yield {
                "system": system.name,
                "item": item,
                "output": output,
                "group": group,
                "metric": metric,
                "version": version,
                "value": value,
            }


def estimates(now: Moment) -> Iterator[Row]:
    return _all(ESTIMATES, Estimate, now, newest=read.newest([now.campaign.pk]))


def comparisons(now: Moment) -> Iterator[Row]:
    """Yield every paired difference that is kept, `first` minus `second`."""
    return _all(COMPARISONS, Comparison, now, newest=read.newest_comparisons([now.campaign.pk]))


def agreement(now: Moment) -> Iterator[Row]:
    return _all(AGREEMENT, Agreement, now, newest=read.newest_agreement(now.campaign.pk))


def _all(file: File, model: type[Model], now: Moment, *, newest: Any) -> Iterator[Row]:
    """Yield each row of the campaign by the columns of its file."""
    last = set(newest.values_list("pk", flat=True))
    names = [name for name in ("system", "first", "second") if name in file.columns]
    rows = model._default_manager.filter(campaign=now.campaign).select_related(*names)
    for row in rows.order_by("pk").iterator(chunk_size=CHUNK):
        told = {name: _told(row, name) for name in file.columns if name != "newest"}
        yield {**told, "newest": row.pk in last}


def _told(row: Any, name: str) -> Any:
    """Return what a column says of a row: its field, a system's name, or a part of its detail."""
    if name in ("system", "first", "second"):
        return getattr(row, name) and getattr(row, name).name
    if name == "notices":
        return [notice["code"] for notice in row.detail.get("notices", ())]
    if name.startswith("with_excluded_"):
        return (row.detail.get("with_excluded") or {}).get(name.removeprefix("with_excluded_"))
    return getattr(row, name) if hasattr(row, name) else row.detail.get(name)


def decisions(now: Moment) -> Iterator[Row]:
    """Yield the acts of stopping rules, with the ids of the rows that caused them."""
    causes = {
        name: _causes(through, name, now)
        for name, through in (
            ("estimate", Decision.estimates.through),
            ("comparison", Decision.comparisons.through),
        )
    }
    rows = Decision.objects.filter(campaign=now.campaign).select_related("system").order_by("pk")
    for row in rows:
        told = {name: _told(row, name) for name in ("id", "at", "verb", "reason", "system", "text")}
        told |= {f"{name}s": found[row.pk] for name, found in causes.items()}
        yield {**told, "evidence": row.evidence_id}


def evidence(now: Moment) -> Iterator[Row]:
    names = {one.system_id: one.name for one in campaigns_facts.standings(now.campaign.pk)}
    rows = DecisionEvidence.objects.filter(campaign=now.campaign).order_by("pk")
    for one in rows.iterator(chunk_size=1):
        judgments = unpacked(one.judgments)
        yield {
            "evidence": one.pk,
            "at": one.at,
            "status": one.campaign_status,
            "stops": {names[int(system)]: stop for system, stop in one.stops.items()},
            "judgments": runs(judgments, now.judgment),
            "n_judgments": judgments.size,
            "protocol": one.protocol,
        }


def _causes(through: type[Model], name: str, now: Moment) -> dict[int, list[int]]:
    caused: dict[int, list[int]] = defaultdict(list)
    rows = through._default_manager.filter(decision__campaign=now.campaign)
    for decision, cause in rows.order_by(name).values_list("decision", name):
        caused[decision].append(cause)
    return caused


# The manifest of an export: the checksum of each file, and what made it.


NAME = "manifest.json"
FORMAT = 1
LIBRARIES = ("numpy", "scipy")  # they make the numbers

ABOUT = """The SHA-256 and the size of each file, the versions of what made them, and whether the
newest estimates rest on everything in here (`current`; false while some wait to be made).
`manage.py verify FILE.zip` checks this, and makes the estimates and decisions again."""

Files = Iterator[tuple[str, Iterable[bytes]]]


def versions() -> dict[str, str]:
    """Return the versions of Plumbline, Python and the libraries that make the numbers."""
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return {"plumbline": VERSION, "python": platform.python_version(), **libraries}


def with_manifest(files: Files, is_current: Callable[[], bool]) -> Files:
    """Pass files on, and after them a manifest of what they hold.

    is_current: asked when all files have passed.
    """
    sums: dict[str, dict[str, Any]] = {}

    def passing(name: str, parts: Iterable[bytes]) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        for part in parts:
            digest.update(part)
            size += len(part)
            yield part
        sums[name] = {"sha256": digest.hexdigest(), "bytes": size}

    for name, parts in files:
        yield name, passing(name, parts)
    told = {"format": FORMAT, "made_with": versions(), "current": is_current(), "files": sums}
    yield NAME, [json.dumps(told, indent=2).encode() + b"\n"]


# The pictures of the report as files of an export.


FOLDER = "pictures"
PICTURES_ABOUT = """\
Of each criterion with estimates, as SVG: `estimates-NAME.svg`, the intervals of all
systems on one scale, and `history-NAME.svg`, their widths as judgments came."""


def files(campaign: Any) -> Iterator[tuple[str, Iterable[bytes]]]:
    facts = campaigns_lists.facts(campaign)
    for criterion in facts.criterion_names:
        if rows := looks.estimates(facts, criterion, numbers.USUAL):
            yield (
                f"{FOLDER}/estimates-{criterion}.svg",
                [charts.svg(charts.forest(rows, title=criterion))],
            )
        if widths := looks.widths(facts, criterion):
            target = facts.targets.get(criterion)
            yield (
                f"{FOLDER}/history-{criterion}.svg",
                [charts.svg(charts.narrowing(widths, title=criterion, target=target))],
            )


# The rows of each file of an export, as bytes; and the plan and README beside them.


Rows = Iterable[Mapping[str, Any]]
LINE_ENDS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}
JOINT = " + "  # between several names in one cell


def judgments(now: Moment) -> Rows:
    for one in exports.judgments(now):
        yield one | {"systems": [system.name for system in one["systems"]]}


def scores(now: Moment) -> Rows:
    for one in exports.scores(now):
        at = moment(one["submitted_at"])
        for system in one["systems"]:
            stop = system.stop_position
            enters = one["counts"] and (stop is None or one["position"] < stop)
            yield one | {"system": system.name, "submitted_at": at, "counts": enters}


ROWS: dict[str, Callable[[Moment], Rows]] = {
    AMENDMENTS.name: lambda now: map(vars, now.amendments),
    JUDGMENTS.name: judgments,
    SCORES.name: scores,
    OUTPUTS.name: exports.outputs,
    ITEMS.name: exports.items,
    METRICS.name: metrics,
    ANNOTATORS.name: exports.people,
    BACKGROUND.name: lambda now: studies_queries.background_rows(now.campaign),
    CONSENTS.name: lambda now: studies_queries.accepted(now.campaign),
    EXCLUSIONS.name: exports.exclusions,
    GOLD.name: exports.answers,
    ESTIMATES.name: estimates,
    COMPARISONS.name: comparisons,
    AGREEMENT.name: agreement,
    DECISIONS.name: decisions,
    EVIDENCE_OF_DECISIONS.name: evidence,
}


def encoded(file: File, rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    if file.is_table:
        cells = ([_joined(row[name]) for name in file.columns] for row in rows)
        return (line.encode(errors="replace") for line in lines(tuple(file.columns), cells))
    return (
        as_json({name: _finite(row[name]) for name in file.columns if name in row}) + b"\n"
        for row in rows
    )


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


# The zip of an export, made while it is sent: it is never whole in memory or on a disk.


SENT_AT_ONCE = 1 << 16  # bytes
PACKED_AT_ONCE = 1 << 15  # bytes, before compression
Progress = Callable[[str, int, int | None], None]


def name(public_id: str) -> str:
    return f"plumbline-{public_id}.zip"


def stream(public_id: str, *, progress: Progress = lambda *_: None) -> Iterator[bytes]:
    """Yield the export of a campaign, some bytes at a time; `NotFound` before the first.

    It is of one moment: what may change is read first, at once.
    progress: called with the name of a file, how many of its lines are packed, and how many there
        will be (None: not known); first of all for those where that is known.
    """
    campaign_id = campaigns_facts.campaign_id_of(public_id)
    if campaign_id is None:
        raise NotFound(f"There is no campaign {public_id!r}.")
    newest = newest_estimate(campaign_id)
    now, at = exports.moment(campaign_id), timezone.now()
    waits = bool(campaigns_facts.changes(campaign_id))
    known = {JUDGMENTS.name: now.judgment.size, OUTPUTS.name: now.output.size}
    for file, total in known.items():
        progress(file, 0, total)
    # An estimate that is made from here on may rest on more than what was read.
    files = with_manifest(
        _files(now, at, known, progress),
        lambda: not waits and newest == newest_estimate(campaign_id),
    )
    return _zipped(files, folder=f"plumbline-{public_id}", at=at)


def _files(
    now: Moment, at: datetime, known: dict[str, int], progress: Progress
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """What is short comes first, so that the download begins at once."""
    counted: dict[str, int] = {}
    yield PLAN, [as_json(protocol(now.campaign), indent=2)]
    for file in FILES:
        total = known.get(file.name)
        yield file.name, _blocks(file, now, counted, total, progress)
    yield from files(now.campaign)
    yield README, [readme(now, counted, at=at).encode()]


def _blocks(
    file: File, now: Moment, counted: dict[str, int], total: int | None, progress: Progress
) -> Iterator[bytes]:
    """Yield the lines of a file in blocks, which take less time to pack than single lines."""
    n = -1 if file.is_table else 0  # a table's first line names its columns
    held, size = [], 0
    for line in encoded(file, ROWS[file.name](now)):
        n += 1
        held.append(line)
        size += len(line)
        if size >= PACKED_AT_ONCE:
            yield b"".join(held)
            progress(file.name, max(0, n), total)
            held, size = [], 0
    counted[file.name] = n
    yield b"".join(held)
    progress(file.name, max(0, n), total)


def readme(now: Moment, counted: dict[str, int], *, at: datetime) -> str:
    campaign = now.campaign
    parts = [
        f"# {campaign.name}",
        f"Campaign {campaign.public_id}, {campaign.get_status_display()}; exported at "
        f"{moment(at)} from Plumbline.",
        ARCHIVE_ABOUT,
        *(_described(file, counted[file.name]) for file in FILES),
        f"## {PLAN}\n\n{ARCHIVE_DECIDED}",
        f"## {FOLDER}/\n\n{PICTURES_ABOUT}",
        f"## {NAME}\n\n{ABOUT}",
    ]
    return "\n\n".join(parts) + "\n"


ARCHIVE_ABOUT = """\
Tables are CSV in UTF-8, and their first line names the columns; what holds texts or
lists is JSON lines, one object a line. Times are ISO 8601 in UTC. In tables yes and no are 1 and 0,
what is not known is empty, and several names in one cell are joined by ` + `. A text in a table
that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or the end of a line)
has a ' in front; JSON lines have it as it is. Annotators are called by pseudonyms: nothing here
says who they are at their crowd."""
ARCHIVE_DECIDED = """\
What was decided: the instrument with its criteria and scales, targets, stopping rule
and limits; when the campaign was opened and closed; and for each system the position at which its
sample ended (null: at the last)."""


def _described(file: File, n: int) -> str:
    rows = "row" if n == 1 else "rows"
    head = f"## {file.name}\n\n{file.what} {n:,} {rows}.\n\n| name | meaning |\n|---|---|\n"
    return head + "\n".join(f"| `{name}` | {what} |" for name, what in file.columns.items())


class _Sent(io.RawIOBase):
    """What the zip is written to. Its bytes are sent as they come, so it cannot seek."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self._parts.append(bytes(data))
        self.size += len(data)
        return len(data)

    def take(self) -> bytes:
        parts, self._parts, self.size = self._parts, [], 0
        return b"".join(parts)


def _zipped(
    files: Iterable[tuple[str, Iterable[bytes]]], *, folder: str, at: datetime
) -> Iterator[bytes]:
    sent, stamp = _Sent(), at.astimezone(UTC).timetuple()[:6]
    with ZipFile(sent, "w", ZIP_DEFLATED) as zipped:
        for file, lines in files:
            about = ZipInfo(f"{folder}/{file}", stamp)
            about.compress_type, about.external_attr = ZIP_DEFLATED, 0o644 << 16
            with zipped.open(about, "w", force_zip64=True) as entry:
                for line in lines:
                    entry.write(line)
                    if sent.size >= SENT_AT_ONCE:
                        yield sent.take()
            yield sent.take()
    yield sent.take()


# The progress of an export's download, for the page that started it.
#
# It is kept for a minute where all processes see it (Redis). It
# only shows: a download neither waits for it nor fails with it.


TOKEN = re.compile(r"[0-9a-f]{32}")  # that the page makes for one download
KEPT = 60  # seconds after the last change
EVERY = 0.5  # seconds between two changes
SHOWN = (OUTPUTS.name, JUDGMENTS.name)  # what grows with a campaign

State = Literal["running", "complete", "stopped"]
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class DownloadProgress:
    """state: of the download. lines of total, of outputs and judgments; size: bytes so far."""

    state: State
    lines: int = 0
    total: int = 0
    size: int = 0

    @property
    def share(self) -> float:
        return self.lines / self.total if self.total else 0.0


class FollowedDownload:
    """A download that reports its progress. name: see `name_of`."""

    def __init__(self, name: str) -> None:
        self.name, self.size, self.told_at = name, 0, 0.0
        self.lines: dict[str, int] = {}
        self.totals: dict[str, int] = {}

    def progress(self, file: str, lines: int, total: int | None) -> None:
        """Record the progress that `archive.stream` reports."""
        if file in SHOWN and total is not None:
            self.lines[file], self.totals[file] = lines, total

    def over(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the parts, and tell how far they are and how they end."""
        state: State = "stopped"
        self._tell("running")
        try:
            for part in parts:
                self.size += len(part)
                if time.monotonic() >= self.told_at + EVERY:
                    self._tell("running")
                yield part
            state = "complete"
        finally:
            self._tell(state)

    def _tell(self, state: State) -> None:
        self.told_at = time.monotonic()
        now = DownloadProgress(
            state, sum(self.lines.values()), sum(self.totals.values()), self.size
        )
        try:
            caches["shared"].set(self.name, astuple(now), KEPT)
        except RedisError as error:
            logger.warning("no page can show how far a download is: %s", error)


def name_of(campaign_id: int, user_id: int, token: str) -> str:
    """Return under what a user's download is found; "" for a token that no page makes."""
    return f"export:{campaign_id}:{user_id}:{token}" if TOKEN.fullmatch(token) else ""


def find_progress(name: str) -> DownloadProgress | None:
    try:
        found = caches["shared"].get(name) if name else None
    except RedisError as error:
        logger.warning("no page can show how far a download is: %s", error)
        return None
    return None if found is None else DownloadProgress(*found)
