"""`manage.py sensitivity`: a campaign's primary estimates with and without excluded work."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.campaigns import lists as campaigns_lists
from annotate.common.numbers import many, number
from estimation.pages import numbers
from estimation.pages.api import SensitivitySerializer


class Command(BaseCommand):
    help = (
        "Shows how much work is excluded from a campaign's estimates, by screen, and every "
        "primary estimate without it (reported) and with it. Shows how the rulings were made: "
        "blind or not, after a look at results, undone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its public id, as in its address")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        facts = campaigns_lists.facts_of(options["campaign"])
        if facts is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        found = numbers.sensitivity_of(facts)
        data = SensitivitySerializer(found).data
        if options["json"]:
            self.stdout.write(json.dumps(data, allow_nan=False))
            return
        lines = map(_line, data["estimates"])
        self.stdout.write("\n".join([*lines, "", found.summary, *found.rulings]))


def _line(row: dict[str, Any]) -> str:
    parts = [_number(row[name]) for name in ("without", "with_excluded")]
    return (
        f"{row['system']}, {row['criterion']}: {parts[0]} without excluded work, {parts[1]} with it"
    )


def _number(found: dict[str, Any] | None) -> str:
    if found is None:
        return "none"
    ends = "no interval"
    if found["low"] is not None:
        ends = f"{number(found['low'], 3)} to {number(found['high'], 3)}"
    return f"{number(found['estimate'], 3)} ({ends}; {many(found['n_judgments'], 'judgment')})"
