"""`manage.py plan`: forecasts a collection, before any judgment."""

import json
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns.planner import CLAIMED, PlannedStudy
from annotate.common.numbers import days_between, many, money_text, number, percent, short, width
from annotate.pay import budget
from annotate.work.picking import BLOCK
from estimation import plans
from estimation.core import ESTIMANDS, EstimationError
from estimation.core.planning import TYPICAL, Forecast, Purchase, Range, Study
from estimation.pages import planning
from estimation.pages.planning import initial

USUAL = initial()  # of the page, so that both begin alike
PARTS = {"item": "items", "annotator": "people", "rest": "rest"}


class Command(BaseCommand):
    help = (
        "Plans a collection: judgments, people and money until the interval is as narrow as asked "
        "(--target), the width that a budget buys (--budget), or the items until a ranking of "
        "systems is decided (--margin), also by texts that are judged side by side "
        "(--side-by-side). It simulates campaigns with the expected variances and runs the "
        "stopping rule on them; for a ranking of scores it uses a formula. It does not use the "
        "database."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--items", type=int, default=USUAL["items"], help="outputs of each system"
        )
        parser.add_argument("--systems", type=int, default=USUAL["systems"])
        parser.add_argument(
            "--target",
            action=_Target,
            metavar="[CRITERION=]WIDTH",
            help="full width, in score units; with a criterion in place of --criterion",
        )
        parser.add_argument("--budget", type=float, help="what width it buys")
        parser.add_argument(
            "--margin",
            type=float,
            help="of a ranking of --systems: the largest difference that does not matter",
        )
        parser.add_argument(
            "--side-by-side",
            action="store_true",
            help="the texts of each two systems are judged in pairs; with --margin",
        )
        parser.add_argument(
            "--probability",
            type=float,
            default=CLAIMED,
            help="with which a pair is to be decided, side by side (default: %(default)s)",
        )
        parser.add_argument("--level", type=float, default=USUAL["level"])
        parser.add_argument("--estimand", choices=ESTIMANDS, default="population")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true")
        _add_scores(parser)
        _add_work(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if all(options[name] is None for name in ("target", "budget", "margin")):
            raise CommandError(
                "Say what to plan for: --target WIDTH, --budget MONEY or --margin DIFFERENCE."
            )
        if options["side_by_side"] and options["margin"] is None:
            raise CommandError("--side-by-side plans a ranking: say --margin DIFFERENCE too.")
        goals = {"target": options["target"], "money": options["budget"]}
        try:
            found = plans.planned(options, margin=options["margin"], **goals)
        except EstimationError as error:
            raise CommandError(str(error)) from error
        if found.refused:
            raise CommandError(
                f"{found.refused} (A lower --cap spreads the work over more people; --pool says "
                "how many there are.)"
            )
        if options["json"]:
            self.stdout.write(json.dumps({"study": asdict(found.study), **planning.data(found)}))
            return
        self.stdout.write(_words(found))
        if found.order is not None:
            self.stdout.write(_ranking_words(found, options))


def _add_scores(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the scores (typical by default)")
    group.add_argument("--criterion", choices=list(TYPICAL), default=USUAL["criterion"])
    group.add_argument("--item-variance", type=float, help="between items, in squared score units")
    group.add_argument("--person-variance", type=float, help="between annotators")
    group.add_argument("--rest-variance", type=float, help="everything else")
    group.add_argument("--balance", type=float, help="how much less much work weighs; lambda")
    group.add_argument(
        "--person-share", type=float, help="typical share of variance between people; 0: no pull"
    )
    group.add_argument("--mean", type=float, help="expected mean score")
    group.add_argument("--scale", type=float, nargs=2, metavar=("LOW", "HIGH"))
    group.add_argument("--levels", type=int, help="answers on the scale; 101 for a slider")
    group.add_argument(
        "--rho",
        type=float,
        default=USUAL["rho"],
        help="correlation of metric and human metric; 0 without a metric (default: %(default)s)",
    )


def _add_work(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the work")
    group.add_argument(
        "--cap", type=int, default=USUAL["cap"], help="judgments per annotator; 0 for no cap"
    )
    group.add_argument(
        "--double-share",
        type=float,
        default=USUAL["double_share"],
        help="share of items that several people judge",
    )
    group.add_argument(
        "--raters", type=int, default=USUAL["raters"], help="how many people judge each of these"
    )
    group.add_argument("--pool", type=int, help="how many people you have (default: unlimited)")
    group.add_argument(
        "--places",
        type=int,
        help="people at work at a time (default: as many as judge everything if each gives half of "
        "the cap, at most 130)",
    )
    group.add_argument("--reward", type=float, default=USUAL["reward"], help="per judgment")
    group.add_argument(
        "--crowd", choices=budget.crowds(), default=USUAL["crowd"], help="whose fee is added"
    )
    group.add_argument("--fee-rate", type=float, help="0.2 for 20 percent; default the crowd's own")
    group.add_argument("--tasks", type=int, help="per paid submission (default 5)")
    group.add_argument(
        "--tutorial-bonus",
        type=float,
        default=USUAL["tutorial_bonus"],
        help="paid once to each person; 0 without a tutorial (default: %(default)s)",
    )
    group.add_argument(
        "--failed-try-pay",
        type=float,
        default=USUAL["failed_try_pay"],
        help="paid for a failed tutorial; one person is assumed to fail for four who pass",
    )
    group.add_argument("--minutes", type=float, help="of work per judgment")
    group.add_argument("--per-day", type=float, help="how many judgments come in a day")
    group.add_argument(
        "--gold-share",
        type=int,
        default=USUAL["gold_share"],
        metavar="N",
        help=f"how many of {BLOCK} tasks of a person are gold items; they are paid alike",
    )


class _Target(Action):
    """Reads `0.2`, and `overall=0.2` as `create_campaign` takes it."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option: str | None = None
    ) -> None:
        criterion, _, wanted = str(values).strip().rpartition("=")
        if criterion and criterion not in TYPICAL:
            known = ", ".join(TYPICAL)
            parser.error(f"argument --target: {criterion} is not one of the criteria {known}.")
        try:
            namespace.target = float(wanted)
        except ValueError:
            parser.error(f"argument --target: {wanted} is not a width, such as 0.2.")
        namespace.criterion = criterion or namespace.criterion


def _words(found: PlannedStudy) -> str:
    study, goal, bought = found.study, found.goal, found.bought
    part, people = study.expected.components, planning.people_assumed(found)
    cap, each = "no cap", " each" if study.systems > 1 else ""
    if study.cap is not None:
        cap = f"at most {many(study.cap, 'judgment')} a person"
    lines = [
        f"{many(study.systems, 'system')} with {many(study.n_items, 'output')}{each}, level "
        f"{percent(study.level)}, {percent(study.double_share)} of items judged "
        f"{'twice' if study.raters == 2 else f'by {study.raters} people'}, {cap}.",
        f"Variances: items {short(part.item)}, people {short(part.person)}, rest "
        f"{short(part.rest)}; metric correlation {short(study.rho)}.",
        *([people["why"]] if people else []),
    ]
    if goal is not None:
        lines += ["", *_goal_lines(goal, found)]
    if bought is not None:
        lines += ["", *_bought_lines(bought, study)]
    return "\n".join(lines)


def _goal_lines(goal: Forecast, found: PlannedStudy) -> list[str]:
    study = found.study
    lines = [
        f"To a width of {width(goal.target_width)} ({percent(0.8)} of drawn campaigns within the "
        "range):",
        f"  cost        {_range(goal.cost, money_text)}",
        f"  judgments   {_range(goal.judgments)}",
        f"  annotators  {_range(goal.annotators)}",
    ]
    if goal.hours is not None:
        lines.append(f"  hours       {_range(goal.hours, lambda hours: number(hours, 1))} of work")
    if goal.days is not None:
        lines.append(f"  time        {days_between(goal.days.low, goal.days.high)}")
    if study.systems > 1:
        lines.append(f"  items       {_range(goal.items)} of each system")
    shares = ", ".join(f"{PARTS[name]} {percent(share)}" for name, share in goal.parts.items())
    reached = f"{number(goal.stop_probability)}{_all_systems(goal, study)}"
    lines += [
        f"  reached     with probability {reached}",
        f"  error from  {shares}",
        f"  floor       {width(goal.floor)}: the width that these people would leave with every "
        "item judged",
    ]
    if not found.is_reached:
        lines.append(
            "  The items may run out first: coverage is claimed for plans that stop with "
            f"probability {short(CLAIMED)} or more."
        )
        if found.reachable is not None:
            lines.append(
                f"  The nearest target that is reached so often: {width(found.reachable)}."
            )
    if found.changes:
        lines += ["", "What would change it:"]
        lines += [f"  {name}: {effect}" for name, effect in planning.what_would_change(found)]
    return lines


def _all_systems(goal: Forecast, study: Study) -> str:
    if study.systems == 1:
        return ""
    return f" for each system, {number(goal.all_stop_probability)} for all"


def _bought_lines(bought: Purchase, study: Study) -> list[str]:
    judgments = f"{many(bought.judgments, 'judgment')} ({money_text(bought.cost)})"
    interval = "the interval" if study.systems == 1 else "each system’s interval"
    known = "too few for an interval"
    if bought.width is not None:
        known = f"{interval} {_range(bought.width, width)} wide"
    lines = [f"For {money_text(bought.budget)}: {judgments}, {known}."]
    if bought.complete:
        lines.append("  Everything is judged; the rest of the money stays unspent.")
    return lines


def _ranking_words(ranked: PlannedStudy, options: dict[str, Any]) -> str:
    first, *rows = planning.planning_order(ranked, probability=options["probability"])
    lines = [
        "",
        f"{planning.ranked(ranked, systems=options['systems'])}:",
        f"  planned items  {first[1]} (--planned-items of create_campaign)",
        *(f"  {label[0].lower()}{label[1:]}: {text}" for label, text in rows),
    ]
    return "\n".join(lines)


def _range(found: Range, write: Callable[[float], str] = lambda value: number(value, 0)) -> str:
    return f"{write(found.expected)} ({write(found.low)} to {write(found.high)})"
