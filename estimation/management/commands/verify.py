"""`manage.py verify FILE.zip`: makes an export's estimates and decisions again, and compares."""

from argparse import ArgumentParser
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.version import VERSION
from estimation import verify
from estimation.verify import Bundle, Unreadable, facts_of

SHOWN = 20
UNDECIDED = 2  # the exit status where only rows of another version differ


class Command(BaseCommand):
    help = (
        "Makes the estimates and decisions of an export again, from its answers alone, and fails "
        "with the first differences. It needs no database, and changes nothing."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="an export: plumbline-….zip, or its folder")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with Bundle(options["file"]) as bundle:
                self._verify(bundle)
        except Unreadable as error:
            raise CommandError(str(error)) from None

    def _verify(self, bundle: Bundle) -> None:
        for sentence in verify.versions(bundle):
            self.stdout.write(sentence)
        for sentence in verify.sentences(bundle):
            self.stdout.write(sentence)
        facts = facts_of(bundle)
        others: list[str] = []
        differ = list(
            islice(
                verify.differences_of(bundle, facts, others=others, progress=self._tell), SHOWN + 1
            )
        )
        if differ:
            raise CommandError(_listed("It differs:", differ))
        if others:
            said = f"Another version of Plumbline made these; {VERSION} makes them differently:"
            advice = "Everything else agrees. That version can verify them."
            raise CommandError(
                f"{_listed(said, list(dict.fromkeys(others)))}\n{advice}", returncode=UNDECIDED
            )
        self.stdout.write(self.style.SUCCESS(verify.summary(bundle, facts)))

    def _tell(self, part: str) -> None:
        self.stderr.write(f"Checking {part} …")


def _listed(title: str, found: list[str]) -> str:
    more = ["There are more."] if len(found) > SHOWN else []
    return "\n".join([title, *found[:SHOWN], *more])
