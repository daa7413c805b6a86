"""What must not change while the house is rebuilt: `make golden` compares it with records.

`make golden RECORD=1` records it anew; `make golden KEEP=0.2.0` also keeps the database for tests of
upgrades. GOLDEN_DAY: another day for the clock. LINES: of each difference that are shown.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from tests.golden import comparing, filling, keeping, reading, seams

pytestmark = pytest.mark.golden

RECORD = os.environ.get("RECORD") == "1"
SHOWN = int(os.environ.get("LINES", "40"))  # of each record's difference


@pytest.fixture(scope="module")
def found(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, _quick_passwords: None
) -> Iterator[dict[str, Any]]:
    """All records of a database that is filled once."""
    with django_db_blocker.unblock(), seams.frozen() as clock:
        filled = filling.fill(clock)
        if os.environ.get("KEEP"):
            keeping.keep(os.environ["KEEP"])
        yield json.loads(json.dumps(dict(reading.everything(filled))))


def test_nothing_has_changed(found: dict[str, Any]) -> None:
    if RECORD:
        for name in comparing.names() - set(found):
            for path in comparing.RECORDED.glob(f"{name}.json*"):
                path.unlink()
        for name, value in found.items():
            comparing.record(name, value)
    differ = {name: comparing.differences(name, value) for name, value in found.items()}
    differ |= {name: ["is not made any more"] for name in comparing.names() - set(found)}
    told = [_told(name, lines) for name, lines in differ.items() if lines]
    if told:
        pytest.fail("\n\n".join([f"{len(told)} records differ:", *told]), pytrace=False)


def _told(name: str, lines: list[str]) -> str:
    more = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"=== {name}", *lines[:SHOWN], *more])
