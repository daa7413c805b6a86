"""Fields that the API does not know are refused with the nearest name, and nothing is done."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotate.models import AuditEntry, Batch, Campaign, Operation
from annotate.pay import payouts
from tests.annotate.own import helpful
from tests.api.test_batches import TERMS
from tests.api.test_import import LINES, PLAN, ROWS, upload
from tests.crowds.scripted import Scripted
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

CAMPAIGNS = "/api/v1/campaigns/"


def at(made: Campaign, part: str = "") -> str:
    return f"{CAMPAIGNS}{made.public_id}/{part}"


def told(answer: Any) -> dict[str, str]:
    assert answer.status_code == 422, answer.content
    return dict(answer.json()["errors"])


def test_a_misspelled_budget_opens_no_campaign_without_one(api: APIClient) -> None:
    sent = {**PLAN, "outputs": ROWS, "budgett": "5", "nothing_like_it": 1}
    assert told(api.post(CAMPAIGNS, sent, format="json")) == {
        "budgett": "Unknown field “budgett”. Did you mean “budget”?",
        "nothing_like_it": "Unknown field “nothing_like_it”.",
    }
    fields = {**PLAN, "targets": json.dumps(PLAN["targets"]), "file": upload(LINES), "bugdet": "5"}
    assert told(api.post(CAMPAIGNS, fields, format="multipart")) == {
        "bugdet": "Unknown field “bugdet”. Did you mean “budget”?"
    }
    assert not Campaign.objects.exists()


def test_a_form_may_write_objects_and_lists_field_by_field(api: APIClient) -> None:
    fields = {"name": "News", "targets.overall": "0.2", "metrics[0]": "auto", "budget": "5"}
    made = api.post(CAMPAIGNS, {**fields, "file": upload(LINES)}, format="multipart")
    assert made.status_code == 201, made.content
    assert (made.json()["budget"], made.json()["targets"]) == ("5.00", {"overall": 0.2})


@pytest.mark.parametrize("reference", ["language_quality@3", "language_quality@x", "preference@"])
def test_no_other_version_means_the_one_that_exists(api: APIClient, reference: str) -> None:
    sent = {**PLAN, "outputs": ROWS, "instrument": reference}
    assert set(told(api.post(CAMPAIGNS, sent, format="json"))) == {"instrument"}
    assert api.get(f"/api/v1/instruments/{reference}/").status_code == 404
    assert not Campaign.objects.exists()


def test_the_version_that_exists_may_be_named(api: APIClient) -> None:
    version = api.get("/api/v1/instruments/language_quality/").json()["version"]
    sent = {**PLAN, "outputs": ROWS, "instrument": f"language_quality@{version}"}
    assert api.post(CAMPAIGNS, sent, format="json").status_code == 201


def test_terms_for_people_and_money_are_read_in_full_or_refused(
    api: APIClient, ada: Any, scripted: Scripted
) -> None:
    made = campaign(owner=ada, crowd="mturk", items=32)
    whom = {**TERMS, "audience": {"countires": ["US"]}}
    assert told(api.post(at(made, "batches/offer/"), whom, format="json")) == {
        "audience": "countires: Unknown field “countires”. Did you mean “countries”?"
    }
    launch = {**whom, "confirmed": "4.80", "key": "a"}
    assert set(told(api.post(at(made, "batches/"), launch, format="json"))) == {"audience"}
    assert not Batch.objects.exists()
    assert not Operation.objects.exists()


def test_every_person_of_a_joint_ruling_is_read_in_full(api: APIClient, study: Campaign) -> None:
    who = {"campaign": study.public_id, "annotator": "x", "reasn": "Too fast."}
    body = {"acts": ["exclude"], "people": [who], "confirmed": True}
    answer = api.post("/api/v1/reviews/together/", body, format="json")
    assert "Did you mean “reason”?" in told(answer)["people"]


ACTS = ["open/", "pause/", "close/", "archive/", "delete/", "links/withdraw/", "payouts/"]


@pytest.mark.parametrize("act", [*ACTS, "batches/sync/", "operations/1/drop/"])
def test_an_act_without_fields_takes_none(api: APIClient, ada: Any, act: str) -> None:
    draft = campaign(owner=ada, is_open=False)
    before = AuditEntry.objects.count()
    assert set(told(api.post(at(draft, act), {"budget": 5}, format="json"))) == {"budget"}
    assert Campaign.objects.get().status == "draft"
    assert AuditEntry.objects.count() == before


def test_a_list_is_not_paid_because_some_were_named(api: APIClient, ada: Any) -> None:
    made = campaign(owner=ada)
    judge(person(made, "worker-A1B2"))
    listed = payouts.prepare(made.pk, actor_id=ada.pk)
    address = at(made, f"payouts/{listed.public_id}/paid/")
    assert set(told(api.post(address, {"annotators": []}, format="json"))) == {"annotators"}
    assert api.get(at(made, f"payouts/{listed.public_id}/")).json()["paid"] == "0.00"
    assert api.post(address).json()["paid"] == "0.40"


def test_definitions_say_what_they_do_not_know(api: APIClient) -> None:
    answer = api.post("/api/v1/instruments/", {**helpful(), "criteriaa": []}, format="json")
    assert told(answer) == {"criteriaa": "Unknown field. Did you mean “criteria”?"}
