"""What must not change while the house is rebuilt: `make golden` compares it with records.

`make golden RECORD=1` records anew; `KEEP=0.2.0` also keeps the database for tests of upgrades.
`GOLDEN_DAY`: another day for the clock. `RECORDS`: another folder of records. `LINES`: how many of
each difference are shown.
"""

import json
import os
from typing import Any

import pytest

from tests.golden import comparing, filling, keeping, reading, seams

pytestmark = [pytest.mark.golden, pytest.mark.django_db(transaction=True)]

SHOWN = int(os.environ.get("LINES", "40"))


def test_nothing_has_changed() -> None:
    found = _found()
    if os.environ.get("RECORD") == "1":
        comparing.record_all(found)
    differ = {name: comparing.differences(name, value) for name, value in found.items()}
    differ |= {name: ["is not made any more"] for name in comparing.names() - set(found)}
    told = [_told(name, lines) for name, lines in differ.items() if lines]
    if told:
        pytest.fail("\n\n".join([f"{len(told)} records differ:", *told]), pytrace=False)


def _found() -> dict[str, Any]:
    """Return all records of a database that is filled here."""
    with seams.frozen() as clock:
        filled = filling.fill(clock)
        if version := os.environ.get("KEEP"):
            keeping.keep(version)
        found: dict[str, Any] = json.loads(json.dumps(dict(reading.everything(filled))))
        return found


def _told(name: str, lines: list[str]) -> str:
    more = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"=== {name}", *lines[:SHOWN], *more])
