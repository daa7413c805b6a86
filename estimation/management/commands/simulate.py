"""`manage.py simulate`: the performance of a plan on many campaigns with a known truth."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import fields
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotate.common.numbers import count, many, number, percent, signed, width
from estimation import core
from estimation.core.simulation import LOOKS, REPORTS, WEIGHINGS, Outcome, Plan, marginal, simulate

EXAMPLES = """examples:
  manage.py simulate --width 0.2
      ternary scores, as many people as the default crowd has, a cap of 25
  manage.py simulate --scores binary --mean 0.9 --width 0.15 --cap 10 --price 0.25
  manage.py simulate --scores hter --item 0.68 --person 0.03 --width 0.1 --json
  manage.py simulate --width 0.25 --places 50 --unevenness 0 --time-correlation -0.38 \\
      --report at_once
      what goes wrong when judgments in progress are left out
  manage.py simulate --width 0.2 --leniency 0.32 --weighing equal
      what goes wrong when active people are milder and people should count equally
"""
PLAN = tuple(one.name for one in fields(Plan) if one.name not in ("marginal", "cap", "replaced"))
RULE = (
    *("level", "replicates", "seed", "estimator", "interval", "estimand", "report", "weighing"),
    *("look", "planned_items", "balance", "person_share", "price", "processes"),
)


class Command(BaseCommand):
    help = (
        "Simulates campaigns with a known truth, stops each as a real one would stop, and counts "
        "how often the reported interval contains the truth, at what cost. Same seed, same result."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.epilog, parser.formatter_class = EXAMPLES, RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        _about_scores(parser)
        _about_people(parser)
        _about_the_rule(parser)
        run = parser.add_argument_group("the simulation")
        run.add_argument("--replicates", type=int, default=400, help="campaigns (default 400)")
        run.add_argument("--seed", type=int, default=0)
        run.add_argument("--processes", type=int, default=1, help="affects only the duration")
        run.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = self._simulate(options)
        except core.EstimationError as error:
            raise CommandError(str(error)) from error
        asked = {name: options[name] for name in sorted((*PLAN, *RULE)) if name != "processes"}
        asked |= {"scores": options["scores"], "width": options["width"], "cap": options["cap"]}
        data = found.as_data()
        self.stdout.write(
            json.dumps({"options": asked, "outcome": data}) if options["json"] else _table(found)
        )

    def _simulate(self, options: dict[str, Any]) -> Outcome:
        plan = Plan(
            marginal(options["scores"], mean=options["mean"]),
            cap=options["cap"] or None,
            replaced=not options["pool"],
            **{name: options[name] for name in PLAN},
        )
        total = options["replicates"]
        with tqdm(total=total, unit="campaign", disable=None, file=self.stderr) as bar:
            return simulate(
                plan,
                target_width=options["width"],
                progress=bar.update,
                **{name: options[name] for name in RULE},
            )


def _about_scores(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("scores and outputs")
    group.add_argument(
        "--scores", default="ternary", choices=["ternary", "binary", "hter", "continuous"]
    )
    group.add_argument("--mean", type=float, default=0.9, help="of binary scores (default 0.9)")
    group.add_argument("--item", type=float, default=0.32, help="share of the scores' variance")
    group.add_argument("--person", type=float, default=0.14, help="share of the scores' variance")
    group.add_argument("--rho", type=float, default=0.5, help="correlation of metric and quality")
    group.add_argument("--outputs", dest="n_population", type=int, default=1500)
    group.add_argument(
        "--double-share", type=float, default=0.25, help="outputs judged by several people"
    )
    group.add_argument("--raters", type=int, default=2, help="how many people judge each of these")
    group.add_argument("--shared", type=float, default=0.0, help="outputs shared with a system")
    group.add_argument(
        "--shared-quality", type=float, default=0.0, help="correlation of sharing with quality"
    )


def _about_people(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("people")
    group.add_argument("--cap", type=int, default=25, help="judgments per annotator; 0 for none")
    group.add_argument("--places", type=int, default=130, help="people at work at a time")
    group.add_argument("--unevenness", type=float, default=1.0, help="sd of the log activity")
    group.add_argument("--pool", action="store_true", help="people who leave are not replaced")
    group.add_argument("--stay", type=float, help="median judgments until interest is lost")
    group.add_argument("--leniency", type=float, default=0.0, help="correlation with activity")
    group.add_argument(
        "--time-correlation", type=float, help="of log time and score; without, no delays"
    )
    group.add_argument("--time-spread", type=float, default=1.0, help="sd of the log time")
    group.add_argument("--price", type=float, default=0.0, help="of a judgment")


def _about_the_rule(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the rule")
    group.add_argument("--width", type=float, required=True, help="target, in score units")
    group.add_argument("--level", type=float, default=0.95)
    group.add_argument("--look", default="precision", choices=LOOKS, help="the compared width")
    group.add_argument("--planned-items", type=float, default=200.0, help="for --look anytime")
    group.add_argument("--estimator", default="balanced", choices=core.ESTIMATORS)
    group.add_argument(
        "--balance", type=float, default=core.BALANCE, help="of the balanced weights"
    )
    group.add_argument(
        "--person-share", type=float, default=core.PERSON_SHARE, help="of the pull; 0 for none"
    )
    group.add_argument("--interval", default="two_way", choices=core.INTERVALS)
    group.add_argument("--estimand", default="population", choices=core.ESTIMANDS)
    group.add_argument("--report", default="drained", choices=REPORTS)
    group.add_argument(
        "--weighing", default="work", choices=WEIGHINGS, help="of people in the true value"
    )


def _table(found: Outcome) -> str:
    campaigns = many(found.replicates, "campaign")
    if not found.stopped:
        return f"None of {campaigns} stopped: ask for a wider interval."
    low, high = found.coverage_interval()
    quantiles = "/".join(number(judgments, 0) for judgments in found.judgments_quantiles)
    rows = (
        ("stopped", f"{count(found.stopped)} of {campaigns} ({percent(found.stop_share)})"),
        ("coverage", f"{width(found.coverage)}  (95 %: {width(low)} to {width(high)})"),
        ("judgments", f"{number(found.mean_judgments, 0)}  (10/50/90 %: {quantiles})"),
        (
            "annotators",
            f"{number(found.mean_annotators, 0)}  (worth "
            f"{number(found.mean_effective_annotators, 0)})",
        ),
        ("cost", number(found.mean_cost)),
        (
            "error",
            f"{signed(found.mean_error, 4)} on average, half-width "
            f"{number(found.mean_half_width, 4)}",
        ),
        ("notices", f"{count(found.activity_notices)} that active people score differently"),
    )
    return "\n".join(f"{name:<11}{text}" for name, text in rows)
