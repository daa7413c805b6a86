"""`manage.py create_campaign FILE --name N --target overall=0.2`: import from a terminal."""

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from annotate.campaigns import imports, life, plans
from annotate.campaigns.packed import pack
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import UploadRefused
from annotate.campaigns.shapes import ROLES, said
from annotate.campaigns.sheet import Facts
from annotate.common import numbers
from annotate.common.errors import Invalid
from annotate.common.tokens import invitation_token
from annotate.management.plan_options import DEFAULTS, add_plan, plan_of, target
from annotate.models import Campaign
from annotate.pay import budget
from annotate.pay.budget import HighestCost
from annotate.work import picking

BLOCK = 1024 * 1024  # bytes per read


class Command(BaseCommand):
    help = "Create a campaign from a table, JSON or an archive of them, or change nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            type=Path,
            nargs="+",
            metavar="FILE",
            help="item, system and output of each text; any size; or several, one for each system",
        )
        parser.add_argument("--name", required=True, help="annotators never see it")
        parser.add_argument(
            "--public-title",
            default="",
            help="what annotators read instead; by default a neutral title",
        )
        parser.add_argument(
            "--public-about",
            default="",
            metavar="SENTENCE",
            help="what the work is, for annotators; by default the instrument's own sentence",
        )
        parser.add_argument(
            "--target",
            type=target,
            action="append",
            default=[],
            dest="targets",
            metavar="CRITERION=WIDTH",
            help="stop at this width of the interval; repeatable",
        )
        parser.add_argument("--metrics", type=Path, help="CSV file: system,item,metric,value")
        parser.add_argument("--owner", default="", help="the user name of the campaign's owner")
        parser.add_argument(
            "--column",
            type=_column,
            action="append",
            default=[],
            dest="columns",
            metavar="NAME=WHAT",
            help="what a column is: " + ", ".join(filter(None, ROLES)) + ", or nothing; repeatable",
        )
        parser.add_argument(
            "--distinct-names",
            action="store_true",
            help="names that look alike in the file are of different systems or items",
        )
        parser.add_argument(
            "--join-names",
            action="store_true",
            help="they are of one, which gets the first of the names",
        )
        parser.add_argument("--open", action="store_true", help="start collecting at once")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")
        add_plan(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        owner_id = _owner_id(options["owner"])
        plan = plan_of(options)
        if options["open"] and plan.gold_share and not plan.gold:
            raise CommandError("--open with --gold-share takes the items too: --gold FILE.")
        try:
            columns = said(dict(options["columns"])) if options["columns"] else {}
            made, facts = _import(plan, columns, options["files"], options["metrics"], owner_id)
            if options["open"]:
                life.open_(made.pk, actor_id=owner_id)
        except UploadRefused as refused:
            raise CommandError(f"Nothing was imported.\n{refused}") from None
        except Invalid as invalid:
            lines = "\n".join(f"{name}: {text}" for name, text in invalid.errors.items())
            raise CommandError(f"Nothing was imported.\n{lines}") from None
        except imports.LostError:
            raise CommandError("Nothing was imported: it was cancelled on the page.") from None
        summary = _summary(made, facts)
        self.stdout.write(json.dumps(summary) if options["json"] else _in_words(summary))


def _column(text: str) -> tuple[str, str]:
    """Read `text_no=item`."""
    name, equals, role = text.rpartition("=")
    if not equals:
        raise ArgumentTypeError(f"“{text}” must look like text_no=item.")
    return name, role


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
    plan: Plan,
    columns: dict[str, Any],
    outputs: list[Path],
    metrics: Path | None,
    owner_id: int | None,
) -> tuple[Campaign, Facts]:
    with ExitStack() as files, _bar("storing", unit="items") as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        of = imports.direct(plan, ", ".join(one.name for one in outputs), owner_id=owner_id)
        of.columns = columns
        return imports.run_directly(
            of,
            files.enter_context(_together(outputs)),
            files.enter_context(_blocks(metrics)) if metrics else None,
            progress=progress,
        )


@contextmanager
def _together(paths: list[Path]) -> Iterator[Iterator[bytes]]:
    """Stream a file, or several as an archive of them."""
    with ExitStack() as files:
        streams = [(path.name, files.enter_context(_blocks(path))) for path in paths]
        if len(streams) == 1:
            yield streams[0][1]
            return
        archive = files.enter_context(TemporaryFile())
        pack(streams, archive)
        archive.seek(0)
        yield iter(partial(archive.read, BLOCK), b"")


@contextmanager
def _blocks(path: Path) -> Iterator[Iterator[bytes]]:
    """Stream a file, with a progress bar on a terminal."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file, _bar(path.name, unit="B", total=size) as bar:
            yield _counted(file, bar)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error}") from None


def _counted(file: IO[bytes], bar: Any) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        bar.update(len(block))
        yield block


def _bar(name: str, **more: Any) -> Any:
    return tqdm(desc=name, unit_scale=True, leave=False, disable=not sys.stderr.isatty(), **more)


def _summary(made: Campaign, facts: Facts) -> dict[str, Any]:
    made.refresh_from_db()
    public = settings.PUBLIC_URL
    return {
        "id": made.public_id,
        "name": made.name,
        "public_title": made.public_title,
        "status": made.status,
        "systems": sorted(made.systems.values_list("name", flat=True)),
        "items": made.items.count(),
        "outputs": made.outputs.count(),
        "planned_judgments": made.slots.count(),
        "gold": {"share": made.gold_share, "items": made.gold.count()},
        "cost_at_most": _cost(budget.highest_cost(made)),
        "metrics": made.metrics,
        "seed": made.seed,
        "notices": [*facts.alike, *facts.notices, *plans.offers(made.metrics, facts)],
        "dashboard": f"{public}/campaigns/{made.public_id}/",
        "annotators": f"{public}{_way_in(made)}",
    }


def _cost(most: HighestCost) -> dict[str, str]:
    bill = most.bill
    return {
        "amount": str(most.amount),
        "rewards": str(bill.rewards),
        "bonuses": str(bill.bonuses.reward),
        "fees": str(bill.fees),
    }


def _ends(cost: dict[str, str]) -> str:
    """Return that the budget ends the campaign, if the plan would cost more."""
    total = sum(Decimal(cost[name]) for name in ("rewards", "bonuses", "fees"))
    if Decimal(cost["amount"]) == total:
        return ":"
    return f", the budget; planned are {numbers.money_text(total)}:"


def _gold(share: int, items: int) -> str:
    if not share:
        return ""
    also = "" if items else "; add some before it opens, on its page Gold or by the API"
    return f"  gold         {share} of {picking.BLOCK} tasks, {numbers.many(items, 'item')}{also}\n"


def _way_in(made: Campaign) -> str:
    """Return where people enter: by a link, or through a launched batch; or where links are."""
    if made.named_experts:
        return f"/campaigns/{made.public_id}/people/"
    if made.crowd == DEFAULTS.crowd:
        return f"/work/join/{invitation_token(made.pk)}/"
    return f"/campaigns/{made.public_id}/batches/new/"


def _in_words(summary: dict[str, Any]) -> str:
    return (
        "Created “{name}” ({id}), {status}: {items} items, {outputs} different outputs of "
        "{n_systems} systems, {planned_judgments} judgments planned, seed {seed}.\n"
        "  they read    {public_title}\n  metrics      {metric_names}\n"
        "{gold_line}"
        "  cost         at most {amount}{ends} rewards {rewards}, tutorial bonuses {bonuses}, "
        "fees {fees}\n"
        "  dashboard    {dashboard}\n  annotators   {annotators}{told}"
    ).format(
        **summary,
        **{
            name: numbers.money_text(Decimal(each))
            for name, each in summary["cost_at_most"].items()
        },
        gold_line=_gold(**summary["gold"]),
        ends=_ends(summary["cost_at_most"]),
        told="".join(f"\n  note         {notice}" for notice in summary["notices"]),
        n_systems=len(summary["systems"]),
        metric_names=", ".join(summary["metrics"]) or "none",
    )
