"""What an import and an export hold in memory does not grow with the campaign.

Each of them is measured at one size and at four times that size, in Python's own memory. SQLite's
temporary database, where an import keeps its rows, is a file.
"""

import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from annotate.campaigns import imports
from annotate.models import Campaign
from bench import campaigns
from estimation import export
from tests.factories import plan

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.slow]

GROWTH = 1.5  # at four times the size


def peak(act: Callable[[], object]) -> int:
    """Return the most bytes that Python holds at once while it acts."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def blocks(items: int) -> Iterator[bytes]:
    for item in range(items):
        for system in ("one", "two"):
            row = {"item": f"i{item}", "system": system, "output": f"{system} {item} " * 60}
            metrics = {"metrics": {"comet": item / 7}, "reference": f"reference {item} " * 20}
            yield json.dumps(row | metrics).encode() + b"\n"


def imported(items: int) -> Campaign:
    of = imports.direct(plan(metrics=("comet",)), "outputs.jsonl", owner_id=None)
    made, facts = imports.run_directly(of, blocks(items))
    assert facts.n_rows == 2 * items
    return made


def test_an_import_holds_no_more_of_a_larger_file() -> None:
    imported(50)  # what is loaded once
    small, large = (peak(lambda: imported(items)) for items in (1000, 4000))  # noqa: B023
    assert large < GROWTH * small


def test_an_export_holds_no_more_of_a_larger_campaign() -> None:
    made = [Campaign.objects.get(pk=campaigns.judged(n)).public_id for n in (100, 2000, 8000)]

    def send(public_id: str) -> int:
        return sum(map(len, export.stream(public_id)))

    send(made[0])
    small, large = (peak(lambda: send(public_id)) for public_id in made[1:])  # noqa: B023
    assert large < GROWTH * small
