"""`manage.py estimate`: estimates from files, without a database."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.common.numbers import count, many, number, percent
from annotate.models.base import Estimand
from estimation import core, from_files, read
from estimation.file_reports import (
    INTERVAL_NAMES,
    EstimateOptions,
    RankedSystems,
    Report,
    compare,
    ranked_systems,
    report,
)
from estimation.from_files import ALL_METRICS, FileError, Selection

COLUMNS = (
    "system",
    "criterion",
    "estimate",
    "interval",
    "items",
    "judgments",
    "annotators (effective)",
    "rho",
    "gamma",
    "data efficiency (cap)",
)


SEQUENCE_NEEDS = (
    "A confidence sequence is tuned beforehand to how many outputs there are: say --items N, or "
    "list them in a metrics file"
)
CONSTANTS = (
    ("balance", core.BALANCE, "How much less a person's work weighs the more of it there is."),
    (
        "person-share",
        core.PERSON_SHARE,
        "The typical share of variance between people; 0: no pull.",
    ),
)


ENTERS = {
    "normal_scores": "Metrics enter as normal scores of their ranks over the whole file.",
    "signed_scores": "Metrics enter as signed normal scores over the whole file.",
    "raw": "Metrics enter with their own values: a few extreme ones can move an estimate far.",
}


def _constant(text: str) -> tuple[str, float]:
    criterion, sign, value = text.rpartition("=")
    if not (sign and criterion):
        raise ArgumentTypeError(f"{text!r} is not CRITERION=NUMBER, such as overall=0.16.")
    try:
        return criterion, float(value)
    except ValueError as error:
        raise ArgumentTypeError(f"{value!r} is not a number.") from error


class Command(BaseCommand):
    help = (
        "Estimates every system's mean score on every criterion from tables of judgments "
        "(system,item,annotator,criterion,score) and of automatic metrics (system,item,metric,"
        "value; every output of every system). CSV, JSON, .xlsx and Parquet, also .gz and .zip. "
        "A column `group` names the document, prompt or dialogue of each item: its items are not "
        "independent."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--judgments", type=Path, required=True, metavar="FILE")
        parser.add_argument("--metrics", type=Path, metavar="FILE")
        parser.add_argument(
            "--metric",
            nargs="+",
            default=[],
            metavar="NAME",
            help=f"the control variate; {ALL_METRICS!r} combines all. The only one by default",
        )
        parser.add_argument("--system", nargs="+", default=[], metavar="NAME")
        parser.add_argument("--criterion", nargs="+", default=[], metavar="NAME")
        parser.add_argument(
            "--estimator",
            choices=list(core.REGISTERED),
            help="balanced by default; for an interval that it does not have, regression, multi "
            "or mean, by the number of metrics",
        )
        parser.add_argument(
            "--metric-transform",
            choices=core.METRIC_TRANSFORMS,
            help="how metrics enter: as normal scores of their ranks over the whole file "
            "(normal_scores; signed_scores for differences of two texts), so that no extreme value "
            "moves an estimate far, or raw, which is what algorithm_1 takes by default",
        )
        for name, default, what in CONSTANTS:
            parser.add_argument(
                f"--{name}",
                nargs="+",
                action="extend",
                default=[],
                type=_constant,
                metavar="CRITERION=NUMBER",
                help=f"{what} Otherwise by the names of built-in criteria, else {default:g}",
            )
        parser.add_argument("--interval", choices=list(INTERVAL_NAMES), default="two_way")
        parser.add_argument("--estimand", choices=Estimand.values, default="population")
        parser.add_argument("--level", type=float, default=0.95)
        parser.add_argument("--scale", type=float, nargs=2, metavar=("LOW", "HIGH"))
        parser.add_argument(
            "--unbounded",
            action="store_true",
            help="the scale is a working range: scores may lie outside it",
        )
        parser.add_argument(
            "--compare",
            nargs=2,
            metavar=("A", "B"),
            help="also the paired difference of A minus B",
        )
        parser.add_argument(
            "--ranking",
            type=float,
            metavar="MARGIN",
            help="also the places of all systems, by the rule of a campaign that stops when every "
            "pair differs, or by less than MARGIN",
        )
        parser.add_argument(
            "--planned-items", type=int, help="of that rule, as when the campaign was created"
        )
        parser.add_argument("--seed", type=int, default=0, help="of bootstraps")
        parser.add_argument(
            "--items",
            type=int,
            metavar="N",
            help="how many outputs each system has, judged or not. A metrics file lists them; with "
            "neither, there is no finite-population correction",
        )
        parser.add_argument(
            "--no-finite-population",
            action="store_true",
            help="the outputs are a sample too: apply no finite-population correction",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            reports, ranked = _reports(options)
        except (FileError, core.EstimationError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            found = [*(one.as_data() for one in reports), *(one.as_data() for one in ranked)]
            self.stdout.write(json.dumps(found, allow_nan=False))
        else:
            self.stdout.write("\n".join([_table(reports), *(one.in_words() for one in ranked)]))


def _reports(options: dict[str, Any]) -> tuple[list[Report], list[RankedSystems]]:
    names = from_files.vocabulary()
    metrics = from_files.read_metrics(options["metrics"], names) if options["metrics"] else None
    judgments = from_files.read_judgments(options["judgments"], names)
    wanted = _wanted(options)
    if options["interval"] == "sequence" and not (metrics or options["items"]):
        raise CommandError(f"{SEQUENCE_NEEDS}.")
    estimator = _estimator(options, from_files.chosen_metrics(metrics, wanted))
    usual = "raw" if estimator == "algorithm_1" else "normal_scores"
    transform = options["metric_transform"] or usual
    if metrics:
        metrics = from_files.entered(metrics, transform)
    asked = EstimateOptions(
        estimator=estimator,
        interval=options["interval"],
        estimand=options["estimand"],
        level=options["level"],
        finite_population=not options["no_finite_population"],
        seed=options["seed"],
        metric_transform=transform if metrics else "",
        items_known=bool(metrics) or options["items"] is not None,
        balance=dict(options["balance"]),
        person_share=dict(options["person_share"]),
    )
    found = [report(*cell, asked) for cell in from_files.cells(judgments, metrics, wanted)]
    if systems := options["compare"] and tuple(options["compare"]):
        pairs = from_files.pairs(judgments, metrics, wanted, systems)
        found += [compare(systems, *pair, asked) for pair in pairs]
    if options["ranking"] is None:
        return found, []
    if not (metrics or options["items"] or options["planned_items"]):
        raise CommandError(f"{SEQUENCE_NEEDS}, or --planned-items.")
    rule = {"margin": options["ranking"], "planned_items": options["planned_items"]}
    return found, ranked_systems(judgments, metrics, wanted, asked, **rule)


def _wanted(options: dict[str, Any]) -> Selection:
    return Selection(
        systems=tuple(options["system"]),
        criteria=tuple(options["criterion"]),
        metrics=tuple(options["metric"]),
        items=options["items"],
        scale=tuple(options["scale"]) if options["scale"] else None,
        unbounded=options["unbounded"],
        uses_metric=not options["estimator"]
        or core.REGISTERED[options["estimator"]].metrics != "none",
    )


def _estimator(options: dict[str, Any], metrics: tuple[str, ...]) -> str:
    """Return the chosen estimator, or the default one for this number of metrics."""
    if options["metric"] and not options["metrics"]:
        raise CommandError("--metric names a column of a metrics file. Add --metrics FILE.")
    usual = ("mean", "regression", "multi")[min(len(metrics), 2)]
    if options["interval"] in ("two_way", "sequence"):
        usual = "balanced"
    chosen: str = options["estimator"] or usual
    if core.REGISTERED[chosen].metrics == "one" and len(metrics) != 1:
        raise CommandError(
            f"The estimator {chosen} takes one metric; "
            + (f"{len(metrics)} are named." if metrics else "add --metrics FILE.")
        )
    return chosen


def _table(reports: list[Report]) -> str:
    rows = [COLUMNS, *(_row(report) for report in reports)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    lines = [
        "  ".join(
            cell.ljust(width) if k < 2 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", *_remarks(reports)])


def _row(report: Report) -> tuple[str, ...]:
    found = report.found
    of_all = f" of {count(found.n_population)}" if report.asked.items_known else ""
    return (
        report.system,
        report.criterion,
        number(found.estimate, 3),
        _interval(report),
        count(found.n_items) + of_all,
        count(report.n_judgments),
        f"{count(found.n_annotators)} ({number(found.effective_annotators, 1)})",
        number(report.rho),
        number(report.gamma),
        f"{number(report.data_efficiency)} ({number(report.cap)})",
    )


def _interval(report: Report) -> str:
    """Return the interval, cut to the scale, or to the working range of an unbounded one."""
    low, high, scale = report.low, report.high, report.scale
    if low is None or high is None:
        return "none"
    if scale and not report.found.off_scale:
        low, high = (read.cut(end, scale, report.found.estimate) for end in (low, high))
    return f"[{number(low, 3)}, {number(high, 3)}]"


def _remarks(reports: list[Report]) -> list[str]:
    """Return the meaning of the numbers, then every notice once, with its rows."""
    asked = reports[0].asked
    whom = {"population": "people in general", "panel": "exactly these annotators"}
    lines = [
        f"{percent(asked.level)} intervals ({asked.interval}), estimator {asked.estimator}, for "
        f"{whom[asked.estimand]}."
    ]
    if asked.metric_transform:
        lines.append(ENTERS[asked.metric_transform])
    if len(reports) > 1:
        lines.append("The intervals are not simultaneous: each has its level separately.")
    if any(_leans(report) for report in reports):
        lines.append(
            "While few items are judged, an interval is centred nearer to the middle of the scale "
            "than its estimate."
        )
    about: dict[str, list[str]] = {}
    for entry in reports:
        for notice in (*entry.notices, *_too_early(entry)):
            about.setdefault(notice, []).append(f"{entry.system} {entry.criterion}")
    for notice, rows in about.items():
        lines.append(notice if len(rows) == len(reports) else f"{'; '.join(rows)}: {notice}")
    return lines


def _leans(report: Report) -> bool:
    """Return whether a reader of three decimals sees that the estimate is not the middle."""
    found = report.found
    centred = report.asked.interval not in ("bootstrap", "pigeonhole")
    return centred and found.has_interval and abs(found.centre - found.estimate) >= 0.001


def _too_early(report: Report) -> tuple[str, ...]:
    least = read.least(None)
    if report.found.n_items >= least:
        return ()
    return (
        f"Fewer than {many(least, 'judged item')}: the dashboard shows no number yet, because "
        "it would say next to nothing.",
    )
