"""Count what campaigns promise again, from the facts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.services.work import recounting


class Command(BaseCommand):
    help = (
        "Count the leases, slots and people of every campaign again, and compare: no allowance of "
        "leases may exceed its limits and budget, and what is added up beforehand must agree with "
        "the facts. --mend takes back an allowance that exceeds them, and makes tallies again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaigns", nargs="*", help="public ids; all campaigns without any")
        parser.add_argument("--mend", action="store_true", help="take back what is too much")

    def handle(self, *, campaigns: list[str], mend: bool, **_options: Any) -> None:
        n, wrong = 0, 0
        for campaign, found in recounting.each(campaigns, mend=mend):
            n += 1
            wrong += not found.is_right
            for line in found.wrong:
                self.stdout.write(f"{campaign}: {line}.")
            if found.allowed > found.room:
                said = f"{found.allowed} leases are allowed, and there is room for {found.room}"
                self.stdout.write(f"{campaign}: {said}.")
        if wrong:
            raise CommandError(f"{wrong} of {n} campaigns do not agree with their facts.")
        self.stdout.write(f"{n} campaigns agree with their facts.")
