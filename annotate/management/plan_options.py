"""A campaign's plan, and the settings of its screens, as command-line options."""

import json
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotate.campaigns import plans
from annotate.campaigns.plans import Plan
from annotate.common.content import OF_INPUTS, TextForm
from annotate.common.schemas import Refused, parse
from annotate.crowds.adapters import CROWDS
from annotate.models.base import Estimand, StopMode
from annotate.review import gold as review_gold
from annotate.work.picking import BLOCK, USUAL

DEFAULTS = Plan(name="", targets={})


def target(text: str) -> tuple[str, float]:
    """Read `overall=0.2`."""
    name, _equals, width = text.partition("=")
    try:
        return name, float(width)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” must look like overall=0.2.") from None


def money(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ArgumentTypeError(f"“{text}” is not a number.") from None
    if not number.is_finite():
        raise ArgumentTypeError(f"“{text}” is not a finite number.")
    return number


def moment(text: str) -> datetime:
    """Read an ISO date and time; without an offset it is in the server's time zone."""
    try:
        at = parse_datetime(text)
    except ValueError:
        at = None
    if at is None:
        raise ArgumentTypeError(f"“{text}” must look like 2026-12-31T18:00 or …T18:00+01:00.")
    return at if timezone.is_aware(at) else timezone.make_aware(at)


def cap(text: str) -> int | None:
    """Read a whole number; `none` lifts the cap."""
    if text == "none":
        return None
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"“{text}” must be a whole number, or none.") from None


def text_of(text: str) -> str:
    """Return the text, or that of the file that `@FILE` names."""
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentTypeError(f"{text[1:]} cannot be read: {error}") from None


Group = Any  # argparse names the type of its groups by an underscore alone
OWN_TEXTS = {
    "consent": "who does not accept it gets no task",
    "ethics": "the ethics approval's number, or why none was needed",
    "background": "questions to people about themselves, one a line: Question? | answer | answer",
    "instructions": "of your own, shown before people join and beside every task",
}


def add_plan(parser: CommandParser) -> None:
    given = parser.add_argument_group("plan")
    _add_questions(given)
    _add_money(given)
    _add_rule(given)
    _add_gold(given)
    add_settings(given, "--screens")
    for name, what in OWN_TEXTS.items():
        given.add_argument(f"--{name}", type=text_of, default="", metavar="TEXT|@FILE", help=what)
    given.add_argument("--language", default=DEFAULTS.language)
    given.add_argument(
        "--output-form",
        choices=list(TextForm),
        default="",
        help="how annotators see outputs; by default as the file suggests",
    )
    given.add_argument("--input-form", choices=list(OF_INPUTS), default="")
    given.add_argument(
        "--shows-input",
        action=BooleanOptionalAction,
        help="whether the input stands beside the output; by default in comparisons",
    )
    given.add_argument(
        "--shows-reference",
        action="store_true",
        help="show the reference beside the output; it biases judgments",
    )
    given.add_argument("--contact", default="", help="an address annotators may write to")
    given.add_argument("--seed", type=int, help="of the random order; by default random")


def _add_questions(given: Group) -> None:
    given.add_argument(
        "--instrument",
        default=DEFAULTS.instrument,
        metavar="KEY[@VERSION]",
        help="built in or defined; without a version, the latest",
    )
    given.add_argument(
        "--no-tutorial",
        action="store_false",
        dest="tutorial",
        help="annotators begin with their first task",
    )
    given.add_argument(
        "--tutorial",
        type=int,
        dest="tutorial_id",
        metavar="NUMBER",
        help="one that a researcher supplied; by default the instrument's own",
    )
    given.add_argument("--tutorial-bonus", type=money, default=DEFAULTS.tutorial_bonus)
    given.add_argument(
        "--bonus-after",
        type=int,
        default=DEFAULTS.bonus_after,
        metavar="N",
        help="counting judgments of one person until the bonus is due",
    )
    given.add_argument(
        "--failed-try-pay",
        type=money,
        default=DEFAULTS.failed_try_pay,
        help="for both rounds of the tutorial completed and not passed, once a person",
    )
    given.add_argument(
        "--open-link-bonus",
        action="store_true",
        help="promise the bonus also to people who come by the open link",
    )
    given.add_argument(
        "--metric",
        action="append",
        default=[],
        dest="names",
        metavar="NAME",
        help="a control variate, e.g. rouge_l_f; repeatable, or “auto” for all available ones",
    )


def _add_money(given: Group) -> None:
    given.add_argument("--reward", type=money, default=DEFAULTS.reward, help="for each judgment")
    given.add_argument(
        "--crowd",
        choices=list(CROWDS),
        default=DEFAULTS.crowd,
        help="where people come from",
    )
    given.add_argument("--fee-rate", type=money, help="0.2 is 20 %%; by default the crowd's own")
    given.add_argument("--budget", type=money, help="total, fees included")
    given.add_argument("--max-judgments", type=int)
    given.add_argument("--deadline", type=moment, help="ISO date and time")


def _add_rule(given: Group) -> None:
    given.add_argument(
        "--cap",
        type=cap,
        default=DEFAULTS.annotator_cap,
        dest="annotator_cap",
        help="judgments of one person; “none” lifts it",
    )
    given.add_argument(
        "--double-share",
        type=float,
        default=DEFAULTS.double_share,
        help="the share of items that several people judge",
    )
    given.add_argument(
        "--raters", type=int, default=DEFAULTS.raters, help="how many people judge each of these"
    )
    given.add_argument(
        "--expert",
        action="append",
        default=[],
        dest="experts",
        metavar="NAME",
        help="one of 2 to 10 people who judge everything, and nobody else; repeatable",
    )
    given.add_argument("--level", type=float, default=DEFAULTS.level)
    given.add_argument("--estimand", choices=Estimand.values, default=DEFAULTS.estimand)
    given.add_argument(
        "--stop-mode",
        choices=StopMode.values,
        default=DEFAULTS.stop_mode,
        help="anytime: wider intervals that are valid at every look; ranking: stop when every pair "
        "of systems is decided",
    )
    given.add_argument(
        "--margin",
        type=target,
        action="append",
        default=[],
        dest="margins",
        metavar="CRITERION=DIFFERENCE",
        help="of a ranking, in place of --target: the largest difference that does not matter; "
        "repeatable",
    )
    given.add_argument(
        "--planned-items",
        type=int,
        metavar="N",
        help="of a ranking: how many items of each system (of each pair, in comparisons) would do "
        "for one look; by default as `plan --margin` suggests",
    )


def _add_gold(given: Group) -> None:
    given.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="JSON of gold items (item, output, expected): tasks whose right answer is known",
    )
    given.add_argument(
        "--gold-share",
        type=int,
        metavar="N",
        help=f"how many of {BLOCK} tasks of a person are gold items; {USUAL} with --gold, else 0",
    )


def plan_of(options: dict[str, Any]) -> Plan:
    gold = _gold(options["gold"])
    share = options["gold_share"]
    if share is None:
        share = USUAL if gold else 0
    read = {
        "texts": plans.read_study_texts(options),
        "targets": _once(options["targets"], "--target"),
        "margins": _once(options["margins"], "--margin"),
        "metrics": tuple(options["names"]),
        "experts": tuple(options["experts"]),
        "screening": settings_of(options["screen_settings"]),
        "gold": gold,
        "gold_share": share,
    }
    plain = {one.name: options[one.name] for one in fields(Plan) if one.name in options}
    return Plan(**plain | read)


def _gold(path: Path | None) -> tuple[dict[str, Any], ...]:
    """Return the rows of a file of gold items. What is unknown in it is refused."""
    if path is None:
        return ()
    try:
        given = parse(path.read_bytes())
        whole = given if isinstance(given, dict) else {"gold": given}
        review_gold.from_data(whole)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    except Refused as refused:
        raise CommandError(f"{path}: {refused}") from None
    return tuple(whole["gold"])


def _once(pairs: list[tuple[str, float]], option: str) -> dict[str, float]:
    numbers = dict(pairs)
    if len(numbers) < len(pairs):
        raise CommandError(f"A criterion is named twice in {option}.")
    return numbers


# The settings of the screens.


Setting = tuple[str, str, Any]  # group, name, value


def setting(text: str) -> Setting:
    """Read `timing.share=0.25`, `signals.on=true` or `flags.off=["short_edits"]`."""
    path, equals, value = text.partition("=")
    group, dot, name = path.partition(".")
    if not (equals and dot and group and name):
        raise ArgumentTypeError(f"“{text}” must look like timing.share=0.25.")
    try:
        return group, name, json.loads(value)
    except (ValueError, RecursionError):
        raise ArgumentTypeError(
            f'“{value}” is not JSON, such as 0.25, true or ["short_edits"].'
        ) from None


def add_settings(parser: Any, option: str = "--set") -> None:
    parser.add_argument(
        option,
        type=setting,
        action="append",
        default=[],
        dest="screen_settings",
        metavar="GROUP.NAME=VALUE",
        help="a setting of the screens, such as signals.on=true; repeatable",
    )


def settings_of(given: Sequence[Setting]) -> dict[str, dict[str, Any]]:
    """Return group -> name -> value; of two values of one name the later holds."""
    found: dict[str, dict[str, Any]] = {}
    for group, name, value in given:
        found.setdefault(group, {})[name] = value
    return found
