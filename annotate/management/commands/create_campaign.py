"""`manage.py create_campaign FILE --name N --target overall=0.2`: import from a terminal."""

import gzip
import json
import sys
import zlib
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO, Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from tqdm import tqdm

from annotate.crowds.registry import CROWDS
from annotate.errors import Invalid
from annotate.models import Campaign
from annotate.selectors.pay import budget
from annotate.selectors.pay.budget import AtMost
from annotate.services.campaigns import life, metric_choice
from annotate.services.campaigns.importing import receiving, running
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.problems import UploadRefused
from annotate.services.campaigns.plans import Plan
from annotate.states import StopMode
from annotate.text import figures
from annotate.tokens import invitation_token
from config import address

GZIP_MAGIC = b"\x1f\x8b"
BLOCK = 1024 * 1024  # bytes that are read at a time
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


class Command(BaseCommand):
    help = "Create a campaign from JSON lines, a JSON list or CSV (.gz too): whole, or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="item, system and output of each text; any size"
        )
        parser.add_argument("--name", required=True, help="annotators never see it")
        parser.add_argument(
            "--public-title",
            default="",
            help="what annotators read instead; usually a neutral title",
        )
        parser.add_argument(
            "--public-about",
            default="",
            metavar="SENTENCE",
            help="what the work is, for annotators; usually what the instrument says of itself",
        )
        parser.add_argument(
            "--target",
            type=target,
            action="append",
            required=True,
            dest="targets",
            metavar="CRITERION=WIDTH",
            help="stop at this width of the interval; repeatable",
        )
        parser.add_argument("--metrics", type=Path, help="CSV file: system,item,metric,value")
        parser.add_argument("--owner", default="", help="the user name of the campaign's owner")
        parser.add_argument("--open", action="store_true", help="start collecting at once")
        parser.add_argument("--json", action="store_true", help="print what was made as JSON")
        _add_plan(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        owner_id = _owner_id(options["owner"])
        try:
            made, facts = _import(_plan(options), options["file"], options["metrics"], owner_id)
            if options["open"]:
                life.open_(made.pk, actor_id=owner_id)
        except UploadRefused as refused:
            raise CommandError(f"Nothing was imported.\n{refused}") from None
        except Invalid as invalid:
            lines = "\n".join(f"{name}: {text}" for name, text in invalid.errors.items())
            raise CommandError(f"Nothing was imported.\n{lines}") from None
        except running.LostError:
            raise CommandError("Nothing was imported: it was cancelled on the page.") from None
        summary = _summary(made, facts)
        self.stdout.write(json.dumps(summary) if options["json"] else _in_words(summary))


def _add_plan(parser: CommandParser) -> None:
    given = parser.add_argument_group("plan")
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
        help="one that a researcher supplied; without it, the instrument's own",
    )
    given.add_argument("--tutorial-bonus", type=money, default=DEFAULTS.tutorial_bonus)
    given.add_argument(
        "--bonus-after",
        type=int,
        default=DEFAULTS.bonus_after,
        metavar="N",
        help="judgments of one person that count: then the bonus is due",
    )
    given.add_argument(
        "--open-link-bonus",
        action="store_true",
        help="promise the bonus to people who come by the open link too",
    )
    given.add_argument(
        "--metric",
        action="append",
        default=[],
        dest="names",
        metavar="NAME",
        help="a control variate, e.g. rouge_l_f; repeatable, or “auto” for all there can be",
    )
    given.add_argument("--reward", type=money, default=DEFAULTS.reward, help="for each judgment")
    given.add_argument(
        "--crowd",
        choices=list(CROWDS),
        default=DEFAULTS.crowd,
        help="where people come from",
    )
    given.add_argument("--fee-rate", type=money, help="0.2 is 20 %%; usually the crowd's own")
    given.add_argument("--budget", type=money, help="in all, fees included")
    given.add_argument("--max-judgments", type=int)
    given.add_argument("--deadline", type=moment, help="ISO date and time")
    given.add_argument(
        "--cap",
        type=cap,
        default=DEFAULTS.annotator_cap,
        dest="annotator_cap",
        help="judgments of one person; “none” lifts it",
    )
    given.add_argument("--double-share", type=float, default=DEFAULTS.double_share)
    given.add_argument("--level", type=float, default=DEFAULTS.level)
    given.add_argument("--estimand", choices=Campaign.Estimand.values, default=DEFAULTS.estimand)
    given.add_argument(
        "--stop-mode",
        choices=StopMode.values,
        default=DEFAULTS.stop_mode,
        help="anytime: wider intervals that hold whenever one looks",
    )
    given.add_argument("--language", default=DEFAULTS.language)
    given.add_argument("--contact", default="", help="an address annotators may write to")
    given.add_argument("--seed", type=int, help="of the random order; random unless given")


def _plan(options: dict[str, Any]) -> Plan:
    copied = (
        "name",
        "public_title",
        "public_about",
        "instrument",
        "crowd",
        "reward",
        "fee_rate",
        "budget",
        "max_judgments",
        "deadline",
        "annotator_cap",
        "double_share",
        "level",
        "estimand",
        "stop_mode",
        "language",
        "contact",
        "seed",
        "tutorial",
        "tutorial_id",
        "tutorial_bonus",
        "bonus_after",
        "open_link_bonus",
    )
    targets = dict(options["targets"])
    if len(targets) < len(options["targets"]):
        raise CommandError("A criterion is named twice in --target.")
    given = {name: options[name] for name in copied}
    return Plan(targets=targets, metrics=tuple(options["names"]), **given)


def _owner_id(username: str) -> int | None:
    if not username:
        return None
    user = get_user_model().objects.filter(username=username).first()
    if user is None:
        raise CommandError(
            f"There is no user “{username}”. Create one with `manage.py createsuperuser`."
        )
    return user.pk


def _import(
    plan: Plan, file: Path, metrics: Path | None, owner_id: int | None
) -> tuple[Campaign, Facts]:
    with ExitStack() as files, _bar("storing", unit="items") as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return running.run_directly(
            receiving.by_command(plan, file.name, owner_id=owner_id),
            files.enter_context(_blocks(file)),
            files.enter_context(_blocks(metrics)) if metrics else None,
            progress=progress,
        )


@contextmanager
def _blocks(path: Path) -> Iterator[Iterator[bytes]]:
    """Stream a file, compressed or not, with a progress bar on a terminal."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file, _bar(path.name, unit="B", total=size) as bar:
            yield _counted(file, bar)
    except (OSError, EOFError, zlib.error) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


def _counted(file: IO[bytes], bar: Any) -> Iterator[bytes]:
    packed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    source = gzip.GzipFile(fileobj=file) if packed else file
    while block := source.read(BLOCK):
        bar.update(file.tell() - bar.n)
        yield block


def _bar(name: str, **more: Any) -> Any:
    return tqdm(desc=name, unit_scale=True, leave=False, disable=not sys.stderr.isatty(), **more)


def _summary(made: Campaign, facts: Facts) -> dict[str, Any]:
    made.refresh_from_db()
    public = address.public_url()
    return {
        "id": made.public_id,
        "name": made.name,
        "public_title": made.public_title,
        "status": made.status,
        "systems": sorted(made.systems.values_list("name", flat=True)),
        "items": made.items.count(),
        "outputs": made.outputs.count(),
        "planned_judgments": made.slots.count(),
        "cost_at_most": _cost(budget.cost_at_most(made)),
        "metrics": made.metrics,
        "seed": made.seed,
        "notices": [*facts.notices, *metric_choice.offers(made.metrics, facts)],
        "dashboard": f"{public}/campaigns/{made.public_id}/",
        "annotators": f"{public}{_way_in(made)}",
    }


def _cost(most: AtMost) -> dict[str, str]:
    bill = most.bill
    return {
        "amount": str(most.amount),
        "rewards": str(bill.rewards),
        "bonuses": str(bill.bonuses.reward),
        "fees": str(bill.fees),
    }


def _ends(cost: dict[str, str]) -> str:
    """Say that the budget ends it, where all that is planned would cost more."""
    total = sum(Decimal(cost[name]) for name in ("rewards", "bonuses", "fees"))
    if Decimal(cost["amount"]) == total:
        return ":"
    return f", the budget; planned are {figures.money(total)}:"


def _way_in(made: Campaign) -> str:
    """Where people come in: by a link, or through what is launched there."""
    if made.crowd == DEFAULTS.crowd:
        return f"/work/join/{invitation_token(made.pk)}/"
    return f"/campaigns/{made.public_id}/batches/new/"


def _in_words(summary: dict[str, Any]) -> str:
    return (
        "Created “{name}” ({id}), {status}: {items} items, {outputs} different outputs of "
        "{n_systems} systems, {planned_judgments} judgments planned, seed {seed}.\n"
        "  they read    {public_title}\n  metrics      {metric_names}\n"
        "  cost         at most {amount}{ends} rewards {rewards}, tutorial bonuses {bonuses}, "
        "fees {fees}\n"
        "  dashboard    {dashboard}\n  annotators   {annotators}{told}"
    ).format(
        **summary,
        **{name: figures.money(Decimal(each)) for name, each in summary["cost_at_most"].items()},
        ends=_ends(summary["cost_at_most"]),
        told="".join(f"\n  note         {notice}" for notice in summary["notices"]),
        n_systems=len(summary["systems"]),
        metric_names=", ".join(summary["metrics"]) or "none",
    )
