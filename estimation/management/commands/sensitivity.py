"""`manage.py sensitivity`: a campaign's primary estimates with and without excluded work."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.selectors.campaigns import listing
from annotate.text.figures import many, number, percent
from estimation.selectors import sensitivity
from estimation.selectors.sensitivity import ComparedEstimate
from estimation.selectors.stress import Stress


class Command(BaseCommand):
    help = (
        "Shows how much work is excluded from a campaign's estimates, by screen, and every "
        "primary estimate without it (reported) and with it. Shows how the rulings were made: "
        "blind or not, after a look at results, undone. Shows what all flags applied, and the few "
        "people who pull most, could make of each estimate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its public id, as in its address")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        facts = listing.facts_of(options["campaign"])
        if facts is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        found = sensitivity.of(facts)
        if options["json"]:
            self.stdout.write(json.dumps(found.as_data(), allow_nan=False))
            return
        told = [*map(_line, found.rows), "", found.summary, *found.rulings]
        if found.stress.is_shown:
            told += ["", *_stress(found.stress)]
        self.stdout.write("\n".join(told))


def _line(row: ComparedEstimate) -> str:
    data = row.as_data()
    parts = [_number(data[name]) for name in ("without", "with_excluded")]
    return f"{row.cell.name}: {parts[0]} without excluded work, {parts[1]} with it"


def _stress(found: Stress) -> Iterator[str]:
    """Yield the lines about all flags applied, and about the people who pull most."""
    for row in found.tested:
        flags = _number(dict(row.unflagged) if row.unflagged else None)
        yield f"{row.cell.name}: {flags} with all flags applied"
        for one in row.worst:
            yield (
                f"{row.cell.name}: {number(one.low, 3)} to {number(one.high, 3)} without the worst "
                f"{percent(one.share)} ({many(one.people, 'person', 'people')})"
            )
    yield from found.sentences


def _number(found: dict[str, Any] | None) -> str:
    if found is None:
        return "none"
    ends = "no interval"
    if found["low"] is not None:
        ends = f"{number(found['low'], 3)} to {number(found['high'], 3)}"
    return f"{number(found['estimate'], 3)} ({ends}; {many(found['n_judgments'], 'judgment')})"
