"""Count what campaigns have leased and spent again, from the facts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.campaigns import totals


class Command(BaseCommand):
    help = (
        "Count the slots, leases, spending and people of every campaign again, and compare its row "
        "of totals with them. --mend stores the right totals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaigns", nargs="*", help="public ids; all campaigns without any")
        parser.add_argument("--mend", action="store_true", help="store the right totals")

    def handle(self, *, campaigns: list[str], mend: bool, **_options: Any) -> None:
        n, wrong = 0, 0
        for campaign, found in totals.each(campaigns, mend=mend):
            n += 1
            wrong += bool(found)
            for line in found:
                self.stdout.write(f"{campaign}: {line}.")
        if wrong:
            raise CommandError(f"{wrong} of {n} campaigns do not agree with their facts.")
        self.stdout.write(f"{n} campaigns agree with their facts.")
