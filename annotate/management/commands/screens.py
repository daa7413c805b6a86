"""`manage.py screens CAMPAIGN --set timing.share=0.25 --reason …`: the settings of the screens."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.campaigns import amendments, exports, facts
from annotate.common.errors import ServiceError, nothing_changed
from annotate.management.plan_options import add_settings, settings_of
from annotate.models import Campaign


class Command(BaseCommand):
    help = "Show the settings of a campaign's screens, or change some of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="its public id")
        add_settings(parser)
        parser.add_argument("--reason", default="", help="needed once the campaign has opened")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = facts.campaign_id_of(options["campaign"])
        if found is None:
            raise CommandError(f"There is no campaign “{options['campaign']}”.")
        if not options["screen_settings"]:
            self.stdout.write(
                json.dumps(exports.screens_in_use(Campaign.objects.get(pk=found)), indent=2)
            )
            return
        given = settings_of(options["screen_settings"])
        try:
            changed = amendments.change(found, given, actor_id=None, reason=options["reason"])
        except ServiceError as refused:
            raise nothing_changed(refused) from None
        for path, (was, now) in changed.items():
            self.stdout.write(f"{path}: {json.dumps(was)} -> {json.dumps(now)}")
        if not changed:
            self.stdout.write("Nothing was changed.")
