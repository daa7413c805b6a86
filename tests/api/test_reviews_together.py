"""Reviews over the API as on the pages: filters, people listed, one ruling for several."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotate.models import AuditEntry, Campaign, Membership, Review, Ruling
from annotate.review import queries as review_queries
from annotate.tasks import look_at_gold, look_at_signals
from tests import reviewed
from tests.annotate.gold.study import with_gold
from tests.annotate.review.test_listed_people import careless
from tests.annotate.review.test_page_signals import ON, pasting
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

QUEUE, TOGETHER = "/api/v1/reviews/", "/api/v1/reviews/together/"


@pytest.fixture
def three(ada) -> Campaign:
    """Somebody listed by gold, one listed by signals, and one paused by a screen."""
    study = campaign(owner=ada, is_open=False, items=60, annotator_cap=None, screening=ON)
    with_gold(study)
    careless(study)
    pasting(study)
    reviewed.flagged(person(study, "flagged"))
    look_at_gold()
    look_at_signals()
    return study


def names(api, **asked: str) -> dict[str, Any]:
    return {row["annotator"]: row for row in api.get(QUEUE, asked).json()["results"]}


def ask(api, study: Campaign, acts: list[str], **changes: Any) -> Any:
    people = [
        {"campaign": study.public_id, "annotator": name, "reason": "Not with care."}
        for name in names(api)
    ]
    return api.post(TOGETHER, {"acts": acts, "people": people} | changes, format="json")


@pytest.mark.slow
def test_the_filters_are_those_of_the_page(api, three):
    assert len(names(api)) == 3
    for reason in ("gold", "signals", "too_fast"):
        assert len(names(api, screen=reason)) == 1, reason
    assert len(names(api, tier="list")) == 2
    assert len(names(api, tier="pause")) == 1
    assert names(api, crowd="mturk") == {}
    (row,) = names(api, screen="gold").values()
    assert (row["status"], row["flags"][0]["tier"], row["signals"]) == ("listed", "list", [])
    assert row["flags"][0]["numbers"]["wrong"] == 5
    (row,) = names(api, screen="signals").values()
    assert (row["flags"], row["signals"][0]["kind"]) == ([], "typing")
    assert row["signals"][0]["text"].startswith("Pasted 100")
    described = api.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    known = {one["name"] for one in described["paths"]["/api/v1/reviews/"]["get"]["parameters"]}
    assert {
        *review_queries.narrowing(),
        "q",
        "sort",
        "show",
        "cursor",
        "page_size",
        "campaign",
    } <= known


@pytest.mark.slow
def test_a_case_has_gold_and_first_answers(api, three):
    (name,) = names(api, screen="gold")
    case = api.get(f"/api/v1/campaigns/{three.public_id}/reviews/{name}/").json()
    gold = case["gold"]
    assert (gold["used"], gold["missed"], gold["listed"]) == (5, 5, True)
    assert [one["right"] for one in gold["answers"]] == [False] * 5
    assert gold["answers"][0]["expected"] == {"fluency": [-1, 0]}
    assert case["first_answers"] == []
    (name,) = names(api, screen="signals")
    gold = api.get(f"/api/v1/campaigns/{three.public_id}/reviews/{name}/").json()["gold"]
    assert (gold["missed"], gold["listed"]) == (0, False)


@pytest.mark.slow
def test_nothing_is_done_before_the_confirmation(api, three):
    before = AuditEntry.objects.count()
    answer = ask(api, three, ["exclude"]).json()
    assert answer["confirmed"] is False
    assert {one["case"]["status"] for one in answer["people"]} == {"open", "listed"}
    assert sum(one["effects"]["counting"] for one in answer["people"]) > 0
    assert (Ruling.objects.count(), AuditEntry.objects.count()) == (0, before)


@pytest.mark.slow
def test_each_is_ruled_on_once(api, three, ada):
    first = ask(api, three, ["exclude"], confirmed=True, unopened=True).json()["people"]
    assert {one["case"]["status"] for one in first} == {"excluded"}
    assert all(len(one["rulings"]) == 1 and not one["problem"] for one in first)
    assert Ruling.objects.count() == 3
    acts = AuditEntry.objects.filter(verb="exclude", actor=ada)
    assert acts.count() == 3
    again = [
        {"campaign": three.public_id, "annotator": one["annotator"], "reason": "Not with care."}
        for one in first
    ]
    body = {"acts": ["exclude"], "people": again, "confirmed": True, "unopened": True}
    second = api.post(TOGETHER, body, format="json").json()["people"]
    assert all(one["again"] and not one["problem"] for one in second)
    assert Ruling.objects.count() == 3


@pytest.mark.slow
def test_one_who_cannot_be_ruled_on_stops_no_other(api, three):
    chosen = list(names(api))
    people = [{"campaign": three.public_id, "annotator": name, "reason": "No."} for name in chosen]
    people[0]["reason"] = ""
    people.append({"campaign": three.public_id, "annotator": "nobody", "reason": "No."})
    body = {"acts": ["exclude"], "people": people, "confirmed": True, "unopened": True}
    told = {
        one["annotator"]: one for one in api.post(TOGETHER, body, format="json").json()["people"]
    }
    assert told[chosen[0]]["problem"]
    assert told["nobody"]["problem"] == "There is no review of an annotator of this name."
    assert told["nobody"]["case"] is None
    assert told[chosen[2]]["case"]["status"] == "excluded"


@pytest.mark.slow
def test_only_members_rule_and_nobody_else_learns_of_it(api, three, client_of):
    people = [{"campaign": three.public_id, "annotator": name} for name in names(api)]
    body = {"acts": ["clear"], "people": people, "confirmed": True, "unopened": True}
    told = client_of(user("eve")).post(TOGETHER, body, format="json").json()["people"]
    assert {one["problem"] for one in told} == {"There is no review of an annotator of this name."}
    assert not Ruling.objects.exists()
    assert APIClient().post(TOGETHER, body, format="json").status_code == 401
    bo = user("bo")
    Membership.objects.create(campaign=three, user=bo, role="reviewer")
    told = client_of(bo).post(TOGETHER, body, format="json").json()["people"]
    assert {one["case"]["status"] for one in told} == {"cleared"}
    assert set(Ruling.objects.values_list("actor", "blind")) == {(bo.pk, True)}


@pytest.mark.parametrize(
    "changes",
    [
        {"acts": ["refuse"]},
        {"acts": ["repay"]},
        {"acts": []},
        {"acts": "clear"},
        {"people": []},
        {"people": [{"campaign": "x"}]},
        {"people": ["x"]},
        {"people": [{"campaign": "x", "annotator": "y"}] * 101},
        {"people": [{"campaign": "x", "annotator": "y", "reason": "a\0b"}]},
        {"people": [{"campaign": "x", "annotator": "y", "seen": -1}]},
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_done(api, changes):
    study = campaign(owner=None)
    body = {"acts": ["clear"], "people": [{"campaign": study.public_id, "annotator": "x"}]}
    assert api.post(TOGETHER, body | changes | {"confirmed": True}, format="json").status_code in (
        400,
        422,
    )
    assert not Review.objects.exists()


def test_looking_takes_as_many_queries_for_many(api, ada):
    study = campaign(owner=ada)

    def counted() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ask(api, study, ["clear"]).status_code == 200
        return len(captured)

    seen = []
    for n in (2, 60):
        reviewed.queue(study, n, seed=n, ruled=0)
        seen.append(counted())
    assert seen[0] == seen[1]
