"""The stress test: all flags applied, and the people who pull an estimate most left out."""

import csv
import io
import json
import zipfile
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from annotate.models import Campaign, Ruling
from annotate.selectors.campaigns import listing
from annotate.services.campaigns import life
from annotate.services.review import verdicts
from estimation.models import StressDue, StressTest
from estimation.selectors import sensitivity
from estimation.selectors.stress import StressedEstimate
from estimation.services import estimating, stress
from tests import remembered
from tests.estimation.reviewed import exclude, flag, rule, settle
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
EDIT = "It met on Monday, they say."


@pytest.fixture(autouse=True)
def _no_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "screen_all", lambda *_asked: [])


def study(ada: User) -> Campaign:
    """Nine people with four judgments each: p0 finds all good, the others find all bad."""
    return remembered.again(_study, ada)


def _study(ada: User) -> Campaign:
    settings = {"items": 60, "systems": ("alpha",), "targets": {"overall": 0.01}, "double_share": 0}
    settings["metrics"] = ()
    made = campaign(owner=ada, **settings)
    people = [person(made, f"p{i}") for i in range(9)]
    for _task in range(4):
        for who in people:
            judge(who) if who is people[0] else judge(who, overall=-1, edit=EDIT)
    return settle(made)


def row_of(made: Campaign) -> StressedEstimate:
    (row,) = sensitivity.of(listing.facts(made)).stress.rows
    return row


@pytest.mark.slow
def test_the_worst_people_are_found_and_the_numbers_are_those_of_an_estimate_without_them(
    ada: User,
) -> None:
    row = row_of(study(ada))
    assert row.found is not None
    assert row.found["estimate"] == pytest.approx(-7 / 9)
    assert [(one.share, one.people) for one in row.worst] == [
        (0.01, 1),
        (0.05, 1),
        (0.1, 1),
        (0.2, 2),
    ]
    # Without p0 nothing but -1 is left; without two others 4 of 28 judgments are good.
    assert [one.low for one in row.worst] == pytest.approx([-1, -1, -1, -1])
    assert [one.high for one in row.worst] == pytest.approx([-6 / 8] * 3 + [-5 / 7])
    # Every output is judged once, so the estimate computed anew is the same.
    assert [one.low_anew for one in row.worst] == pytest.approx([-1] * 4)
    assert [one.high_anew for one in row.worst] == pytest.approx([one.high for one in row.worst])


@pytest.mark.slow
def test_all_flags_are_applied_whatever_was_ruled(ada: User) -> None:
    made = study(ada)
    assert row_of(made).flagged_people == 0
    cleared = flag(person(made, "p0"), "too_fast")
    rule(cleared, ada, Ruling.Act.CLEAR)
    flag(person(made, "p1"), "no_variation")
    settle(made)
    row = row_of(made)
    assert (row.flagged_people, row.flagged_judgments) == (2, 8)
    assert row.unflagged is not None
    assert (row.unflagged["estimate"], row.unflagged["n_judgments"]) == (pytest.approx(-1), 28)
    # What is excluded is in neither number.
    exclude(person(made, "p2"), ada)
    settle(made)
    row = row_of(made)
    assert row.found is not None
    assert row.unflagged is not None
    assert (row.found["n_judgments"], row.unflagged["n_judgments"]) == (32, 24)


@pytest.mark.slow
def test_nothing_is_left_where_everybody_is_flagged(ada: User) -> None:
    made = study(ada)
    for i in range(9):
        flag(person(made, f"p{i}"))
    settle(made)
    row = row_of(made)
    assert (row.flagged_people, row.unflagged, row.moved_by_flags) == (9, None, False)
    assert row.rests_on_flags
    out = StringIO()
    call_command("sensitivity", made.public_id, stdout=out)
    assert "too little would be left for these estimates: " in out.getvalue()
    assert "would move by more than" not in out.getvalue()


def test_it_is_made_by_a_task_after_the_estimates_and_not_for_every_judgment(ada: User) -> None:
    made = study(ada)
    before = StressTest.objects.get(campaign=made)
    judge(person(made, "p0"))
    assert estimating.refresh(made.pk)
    assert not StressDue.objects.filter(campaign=made).exists()
    for who in ("p1", "p2"):
        judge(person(made, who), overall=-1, edit=EDIT)
    assert estimating.refresh(made.pk)
    assert StressTest.objects.get(campaign=made).pk == before.pk  # the refresh only asks
    assert stress.catch_up() == 0  # too young: its message is on the way
    assert stress.measure(made.pk)
    assert not stress.measure(made.pk)
    after = StressTest.objects.get(campaign=made)
    assert (before.judgments, after.judgments) == (36, 39)


def test_a_lost_message_is_found(ada: User) -> None:
    made = study(ada)
    stress.ask(made.pk)
    StressDue.objects.update(at="2026-01-01T00:00:00Z")
    assert stress.catch_up() == 1
    assert not StressDue.objects.exists()


@pytest.mark.slow
def test_the_api_the_command_and_the_export_say_the_same(client: Client, ada: User) -> None:
    made = study(ada)
    flag(person(made, "p0"))
    settle(made)
    row = row_of(made)
    assert row.found is not None
    api = APIClient()
    api.force_authenticate(ada)
    told = api.get(f"/api/v1/campaigns/{made.public_id}/sensitivity/").json()["stress"]
    assert (told["judgments"], told["flagged"]) == (36, 1)
    (cell,) = told["estimates"]
    assert cell["flagged"] == {"people": 1, "judgments": 4}
    assert cell["without_flagged"]["estimate"] == pytest.approx(-1)
    assert [one["high"] for one in cell["worst"]] == [one.high for one in row.worst]

    out = StringIO()
    call_command("sensitivity", made.public_id, "--json", stdout=out)
    assert json.loads(out.getvalue())["stress"] == json.loads(json.dumps(told))
    out = StringIO()
    call_command("sensitivity", made.public_id, stdout=out)
    assert "-1.000 to -0.714 without the worst 20" in out.getvalue().replace("−", "-")

    rows = exported(client, made)
    assert [(one["share"], one["left_out"]) for one in rows][-1] == ("0.2", "2")
    assert float(rows[-1]["highest"]) == pytest.approx(row.worst[-1].high)


@pytest.mark.slow
def test_reviewers_of_an_open_campaign_do_not_see_it(ada: User) -> None:
    made = study(ada)
    rev = user("rev")
    made.memberships.create(user=rev, role="reviewer")
    api = APIClient()
    api.force_authenticate(rev)
    address = f"/api/v1/campaigns/{made.public_id}/sensitivity/"
    assert api.get(address).status_code == 403
    life.close(made.pk, Campaign.Reason.HAND)
    settle(made)
    assert api.get(address).status_code == 200


def exported(client: Client, made: Campaign) -> list[dict[str, Any]]:
    found = client.get(f"/api/v1/campaigns/{made.public_id}/export/")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(found.streaming_content)))  # type: ignore[attr-defined]
    (name,) = [name for name in archive.namelist() if name.endswith("stress.csv")]
    return list(csv.DictReader(archive.read(name).decode("utf-8-sig").splitlines()))
