"""`manage.py stop CAMPAIGN [--batch ID]`: no new people enter; people at work may finish."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns import facts
from annotate.crowds import batches
from annotate.crowds import queries as crowds_queries


class Command(BaseCommand):
    help = (
        "Stops a batch, or all batches of a campaign. Unpublished postings are dropped, and no one "
        "new can accept the others. People at work may finish, and are paid."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the public id, as in its address")
        parser.add_argument("--batch", help="the public id of one batch; by default all")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign_id = facts.campaign_id_of(options["campaign"])
        if campaign_id is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        found = [
            row
            for row in crowds_queries.of_campaign(campaign_id)
            if options["batch"] in (None, row.batch.public_id)
        ]
        if options["batch"] and not found:
            raise CommandError(f"This campaign has no batch {options['batch']!r}.")
        stopped = [row for row in found if batches.stop(row.batch.pk, actor_id=None)]
        for row in stopped:
            n = len(row.postings)
            self.stdout.write(
                f"Batch {row.batch.public_id} is being stopped: {n} posting{'s' if n != 1 else ''}."
            )
        if not stopped:
            self.stdout.write("Nothing was running.")
        else:
            self.stdout.write("The worker tells the crowd now; without one, run `manage.py sync`.")
