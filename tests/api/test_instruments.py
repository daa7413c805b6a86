"""The API about instruments: what there is, and defining one's own."""

import json

import pytest
from rest_framework.test import APIClient

from annotate.models import Campaign, InstrumentDefinition, TutorialContent
from annotate.studies import tutorials
from tests.annotate.own import HELPFUL, helpful, side_by_side
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

INSTRUMENTS = "/api/v1/instruments/"


def define(api: APIClient, **changes):
    return api.post(INSTRUMENTS, helpful(**changes), format="json")


def test_one_is_defined_found_and_listed(api):
    made = define(api)
    assert (made.status_code, made.data["reference"]) == (201, "helpfulness@1")
    assert define(api).data["version"] == "1"
    assert define(api, hint="Other").data["version"] == "2"
    assert api.get(f"{INSTRUMENTS}helpfulness@1/").data["definition"] == HELPFUL
    assert api.get(f"{INSTRUMENTS}helpfulness/").data["version"] == "2"
    results = api.get(INSTRUMENTS).data["results"]
    assert [one["reference"] for one in results if not one["built_in"]] == [
        "helpfulness@2",
        "helpfulness@1",
    ]
    assert [one["name"] for one in results[-1]["criteria"]] == ["helpful", "invented"]


def test_a_built_in_one_can_be_taken_as_a_start(api):
    given = api.get(f"{INSTRUMENTS}language_quality/").data
    assert (given["built_in"], given["reference"]) == (True, "language_quality")
    again = api.post(INSTRUMENTS, given["definition"] | {"key": "mine"}, format="json")
    assert again.status_code == 201
    assert [one["name"] for one in again.data["criteria"]] == [
        "fluency",
        "redundancy",
        "overall",
        "edit",
    ]


def test_one_that_shows_all_texts_of_an_item_comes_back_as_it_was_given(api):
    made = api.post(INSTRUMENTS, side_by_side(), format="json")
    assert made.status_code == 201
    shown = api.get(f"{INSTRUMENTS}side_by_side@1/").json()["definition"]
    assert shown["shows_others"] is True
    key = {"key": "copied"}
    again = api.post(INSTRUMENTS, shown | key, format="json")
    assert again.json()["definition"] == shown | key
    both = api.post(INSTRUMENTS, side_by_side(compares=True), format="json")
    assert both.status_code == 422
    assert "shows_others" in str(both.json())


def test_problems_are_told_by_their_paths(api):
    whole = helpful(key="Bad Key")
    del whole["criteria"][0]["levels"][0]["cue"]
    answer = api.post(INSTRUMENTS, whole, format="json")
    assert answer.status_code == 422
    assert set(answer.data["errors"]) == {"key", "criteria[0].levels[0].cue"}
    assert not InstrumentDefinition.objects.exists()


def test_somebody_elses_key_is_a_conflict(api, client_of):
    define(client_of(user("eve")))
    assert define(api).status_code == 409
    assert define(api, key="language_quality").status_code == 409


def test_an_unknown_one_does_not_exist(api):
    for reference in ("nothing", "language_quality@x", "helpfulness@9"):
        assert api.get(f"{INSTRUMENTS}{reference}/").status_code == 404


def test_a_campaign_is_imported_with_it_in_its_language(api):
    define(api)
    body = {
        "name": "Help",
        "instrument": "helpfulness@1",
        "language": "de",
        "targets": {"helpful": 0.4},
        "seed": 1,
        "outputs": [
            {"item": str(i), "system": "alpha", "output": f"Antwort {i}", "input": "Frage?"}
            for i in range(3)
        ],
    }
    answer = api.post("/api/v1/campaigns/", body, format="json")
    assert answer.status_code == 201, answer.data
    made = Campaign.objects.get()
    assert (made.instrument, made.instrument_version, made.language) == ("helpfulness", "1", "de")


def tutorial(**changes):
    return json.loads(tutorials.tutorial_file("language_quality", "en")) | changes


@pytest.mark.slow
def test_a_tutorial_is_stored_listed_and_used(api):
    address = f"{INSTRUMENTS}language_quality/tutorials/"
    made = api.post(address, tutorial(title="Ours"), format="json")
    assert made.status_code == 201, made.data
    assert api.post(address, tutorial(title="Ours"), format="json").data["id"] == made.data["id"]
    listed = api.get(address).data
    assert [one["title"] for one in listed["results"]] == ["Ours"]
    assert "en" in listed["built_in"]
    body = {
        "name": "News",
        "targets": {"overall": 0.2},
        "tutorial_id": made.data["id"],
        "tutorial_bonus": "1.00",
        "outputs": [{"item": str(i), "system": "a", "output": f"Text {i}"} for i in range(3)],
    }
    assert api.post("/api/v1/campaigns/", body, format="json").status_code == 201
    made_campaign = Campaign.objects.get()
    assert (made_campaign.tutorial_id, made_campaign.tutorial_required) == (made.data["id"], True)
    refused = api.post("/api/v1/campaigns/", body | {"tutorial_id": 999_999}, format="json")
    assert set(refused.data["errors"]) == {"tutorial_id"}


def test_problems_of_a_tutorial_are_told_by_their_paths(api):
    bad = tutorial(language=3)
    del bad["questions"][0]["prompt"]
    answer = api.post(f"{INSTRUMENTS}language_quality/tutorials/", bad, format="json")
    assert answer.status_code == 422
    assert set(answer.data["errors"]) == {"language", "questions[0].prompt"}
    assert not TutorialContent.objects.exists()
    lost = api.post(f"{INSTRUMENTS}nothing/tutorials/", tutorial(), format="json")
    assert lost.status_code == 404
