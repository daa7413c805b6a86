"""A database that an earlier version filled is migrated, keeps what it had, and goes on working."""

import json
import math
import os
from collections.abc import Iterator
from typing import Any

import pytest

from annotate.instruments import registry
from annotate.instruments.language_quality.definition import DEFINITION
from annotate.instruments.rating.instrument import Rating
from annotate.selectors.campaigns import protocol
from tests.upgrade.numbers import COUNTS, NUMBERS
from tests.upgrade.old_database import MIGRATIONS, Tables, fill, manage, postgres, run, tables

# {name of a table in an earlier version: its name now}
RENAMED = {
    "annotate_evidencechange": "annotate_changemark",
    "annotate_place": "annotate_slot",
}
# Tables whose rows a migration adds to, takes from, or drops, each for its reason.
CHANGED: dict[str, str] = {}
OWN = Rating(DEFINITION)  # stands for any instrument of a researcher's own


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('upgrade')}/old.sqlite3"
        return
    if "postgres" not in os.environ["DATABASE_URL"]:
        pytest.fail("run this without TEST_DATABASE_URL=sqlite")
    with postgres() as url:
        yield url


@pytest.fixture(scope="module", params=list(MIGRATIONS))
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def before(version: str) -> Tables:
    return tables(version)


@pytest.fixture(scope="module")
def now(database: str, version: str) -> dict[str, Any]:
    """What is found after the upgrade."""
    fill(database, version)
    manage(database, "migrate", "-v0")
    return json.loads(run(database, "-m", "tests.upgrade.using"))


def test_every_row_is_still_there(now: dict[str, Any], before: Tables) -> None:
    kept = {
        name: (len(table["rows"]), now["counts"].get(RENAMED.get(name, name)))
        for name, table in before.items()
        if name not in CHANGED
    }
    assert {name: both for name, both in kept.items() if both[0] != both[1]} == {}


def test_no_cent_has_moved(now: dict[str, Any], before: Tables) -> None:
    ledger = before["annotate_ledgerentry"]
    places = [ledger["columns"].index(name) for name in ("campaign_id", "amount", "fee")]
    sums: dict[str, int] = {}
    for row in ledger["rows"]:
        campaign, amount, fee = (row[place] for place in places)
        sums[str(campaign)] = sums.get(str(campaign), 0) + round((amount + fee) * 100)
    assert now["money"] == {campaign: str(cents) for campaign, cents in sums.items()}


def test_scores_still_say_what_the_judgments_say(now: dict[str, Any]) -> None:
    assert now["scores"] == []


def test_the_same_facts_still_give_the_same_estimates(now: dict[str, Any], before: Tables) -> None:
    then, compared = _last_estimates(before), 0
    for cell, numbers in now["estimates"].items():
        old = then.get(cell)
        if old is not None and old[:COUNTS] == numbers[:COUNTS]:
            assert _filled(numbers) == pytest.approx(_filled(old), rel=1e-9, nan_ok=True), cell
            compared += 1
    assert compared > 40


def _filled(numbers: list[Any]) -> list[float]:
    return [math.nan if number is None else number for number in numbers]


def _last_estimates(before: Tables) -> dict[str, list[Any]]:
    table = before["estimation_estimate"]
    names = ("system_id", "criterion", *NUMBERS)
    places = [table["columns"].index(name) for name in names]
    picked = [[row[place] for place in places] for row in table["rows"]]
    return {f"{system} {criterion}": numbers for system, criterion, *numbers in picked}


def test_an_old_judgment_can_be_corrected(now: dict[str, Any]) -> None:
    assert now["corrected"] == {"kept": 2, "counted": 1}


def test_every_page_of_every_campaign_opens(now: dict[str, Any]) -> None:
    assert len(now["pages"]) > 150
    assert {address: code for address, code in now["pages"].items() if code != 200} == {}


def test_annotators_read_neutral_titles_and_no_name(now: dict[str, Any], before: Tables) -> None:
    table = before["annotate_campaign"]
    places = [table["columns"].index(name) for name in ("id", "instrument", "language")]
    asked = {str(row[places[0]]): [row[place] for place in places[1:]] for row in table["rows"]}
    assert {key for key, _language in asked.values()} > {"language_quality", "answer_correctness"}
    for campaign, (_name, title) in now["public"].items():
        key, language = asked[campaign]
        assert title == protocol.title("", registry.INSTRUMENTS.get(key, OWN), language)
    assert len(now["subjects"]) > 3
    assert [name for name, subject in now["subjects"] if name in subject] == []


def test_people_go_on_working(now: dict[str, Any]) -> None:
    assert now["work"] >= 1
