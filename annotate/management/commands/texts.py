"""`manage.py texts CAMPAIGN --consent @consent.txt --reason …`: what annotators read of it."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.campaigns import amendments, facts
from annotate.common.errors import ServiceError, nothing_changed
from annotate.management.plan_options import text_of
from annotate.studies import queries as studies_queries

WHAT = {
    "public_title": "what annotators read in place of the name; empty: a neutral title",
    "public_about": "one sentence on the task; empty: the instrument's own",
    "contact": "an address annotators may write to",
    "instructions": "of your own; annotators are told that they have changed",
    "consent": "everybody is asked to accept a changed text before their next task",
}


class Command(BaseCommand):
    help = "Show what annotators read of a campaign, or change some of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="its public id")
        for name, what in WHAT.items():
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=text_of, metavar="TEXT|@FILE", help=what)
        parser.add_argument("--reason", default="", help="needed once the campaign has opened")

    def handle(self, *_args: Any, **options: Any) -> None:
        found = facts.campaign_id_of(options["campaign"])
        if found is None:
            raise CommandError(f"There is no campaign “{options['campaign']}”.")
        given = {name: options[name] for name in WHAT if options[name] is not None}
        if not given:
            now = asdict(studies_queries.amended_texts_read(found))
            self.stdout.write(json.dumps(now, indent=2, ensure_ascii=False))
            return
        try:
            changed = amendments.change_texts(found, given, actor_id=None, reason=options["reason"])
        except ServiceError as refused:
            raise nothing_changed(refused) from None
        self.stdout.write(f"Changed: {', '.join(changed)}." if changed else "Nothing was changed.")
