"""The API about batches: offer, launch, extend, stop, look, and what needs a person."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.crowds import adapters, outbox
from annotate.crowds.contract import Configuration
from annotate.models import Batch, Campaign, Membership, Operation, Participation
from tests.crowds.batches.launching import came, launched
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

TERMS = {"title": "Rate news", "description": "Read a text and rate it.", "tasks": 2, "places": 4}


@pytest.fixture
def made(ada, scripted: Scripted) -> Campaign:
    return campaign(owner=ada, crowd="mturk", reward=Decimal("0.50"), budget=Decimal(100), items=32)


def at(made: Campaign, part: str = "") -> str:
    return f"/api/v1/campaigns/{made.public_id}/{part}"


def launch(api: APIClient, made: Campaign, **changed):
    body = TERMS | {"confirmed": "4.80", "key": "a"} | changed
    return api.post(at(made, "batches/"), body, format="json")


def test_an_offer_is_a_dry_run(api, made):
    offer = api.post(at(made, "batches/offer/"), TERMS, format="json").json()
    assert (offer["total"], offer["rewards"], offer["fees"]) == ("4.80", "4.00", "0.80")
    assert (offer["environment"], offer["judgments"], offer["postings"]) == ("sandbox", 8, 1)
    assert (offer["balance"], offer["budget_left"], offer["problems"]) == (
        "1000.00",
        "100.00",
        [],
    )
    assert not Operation.objects.exists()


def test_an_offer_tells_all_that_stands_against_it(api, made, scripted):
    scripted.funds = Decimal(1)
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal(2), status="paused")
    offer = api.post(at(made, "batches/offer/"), TERMS, format="json").json()
    assert {problem["field"] for problem in offer["problems"]} == {"campaign", "budget", "balance"}
    assert offer["fits_budget"] is False
    refused = launch(api, made)
    assert refused.status_code == 422
    assert set(refused.json()["errors"]) == {"campaign", "budget", "balance"}


def test_settings_that_are_wrong_are_a_problem(api, made, monkeypatch):
    def broken(_crowd):
        raise Configuration("Set a token.")

    monkeypatch.setattr(adapters, "marketplace", broken)
    offer = api.post(at(made, "batches/offer/"), TERMS, format="json").json()
    assert "Set a token." in [problem["message"] for problem in offer["problems"]]
    assert launch(api, made).status_code == 422


def test_a_batch_is_launched_once_for_each_key(api, made):
    first, again = launch(api, made), launch(api, made)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    one = first.json()
    assert (one["state"], one["places"], one["reward"]) == ("planned", 4, "1.00")
    assert one["money"] == {"confirmed": "4.80", "paid": "0.00", "due": "0.00"}
    assert one["units"]["available"] == 0
    outbox.carry_out_due()
    (listed,) = api.get(at(made, "batches/")).json()["results"]
    assert (listed["state"], listed["units"]["available"]) == ("open", 4)
    assert listed["postings"][0]["listing"].startswith("L-")
    assert api.get(at(made, f"batches/{one['id']}/")).json() == listed


def test_another_campaign_may_use_the_same_key(api, ada, made):
    other = campaign(owner=ada, crowd="mturk", reward=Decimal("0.50"))
    assert [launch(api, each).status_code for each in (made, other)] == [201, 201]


def test_only_the_total_that_was_offered_is_confirmed(api, made):
    refused = launch(api, made, confirmed="4.79")
    assert (refused.status_code, refused.json()["error"]) == (409, "cost")
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": ""},
        {"tasks": 0},
        {"places": 0},
        {"minutes": "NaN"},
        {"duration": -1},
        {"audience": {"approval_rate": 101}},
        {"key": ""},
        {"key": "x" * 41},
        {"confirmed": "x"},
    ],
    ids=str,
)
def test_fields_that_cannot_be_are_named(api, made, wrong):
    answer = launch(api, made, **wrong)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == set(wrong)
    assert not Batch.objects.exists()


def test_terms_arrive_as_they_were_sent(api, made):
    sent = {
        "keywords": ["news", "text"],
        "minutes": "2.5",
        "duration": 1800,
        "lifetime": 86_400,
        "auto_approval": 172_800,
        "approve_after": 3600,
        "audience": {"countries": ["US"], "approval_rate": 95},
    }
    assert launch(api, made, **sent).status_code == 201
    terms = Batch.objects.get().terms
    for name in ("keywords", "duration", "lifetime", "auto_approval", "approve_after"):
        assert terms[name] == sent[name]
    assert terms["minutes"] == 2.5
    assert (terms["audience"]["countries"], terms["audience"]["approval_rate"]) == (["US"], 95)


def test_real_money_needs_its_world_named(api, made, scripted):
    scripted.environment = "production"
    assert set(launch(api, made).json()["errors"]) == {"environment"}
    assert launch(api, made, environment="sandbox").status_code == 409
    assert not Batch.objects.exists()
    assert launch(api, made, environment="production").status_code == 201


@pytest.mark.slow
def test_extending_and_stopping(api, made):
    batch = launch(api, made).json()["id"]
    outbox.carry_out_due()
    offer = api.post(at(made, f"batches/{batch}/offer/"), {"places": 2}, format="json").json()
    body = {"places": 2, "confirmed": offer["total"], "key": "more"}
    for _ in range(2):
        extended = api.post(at(made, f"batches/{batch}/extend/"), body, format="json")
        assert (extended.status_code, extended.json()["places"]) == (200, 6)
    dearer = api.post(
        at(made, f"batches/{batch}/extend/"), body | {"key": "b", "confirmed": "1"}, format="json"
    )
    assert (dearer.status_code, dearer.json()["error"]) == (409, "cost")
    for _ in range(2):
        stopped = api.post(at(made, f"batches/{batch}/stop/")).json()
        assert stopped["stopped_at"]
    refused = api.post(at(made, f"batches/{batch}/extend/"), body | {"key": "c"}, format="json")
    assert refused.status_code == 422


def test_looking_says_at_how_many(api, made):
    launch(api, made)
    outbox.carry_out_due()
    answer = api.post(at(made, "batches/sync/"))
    assert (answer.status_code, answer.json()) == (202, {"postings": 1})


def test_what_was_refused_is_told_tried_again_or_dropped(api, made, scripted):
    scripted.will("publish", NO_MONEY)
    launch(api, made)
    outbox.carry_out_due()
    (op,) = api.get(at(made, "operations/")).json()["results"]
    assert (op["kind"], op["status"], op["code"], op["places"]) == (
        "publish",
        "refused",
        "funds",
        4,
    )
    assert op["remedy"].startswith("Top up")
    address = at(made, f"operations/{op['id']}/")
    assert api.post(f"{address}retry/").json()["status"] == "pending"
    assert api.post(f"{address}retry/").status_code == 409
    assert api.post(f"{address}drop/").json()["status"] == "dropped"
    assert api.post(f"{address}drop/").status_code == 409
    assert api.get(at(made, "operations/")).json()["results"] == []


def test_a_person_decides_what_nobody_can_tell(api, made):
    launch(api, made)
    op = Operation.objects.get()
    address = at(made, f"operations/{op.pk}/decide/")
    assert api.post(address, {"happened": False}, format="json").status_code == 409
    Operation.objects.update(status="unclear", message="Look there.")
    assert set(api.post(address, {}, format="json").json()["errors"]) == {"happened"}
    assert api.post(address, {"happened": False}, format="json").json()["status"] == "pending"


def test_reviewers_see_how_far_it_is_without_money(made, client_of):
    batch = launched(made)
    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    (listed,) = client_of(eve).get(at(made, "batches/")).json()["results"]
    assert listed["units"]["places"] == 20
    assert not {"money", "reward"} & set(listed)
    assert "$" not in str(listed)
    one = client_of(eve).get(at(made, f"batches/{batch.public_id}/")).json()
    assert one == listed


def test_acts_are_the_owners_alone(made, client_of):
    batch = launched(made).public_id
    op = Operation.objects.first().pk
    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    asked = [
        ("post", "batches/"),
        ("post", "batches/offer/"),
        ("post", "batches/sync/"),
        ("post", f"batches/{batch}/offer/"),
        ("post", f"batches/{batch}/extend/"),
        ("post", f"batches/{batch}/stop/"),
        ("get", "operations/"),
        ("post", f"operations/{op}/retry/"),
        ("post", f"operations/{op}/decide/"),
        ("post", f"operations/{op}/drop/"),
    ]
    for client, status in (
        (client_of(eve), 403),
        (client_of(user("mallory")), 404),
        (APIClient(), 401),
    ):
        for method, part in asked:
            assert getattr(client, method)(at(made, part)).status_code == status, part


def test_batches_and_operations_of_others_are_not_there(api, made):
    other = campaign(crowd="mturk", reward=Decimal("0.50"))
    batch, op = launched(other, places=5).public_id, Operation.objects.first().pk
    for part in (f"batches/{batch}/stop/", f"operations/{op}/drop/", "batches/nothing/stop/"):
        assert api.post(at(made, part)).status_code == 404


def test_it_is_in_the_schema(api):
    paths = api.get("/api/v1/schema/?format=json").json()["paths"]
    assert "/api/v1/campaigns/{public_id}/batches/offer/" in paths
    assert "/api/v1/campaigns/{public_id}/operations/{operation_id}/decide/" in paths


def test_units_in_doubt_are_listed_and_paid(api, made, client_of):
    posting = launched(made, places=4).postings.all()[0]
    for name in ("A1", "A2"):
        unit = came(posting, name, "confirmed")
        Participation.objects.filter(pk=unit.pk).update(
            problem="It was handed in after 1 of 2 tasks.", submitted_at=timezone.now()
        )
    first, second = api.get(at(made, "units-in-doubt/")).json()["results"]
    (alone,) = api.get(api.get(at(made, "units-in-doubt/?page_size=1")).json()["next"]).json()[
        "results"
    ]
    assert alone == second
    assert (first["reward"], first["problem"], first["title"], first["by_itself"]) == (
        "1.00",
        "It was handed in after 1 of 2 tasks.",
        "Rate news",
        None,
    )
    who = Participation.objects.get(pk=first["id"]).annotator
    assert first["annotator"] == who.pseudonym
    assert who.external_id not in str(first)

    paid = api.post(at(made, f"units-in-doubt/{first['id']}/pay/"))
    assert (paid.status_code, paid.json()["results"]) == (200, [second])
    assert api.post(at(made, f"units-in-doubt/{first['id']}/pay/")).status_code == 409
    other = campaign(owner=User.objects.get(), crowd="mturk")
    assert api.post(at(other, f"units-in-doubt/{second['id']}/pay/")).status_code == 404

    by_link = person(campaign(owner=User.objects.get()), "came-by-a-link")
    refused = api.post(at(by_link.campaign, f"units-in-doubt/{by_link.pk}/pay/"))
    assert (refused.status_code, "came by a link" in refused.json()["message"]) == (409, True)

    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    assert client_of(eve).get(at(made, "units-in-doubt/")).status_code == 403
    assert client_of(eve).post(at(made, f"units-in-doubt/{second['id']}/pay/")).status_code == 403
    assert Participation.objects.get(pk=second["id"]).problem
