"""A database that an earlier version filled is migrated, keeps what it had, and goes on working."""

import json
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from annotate.campaigns import exports
from annotate.instruments import registry
from annotate.instruments.language_quality.instrument import DEFINITION
from annotate.instruments.rating.instrument import Rating
from annotate.models import Operation
from tests.upgrade.numbers import COUNTS, NUMBERS
from tests.upgrade.old_database import (
    MIGRATIONS,
    Tables,
    fill,
    manage,
    postgres,
    run,
    session,
    tables,
)
from tests.upgrade.outbox import dicts

pytestmark = pytest.mark.slow

# {name of a table in an earlier version: its name now}
RENAMED = {
    "annotate_evidencechange": "annotate_changemark",
    "annotate_place": "annotate_slot",
}
# Tables whose rows a migration adds to, takes from, or drops, each for its reason.
CHANGED = {"authtoken_token": "tokens are kept as digests, in annotate_apitoken"}
SUBJECTS = ("About your work in “{}”", "Zu Ihrer Arbeit in „{}“")
OWN = Rating(DEFINITION)  # stands for any instrument of a researcher's own


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
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
        assert title == exports.title("", registry.INSTRUMENTS.get(key, OWN), language)
    assert len(now["subjects"]) > 3
    assert [name for _campaign, name, subject in now["subjects"] if name in subject] == []
    for campaign, _name, subject in now["subjects"]:
        _instrument, language = asked[campaign]
        assert subject == SUBJECTS[language == "de"].format(now["public"][campaign][1])


def test_operations_point_at_what_they_named_and_tell_the_crowd_the_same(
    now: dict[str, Any], before: Tables
) -> None:
    seen = set()
    for row in dicts(before, "annotate_operation"):
        told, then = now["operations"][row["key"]], json.loads(row["arguments"])
        entry, _gaps = then.pop("entry", None), then.pop("gaps", None)
        kind, waits = row["kind"], row["status"] not in ("done", "dropped")
        assert told["entry"] == (entry and int(entry))
        person = int(row["key"].split(":")[2]) if kind in ("exclude", "include") else None
        assert told["annotator"] == person
        if kind == "message" and waits:
            told["payload"].pop("subject"), then.pop("subject")  # an earlier migration's
        assert told["payload"] == then
        seen.add((kind, row["status"]))
    assert seen == set(product(Operation.Kind.values, Operation.Status.values))
    assert len(now["operations"]) == len(before["annotate_operation"]["rows"])


def test_refills_point_at_the_slots_that_they_offered(now: dict[str, Any], before: Tables) -> None:
    slots = {row["id"] for row in dicts(before, "annotate_place")}
    told = {
        row["key"]: json.loads(row["arguments"])["gaps"]
        for row in dicts(before, "annotate_operation")
        if "gaps" in row["arguments"]
    }
    assert now["gaps"] == {key: sorted(slots.intersection(gaps)) for key, gaps in told.items()}
    assert len(told) == 6


def test_payouts_and_rulings_money_point_at_what_they_named(
    now: dict[str, Any], before: Tables
) -> None:
    keys = [
        row["key"]
        for name in ("annotate_payout", "annotate_ledgerentry")
        for row in dicts(before, name)
        if row["key"].split(":")[0] in ("bonus", "ruling")
    ]
    assert now["relations"] == {key: int(key.split(":")[1]) for key in keys}
    assert {key.split(":")[0] for key in keys} == {"bonus", "ruling"}


def test_operations_about_what_is_not_there_stop_the_upgrade() -> None:
    """By their names, and before anything of money is changed."""
    with postgres() as url:
        _refuse_what_names_nothing(url)


def _refuse_what_names_nothing(url: str) -> None:
    fill(url, "0.1.0")
    lost = {1000: "standing:9:1000000:0", 1001: "standing:9:x:0", 1002: "bonus:1000000:0"}
    rename = "UPDATE annotate_operation SET key = %s, arguments = %s WHERE id = %s"
    make = "UPDATE annotate_operation SET kind = %s, id = %s WHERE id = (SELECT max(id) FROM "
    kept = "FROM annotate_operation WHERE kind <> 'message' ORDER BY id"
    with session(url) as cursor:
        for pk, key in lost.items():
            kind = "bonus" if "bonus" in key else "exclude"
            found = "annotate_operation WHERE kind = 'message')"
            cursor.execute(make + found, (kind, pk))
            cursor.execute(rename, (key, '{"entry": "1000000"}', pk))
        cursor.execute(f"SELECT id, arguments {kept}")
        before = cursor.fetchall()
    with pytest.raises(AssertionError, match="name others that are not there") as raised:
        manage(url, "migrate", "-v0")
    assert [key for key in lost.values() if f"operation {key}" not in str(raised.value)] == []
    with session(url) as cursor:
        cursor.execute(f"SELECT id, payload {kept}")
        assert cursor.fetchall() == before


def test_people_go_on_working(now: dict[str, Any]) -> None:
    assert now["work"] >= 1
