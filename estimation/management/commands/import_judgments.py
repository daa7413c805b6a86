"""`manage.py import_judgments`: judgments that were made elsewhere, as a closed campaign."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from annotate.common.errors import Invalid
from annotate.models.base import Estimand
from estimation import recorded, refresh
from estimation.recorded import LIKE


class Command(BaseCommand):
    help = (
        "Imports judgments that were made elsewhere (annotator,item,system,criterion,score, and "
        "perhaps time and group) as a closed campaign of its own, and estimates it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, help="user name of its researcher")
        parser.add_argument("--name", help="of the campaign; default: the file's name")
        parser.add_argument(
            "--outputs",
            type=int,
            metavar="N",
            help="how many outputs each system had, of which the judged ones are a random sample. "
            "Without it they were not chosen at random: no claim beyond these items",
        )
        parser.add_argument(
            "--chosen", required=True, help="how the judged outputs were chosen, in a sentence"
        )
        parser.add_argument(
            "--scale",
            dest="scales",
            action="append",
            default=[],
            metavar="LINE",
            help=f"of a criterion that is not built in, such as “{LIKE}”; after it, unbounded, and "
            "lower where less is better",
        )
        parser.add_argument("--estimand", choices=Estimand.values, default=Estimand.POPULATION)

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model()
        try:
            owner = users.objects.get_by_natural_key(options["owner"])
            campaign = recorded.import_judgments(
                options["file"],
                name=options["name"] or options["file"].name,
                owner_id=owner.pk,
                **{name: options[name] for name in ("outputs", "chosen", "scales", "estimand")},
            )
        except users.DoesNotExist:
            raise CommandError(f"There is no user {options['owner']!r}.") from None
        except Invalid as refused:
            lines = (f"{name}: {said}" for name, said in refused.errors.items())
            raise CommandError("\n".join(lines)) from None
        while refresh.refresh(campaign.pk):
            pass
        self.stdout.write(f"Campaign {campaign.public_id}: {campaign.planned:,} judgments.")
