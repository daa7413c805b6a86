"""`manage.py create_campaign FILE.jsonl --name N --target overall=0.2`: import from a terminal."""

import gzip
import json
import sys
import zlib
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from tqdm import tqdm

from annotate import adapters, figures
from annotate.errors import Invalid
from annotate.models import Campaign
from annotate.selectors import costs
from annotate.selectors.costs import AtMost
from annotate.services import campaigns, ingest, upload
from annotate.services.plans import Plan
from annotate.services.upload import Row, UploadRefused
from annotate.states import StopMode
from annotate.tokens import invitation_token

GZIP_MAGIC = b"\x1f\x8b"
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
    help = "Create a campaign from a JSON-lines file (.gz too): whole, or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="one JSON object a line: item, system, output")
        parser.add_argument("--name", required=True)
        parser.add_argument(
            "--target", type=target, action="append", required=True, dest="targets",
            metavar="CRITERION=WIDTH", help="stop at this width of the interval; repeatable",
        )  # fmt: skip
        parser.add_argument("--metrics", type=Path, help="CSV file: system,item,metric,value")
        parser.add_argument("--owner", default="", help="the user name of the campaign's owner")
        parser.add_argument("--open", action="store_true", help="start collecting at once")
        parser.add_argument("--json", action="store_true", help="print what was made as JSON")
        _add_plan(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        owner_id = _owner_id(options["owner"])
        try:
            rows = _rows(options["file"], options["metrics"])
            made = ingest.create(_plan(options), rows, owner_id=owner_id)
            if options["open"]:
                campaigns.open_(made.pk, actor_id=owner_id)
        except UploadRefused as refused:
            raise CommandError(f"Nothing was imported.\n{refused}") from None
        except Invalid as invalid:
            lines = "\n".join(f"{name}: {text}" for name, text in invalid.errors.items())
            raise CommandError(f"Nothing was imported.\n{lines}") from None
        summary = _summary(made, rows)
        self.stdout.write(json.dumps(summary) if options["json"] else _in_words(summary))


def _add_plan(parser: CommandParser) -> None:
    given = parser.add_argument_group("plan")
    given.add_argument(
        "--instrument", default=DEFAULTS.instrument, metavar="KEY[@VERSION]",
        help="built in or defined; without a version, the latest",
    )  # fmt: skip
    given.add_argument(
        "--no-tutorial", action="store_false", dest="tutorial",
        help="annotators begin with their first task",
    )  # fmt: skip
    given.add_argument(
        "--tutorial", type=int, dest="tutorial_id", metavar="NUMBER",
        help="one that a researcher supplied; without it, the instrument's own",
    )  # fmt: skip
    given.add_argument("--tutorial-bonus", type=money, default=DEFAULTS.tutorial_bonus)
    given.add_argument(
        "--bonus-after", type=int, default=DEFAULTS.bonus_after, metavar="N",
        help="judgments of one person that count: then the bonus is due",
    )  # fmt: skip
    given.add_argument(
        "--open-link-bonus", action="store_true",
        help="promise the bonus to people who come by the open link too",
    )  # fmt: skip
    given.add_argument(
        "--metric", action="append", default=[], dest="names", metavar="NAME",
        help="a control variate, e.g. rouge_l_f; repeatable, or “auto” for all there can be",
    )  # fmt: skip
    given.add_argument("--reward", type=money, default=DEFAULTS.reward, help="for each judgment")
    given.add_argument(
        "--crowd", choices=list(adapters.LABELS), default=DEFAULTS.crowd,
        help="where people come from",
    )  # fmt: skip
    given.add_argument("--fee-rate", type=money, help="0.2 is 20 %%; usually the crowd's own")
    given.add_argument("--budget", type=money, help="in all, fees included")
    given.add_argument("--max-judgments", type=int)
    given.add_argument("--deadline", type=moment, help="ISO date and time")
    given.add_argument(
        "--cap", type=cap, default=DEFAULTS.annotator_cap, dest="annotator_cap",
        help="judgments of one person; “none” lifts it",
    )  # fmt: skip
    given.add_argument("--double-share", type=float, default=DEFAULTS.double_share)
    given.add_argument("--level", type=float, default=DEFAULTS.level)
    given.add_argument("--estimand", choices=Campaign.Estimand.values, default=DEFAULTS.estimand)
    given.add_argument(
        "--stop-mode", choices=StopMode.values, default=DEFAULTS.stop_mode,
        help="anytime: wider intervals that hold whenever one looks",
    )  # fmt: skip
    given.add_argument("--language", default=DEFAULTS.language)
    given.add_argument("--contact", default="", help="an address annotators may write to")
    given.add_argument("--seed", type=int, help="of the random order; random unless given")


def _plan(options: dict[str, Any]) -> Plan:
    copied = (
        "name", "instrument", "crowd", "reward", "fee_rate", "budget", "max_judgments",
        "deadline", "annotator_cap", "double_share", "level", "estimand", "stop_mode", "language",
        "contact", "seed", "tutorial", "tutorial_id", "tutorial_bonus", "bonus_after",
        "open_link_bonus",
    )  # fmt: skip
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


def _rows(file: Path, metrics: Path | None) -> list[Row]:
    with _lines(file) as lines:
        rows = upload.read(lines)
    if metrics is not None:
        with _lines(metrics) as lines:
            rows = upload.read_metrics(lines, rows)
    return rows


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[bytes]]:
    """Stream the lines of a file, compressed or not, with a progress bar on a terminal."""
    try:
        with (
            path.open("rb") as file,
            tqdm(
                total=path.stat().st_size, unit="B", unit_scale=True, desc=path.name, leave=False,
                disable=not sys.stderr.isatty(),
            ) as bar,
        ):  # fmt: skip
            yield _counted(file, bar)
    except (OSError, EOFError, zlib.error) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


def _counted(file: IO[bytes], bar: Any) -> Iterator[bytes]:
    packed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    for line in gzip.GzipFile(fileobj=file) if packed else file:
        bar.update(file.tell() - bar.n)
        yield line


def _summary(made: Campaign, rows: list[Row]) -> dict[str, Any]:
    made.refresh_from_db()
    return {
        "id": made.public_id,
        "name": made.name,
        "status": made.status,
        "systems": sorted({row.system for row in rows}),
        "items": made.items.count(),
        "outputs": made.outputs.count(),
        "planned_judgments": made.places.count(),
        "cost_at_most": _cost(costs.at_most(made)),
        "metrics": made.metrics,
        "seed": made.seed,
        "dashboard": f"{settings.PUBLIC_URL}/campaigns/{made.public_id}/",
        "annotators": f"{settings.PUBLIC_URL}{_way_in(made)}",
    }


def _cost(most: AtMost) -> dict[str, str]:
    bill = most.bill
    return {
        "amount": str(most.amount), "rewards": str(bill.rewards),
        "bonuses": str(bill.bonuses.reward), "fees": str(bill.fees),
    }  # fmt: skip


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
        "  metrics      {metric_names}\n"
        "  cost         at most {amount}{ends} rewards {rewards}, tutorial bonuses {bonuses}, "
        "fees {fees}\n"
        "  dashboard    {dashboard}\n  annotators   {annotators}"
    ).format(
        **summary,
        **{name: figures.money(Decimal(each)) for name, each in summary["cost_at_most"].items()},
        ends=_ends(summary["cost_at_most"]),
        n_systems=len(summary["systems"]),
        metric_names=", ".join(summary["metrics"]) or "none",
    )
