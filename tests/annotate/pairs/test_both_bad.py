"""“Both are bad”: an answer about two texts that scores as a tie and is counted by itself."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from django.utils.html import strip_tags
from rest_framework.test import APIClient

from annotate.common.errors import Invalid
from annotate.common.schemas import Refused
from annotate.instruments import base as instruments_base
from annotate.instruments.base import InvalidResponse, Material
from annotate.instruments.preference.instrument import FIRST_VERSION, Preference
from annotate.instruments.rating.instrument import Rating, as_data, read_definition
from annotate.models import Campaign, Judgment, Score
from annotate.studies import queries as studies_queries
from annotate.work import scoring, submitting
from estimation import refresh
from estimation.models import Estimate
from tests.annotate.comparing import BAD, RANKING, compared, prefer, rows
from tests.annotate.own import helpful
from tests.estimation.verifying.worlds import files_of
from tests.factories import person, user
from tests.reviewed import joined, logged_in

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAIR = instruments_base.joined("a", "b")


def own(**changes: Any) -> dict[str, Any]:
    """Return a definition of one's own with two questions, of which the first takes the answer."""
    levels = [{"value": v, "label": str(v), "cue": "x"} for v in (1, 0, -1)]
    criteria = [
        {"name": name, "label": name.title(), "question": "Which?", "levels": levels}
        for name in ("better", "kinder")
    ]
    criteria[0] |= {"both_bad": True, **changes}
    example = {"text": "One.", "second": "Two."}
    return helpful(criteria=criteria, compares=True, example=example, input_label="")


def refusal(data: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(Refused) as caught:
        read_definition(data)
    return {one.path: one.message for one in caught.value.problems}


# --- the answer


@pytest.mark.parametrize("turned", [False, True])
def test_it_is_a_tie_with_a_mark_in_either_order(turned: bool) -> None:
    asked, material = Preference(), Material(PAIR, turned=turned)
    stored = asked.check({"preference": BAD}, material=material)
    assert stored == {"preference": 0, "turned": turned, "both_bad": ["preference"]}
    bad = {"preference": 0, "preference_wins": 0.5, "preference_both_bad": 1}
    assert asked.scores(stored, material=material) == bad
    assert asked.recalled(stored) == asked.answered(stored) == "Preference: Both are bad"
    (question,) = asked.questions()
    assert asked.said(question, stored) == "Both are bad"
    assert asked.reopened(stored) == {"preference": BAD}
    same = asked.check({"preference": 0}, material=material)
    assert same == {"preference": 0, "turned": turned}
    assert asked.scores(same, material=material) == bad | {"preference_both_bad": 0}
    assert asked.answered(same) == "Preference: About the same"
    assert asked.answers(stored) == asked.answers(same), "screens and agreement see a tie"


def test_it_stands_beside_the_tie_and_has_a_key() -> None:
    (question,) = Preference().definition.criteria
    assert [value for value, _label, _cue in question.offered] == [2, 1, 0, BAD, -1, -2]
    assert Preference().definition.digits == (1, 2, 3, 4, 5, 6)
    with translation.override("de"):
        assert "Keiner ist gut" in [label for _value, label, _cue in question.offered]


def test_the_first_version_goes_on_without_it() -> None:
    study = compared(rows(6, "AB"), double_share=0)
    assert study.instrument_version == "2"
    prefer(person(study, "p1"), BAD)
    Campaign.objects.update(instrument_version="1")
    study.refresh_from_db()
    first = studies_queries.instrument_of(study)
    assert [one.name for one in first.criteria] == ["preference", "preference_wins"]
    assert first.definition == FIRST_VERSION
    assert first.definition.digits == (1, 2, 3, 4, 5)
    with pytest.raises(InvalidResponse, match="one of its levels"):
        first.check({"preference": BAD}, material=Material(PAIR))
    assert first.scores({"preference": 0, "turned": False}, material=Material(PAIR)) == {
        "preference": 0,
        "preference_wins": 0.5,
    }
    assert prefer(person(study, "p1"), 1).instrument_version == "1"
    refresh.refresh(study.pk)
    assert scoring.differences(study.pk) == [], "each judgment by its own version"
    found = dict(Score.objects.values_list("criterion").distinct().values_list("criterion", "pk"))
    assert "preference_both_bad" in found
    assert not Estimate.objects.filter(criterion="preference_both_bad").exists()


# --- where it is shown


@pytest.fixture
def judged() -> Campaign:
    study = compared(rows(12, "AB"), owner=user("ada"), annotator_cap=None, double_share=0)
    for n, level in enumerate((BAD, 0, 1, BAD, 2, -1, BAD, 0, BAD, 1, 2, 0)):
        prefer(person(study, f"p{n % 4}"), level)
    refresh.refresh(study.pk)
    return study


def test_its_share_is_estimated(judged: Campaign) -> None:
    found = Estimate.objects.filter(campaign=judged, criterion="preference_both_bad").latest("pk")
    assert found.estimate == pytest.approx(4 / 12)
    assert found.detail["answers"] == [[0.0, 8], [1.0, 4]]
    preference = Estimate.objects.filter(campaign=judged, criterion="preference").latest("pk")
    assert [0.0, 7] in preference.detail["answers"]


def test_item_page_and_reviewers_tell_it_from_a_tie(judged: Campaign) -> None:
    eve = joined(judged)
    for level, said in ((["preference"], "Both are bad"), (None, "About the same")):
        ties = Judgment.objects.filter(response__preference=0)
        one = (
            ties.filter(response__both_bad=level)
            if level
            else ties.exclude(response__has_key="both_bad")
        )
        number = one.first().output.item.position + 1
        for who in (User.objects.get(username="ada"), eve):
            page = strip_tags(
                logged_in(who)
                .get(f"/campaigns/{judged.public_id}/items/{number}/")
                .content.decode()
            )
            others = {"Both are bad", "About the same"} - {said}
            assert said in page
            assert not any(other in page for other in others)


def test_api_and_export_have_the_mark_and_its_score(judged: Campaign) -> None:
    api = APIClient()
    api.force_authenticate(User.objects.get(username="ada"))
    listed = api.get(f"/api/v1/campaigns/{judged.public_id}/judgments/").json()["results"]
    marked = [one for one in listed if one["response"].get("both_bad") == ["preference"]]
    assert len(marked) == 4
    assert {one["response"]["preference"] for one in marked} == {0}
    assert {one["scores"]["preference_both_bad"] for one in marked} == {1}
    found = next(data for name, data in files_of(judged).items() if name.endswith("scores.csv"))
    table = csv.DictReader(StringIO(found.decode()))
    scores = [float(r["score"]) for r in table if r["criterion"] == "preference_both_bad"]
    assert sorted(scores) == [0.0] * 8 + [1.0] * 4


def test_a_correction_takes_it_back() -> None:
    study = compared(rows(6, "AB"), double_share=0)
    first = prefer(person(study, "p1"), BAD)
    submitting.supersede(first.pk, response={"preference": 1, "turned": first.response["turned"]})
    last = Judgment.objects.get(supersedes=first)
    assert "both_bad" not in last.response


def test_the_report_names_it_among_the_answers(judged: Campaign) -> None:
    client = logged_in(User.objects.get(username="ada"))
    page = client.get(f"/campaigns/{judged.public_id}/report/").content.decode()
    assert "How often people say that both texts are bad, which scores as a tie" in page


# --- plans


def test_it_has_widths_and_no_margin() -> None:
    assert compared(rows(), targets={"preference_both_bad": 0.2}).pk
    margins = {"preference_both_bad": 0.2}
    with pytest.raises(Invalid, match="says nothing about which text is better"):
        compared(rows(), **RANKING | {"margins": margins})


# --- instruments of one's own


def test_own_comparisons_offer_it_by_question() -> None:
    asked = Rating(read_definition(own()))
    assert [one.name for one in asked.criteria] == [
        *("better", "better_wins", "better_both_bad"),
        *("kinder", "kinder_wins"),
    ]
    material = Material(PAIR, turned=True)
    stored = asked.check({"better": BAD, "kinder": 1}, material=material)
    assert stored == {"better": 0, "kinder": -1, "turned": True, "both_bad": ["better"]}
    assert asked.reopened(stored) == {"better": BAD, "kinder": 1}
    with pytest.raises(InvalidResponse):
        asked.check({"better": 1, "kinder": BAD}, material=material)
    assert as_data(asked.definition)["criteria"] == own()["criteria"]


def test_where_it_has_no_place_it_is_refused() -> None:
    two = [{"value": v, "label": str(v), "cue": "x"} for v in (1, -1)]
    at = "criteria[0].both_bad"
    assert "level 0" in refusal(own(levels=two))[at]
    named = own()
    named["criteria"][1]["name"] = "both_bad"
    assert "rename a question" in refusal(named)[at]
    alone = own() | {"compares": False, "example": {"text": "One."}}
    assert refusal(alone) == {at: "Belongs to a comparison of two texts."}


def test_a_question_of_that_name_goes_on() -> None:
    data = own(both_bad=False)
    data["criteria"][1]["name"] = "both_bad"
    asked = Rating(read_definition(data))
    stored = asked.check({"better": 1, "both_bad": -1}, material=Material(PAIR))
    assert stored == {"better": 1, "both_bad": -1, "turned": False}
    assert asked.reopened(stored) == {"better": 1, "both_bad": -1}
    assert asked.scores(stored, material=Material(PAIR))["both_bad"] == -1


def test_the_form_of_instruments_has_a_box_for_it(client: Client) -> None:
    client.force_login(user("ada"))
    fields = {"act": "save", "c": "1", "s": "0", "c0-kind": "choice", "c0-ln": "3"}
    fields |= {"label": "Better", "task": "Compare.", "about": "You compare.", "compares": "on"}
    fields |= {"example-text": "One.", "example-second": "Two.", "c0-both_bad": "on"}
    fields |= {"c0-label": "Better", "c0-question": "Which?"}
    for n in range(3):
        fields |= {f"c0-l{n}-value": f"{1 - n}", f"c0-l{n}-label": f"L{n}", f"c0-l{n}-cue": "x"}
    wrong = client.post("/instruments/form/", fields | {"c0-l1-value": "5"})
    assert "“both are bad”: Needs a level 0" in strip_tags(wrong.content.decode())
    assert client.post("/instruments/form/", fields).status_code == 302
    definition = studies_queries.get_instrument("better").definition
    assert definition.criteria[0].both_bad
