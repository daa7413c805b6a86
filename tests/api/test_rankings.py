"""A ranking through the API: asked for, and given with its places, pairs and what is missing."""

import pytest

from annotate.models import Campaign
from estimation.models import Comparison, Decision
from tests.annotate import comparing
from tests.estimation.ranked import pair
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
CAMPAIGNS = "/api/v1/campaigns/"
ROWS = [{"item": f"i{i}", "system": s, "output": f"{s} {i}"} for i in range(4) for s in "abc"]
ASKED = {"name": "News", "stop_mode": "ranking", "margins": {"overall": 0.3}, "outputs": ROWS}


@pytest.fixture
def made(api, ada) -> Campaign:
    study = campaign(
        owner=ada,
        systems=("a", "b", "c"),
        stop_mode="ranking",
        targets={},
        margins={"overall": 0.3},
        planned_items=50,
    )
    pair(study, "a", "b", 0.4)
    pair(study, "a", "c", 0.5)
    pair(study, "b", "c", 0.1, outcome="open", needs="items", items_needed=130)
    return study


def test_it_is_asked_for_with_margins(api):
    answer = api.post(CAMPAIGNS, ASKED, format="json")
    assert answer.status_code == 201, answer.json()
    told = answer.json()
    assert (told["stop_mode"], told["margins"]) == ("ranking", {"overall": 0.3})
    assert told["targets"] == {}
    assert told["planned_items"] == 4  # no more than there are
    refused = api.post(CAMPAIGNS, ASKED | {"targets": {"overall": 0.2}}, format="json")
    assert refused.status_code == 422
    assert "margins in place of target widths" in refused.content.decode()


def test_a_campaign_that_ranks_nothing_has_none(api, made):
    other = campaign(owner=made.memberships.get(role="owner").user)
    refused = api.get(f"{CAMPAIGNS}{other.public_id}/ranking/")
    assert (refused.status_code, "not a ranking" in refused.content.decode()) == (404, True)


def test_places_pairs_and_what_would_settle_the_rest(api, made):
    told = api.get(f"{CAMPAIGNS}{made.public_id}/ranking/").json()
    assert (told["level"], told["planned_items"], told["is_final"]) == (0.95, 50, False)
    (found,) = told["rankings"]
    assert (found["criterion"], found["margin"]) == ("overall", 0.3)
    assert [(one["system"], one["place"]) for one in found["places"]] == [
        ("a", "1"),
        ("b", "2–3"),
        ("c", "2–3"),
    ]
    decided, _, undecided = found["pairs"]
    assert (decided["better"], decided["outcome"], decided["needs"]) == ("a", "first", "")
    assert decided["low"] == pytest.approx(0.15)
    assert (undecided["better"], undecided["needs"], undecided["more_items"]) == ("", "items", 70)
    assert told["settles"] == (
        "The pair furthest from a decision is b and c: about 70 more items of each decide it if "
        "their difference stays as it is."
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"needs": "people"},
            "Ask more people: they differ so much about 1 open pair that more items by the same "
            "people do not decide.",
        ),
        (
            {"needs": "neither"},
            "The pair furthest from a decision is b and c: all 400 items may not decide it, "
            "because its difference is near half the margin (0.15), or its scores vary a lot.",
        ),
    ],
)
def test_people_or_a_margin_may_be_what_is_missing(api, made, change, says):
    pair(made, "b", "c", 0.1, outcome="open", **change)
    assert api.get(f"{CAMPAIGNS}{made.public_id}/ranking/").json()["settles"] == says


def test_too_few_people_are_named(api, made):
    pair(made, "b", "c", 0.1, outcome="open", needs="people")
    last = Comparison.objects.order_by("pk").last()
    Comparison.objects.filter(pk=last.pk).update(effective_annotators=3.2)
    told = api.get(f"{CAMPAIGNS}{made.public_id}/ranking/").json()["settles"]
    assert told == (
        "Ask more people: 1 open pair rests on the work of 3.2 effective annotators, and a "
        "decision takes 5."
    )


def test_the_better_system_of_a_low_score(api, ada):
    study = campaign(
        owner=ada, systems=("a", "b"), stop_mode="ranking", targets={}, margins={"edit": 0.3}
    )
    pair(study, "a", "b", 0.4)
    Comparison.objects.update(criterion="edit")
    (found,) = api.get(f"{CAMPAIGNS}{study.public_id}/ranking/").json()["rankings"]
    assert found["pairs"][0]["better"] == "b"
    assert [one["system"] for one in found["places"]] == ["b", "a"]


def test_comparisons_and_decisions_say_what_was_decided(api, made):
    decision = Decision.objects.create(campaign=made, verb="close", reason="ranked", text="Done.")
    for row in Comparison.objects.order_by("-id"):
        decision.comparisons.add(row)
    address = f"{CAMPAIGNS}{made.public_id}"
    rows = api.get(f"{address}/comparisons/").json()["results"]
    assert [row["outcome"] for row in rows] == ["first", "first", "open"]
    (told,) = api.get(f"{address}/decisions/").json()["results"]
    assert told["comparisons"] == [row["id"] for row in rows]


def test_pairs_judged_side_by_side_have_places_too(api, ada):
    made = comparing.ranked(items=6, owner=ada)
    known = {"A vs. B": "first", "A vs. C": "first", "B vs. C": "open"}
    comparing.decide(made, known, needs="items", items_needed=130)
    told = api.get(f"/api/v1/campaigns/{made.public_id}/ranking/").json()
    (one,) = told["rankings"]
    places = [(place["system"], place["place"], place["estimate"]) for place in one["places"]]
    assert places == [("A", "1", None), ("B", "2–3", None), ("C", "2–3", None)]
    assert [(p["first"], p["second"], p["outcome"]) for p in one["pairs"]] == [
        ("A", "B", "first"),
        ("A", "C", "first"),
        ("B", "C", "open"),
    ]
    assert one["pairs"][0]["low"] == pytest.approx(0.3)
    assert one["pairs"][2]["more_items"] == 70
    assert told["settles"] == (
        "The pair furthest from a decision is B vs. C: about 70 more items decide it if the "
        "preference stays as it is."
    )
    rows = api.get(f"/api/v1/campaigns/{made.public_id}/estimates/").json()["results"]
    assert [row["outcome"] for row in rows] == ["first", "first", "open"]
    report = api.get(f"/api/v1/campaigns/{made.public_id}/report/").json()
    assert report["rankings"][0]["places"] == {"A": "1", "B": "2–3", "C": "2–3"}
