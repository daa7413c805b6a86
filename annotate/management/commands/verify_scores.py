"""`manage.py verify_scores`: recompute every score from its judgment, and compare."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns import facts
from annotate.work import scoring


class Command(BaseCommand):
    help = "Recomputes the scores of a campaign from its judgments and fails if any differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the public id, as in its address")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign_id = facts.campaign_id_of(options["campaign"])
        if campaign_id is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        different = scoring.differences(campaign_id)
        if different:
            raise CommandError("\n".join([*different, f"{len(different)} scores differ."]))
        self.stdout.write("Every score equals the one computed from its judgment.")
