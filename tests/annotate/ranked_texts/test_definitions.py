"""Instruments that rank: what a definition may say, and what the form makes of it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common.schemas import Refused
from annotate.instruments.base import Material
from annotate.instruments.rating.instrument import READY, Rating, as_data, read_definition
from annotate.models import InstrumentDefinition
from annotate.studies import definitions
from tests.annotate.ranked_texts.studies import ranking
from tests.annotate.researcher import owner_of
from tests.annotate.studies.test_instrument_form import PAGE, posted, sent

SLIDER = {
    "name": "fluent",
    "kind": "slider",
    "label": "Fluency",
    "question": "How fluent?",
    "left": "Not",
    "right": "Very",
}
REASON = {"name": "why", "kind": "text", "label": "Reason", "question": "Why?"}


@pytest.mark.parametrize(
    ("definition", "path"),
    [
        (ranking(SLIDER), "criteria[1].kind"),
        (ranking(compares=True), "compares"),
        (ranking(shows_others=True), "shows_others"),
        (ranking(example={"text": "One."}), "example.second"),
        (ranking(REASON | {"name": "order"}), "criteria[1].name"),
        (ranking(REASON | {"name": "systems"}), "criteria[1].name"),
        (
            ranking(REASON | {"only_if": {"question": "rank", "values": [1]}}),
            "criteria[1].only_if",
        ),
    ],
)
def test_what_does_not_go_with_a_ranking_is_refused(definition: dict[str, Any], path: str) -> None:
    with pytest.raises(Refused) as refused:
        read_definition(definition)
    assert path in {one.path for one in refused.value.problems}


def test_the_best_place_is_always_the_first() -> None:
    whole = ranking()
    whole["criteria"][0]["higher_is_better"] = False
    with pytest.raises(Refused, match="place 1"):
        read_definition(whole)


@pytest.mark.parametrize("best_only", [False, True])
def test_a_definition_comes_back_as_it_was_written(best_only: bool) -> None:
    whole = ranking(REASON, best_only=best_only)
    assert as_data(read_definition(whole)) == {"language": "en", "minutes": "1–3"} | whole


@pytest.mark.parametrize("name", ["ready:best_of_n", "ready:ranking"])
def test_ready_made_rankings_show_both_texts_of_their_example(name: str) -> None:
    asked = Rating(read_definition(READY[name]))
    assert asked.ranks
    assert [one.text for one in asked.example.side_by_side] == [
        READY[name]["example"]["text"],
        READY[name]["example"]["second"],
    ]
    assert not any(one.is_rated for one in asked.example.side_by_side)


def test_a_score_says_its_scale() -> None:
    told = [
        Rating(read_definition(ranking(best_only=best))).criteria[0].scale_text
        for best in (False, True)
    ]
    assert told == [
        "from 0 to 1: the share of the other systems that it beats; a tie counts half",
        "from 0 to 1: the share of items in which its text is the best one",
    ]


def test_scores_of_an_item_have_the_mean_one_half() -> None:
    """Whatever the places and however many systems wrote each text: they are shares of wins."""
    asked = Rating(read_definition(ranking()))
    for places in ([1, 2], [2, 1, 1], [1, 1, 1, 1], [3, 1, 2, 3, 2, 1]):
        for systems in ([1] * len(places), [2] + [1] * (len(places) - 1)):
            response = {"rank": places, "systems": systems, "order": list(range(len(places)))}
            scores = list(asked.scores(response, material=Material("")).values())
            total = sum(score * n for score, n in zip(scores, systems, strict=True))
            assert total == pytest.approx(sum(systems) / 2)
            assert all(0 <= score <= 1 for score in scores)


@pytest.mark.orm
@pytest.mark.django_db
def test_the_form_stores_a_ranking(ada: Client) -> None:
    definitions.define(ranking(), owner_id=owner_of(ada).pk)
    given = sent(ada.get(PAGE, {"from": "ranking@1"}))
    given["c0-best_only"] = "on"
    assert posted(ada, given).status_code == 302
    made = InstrumentDefinition.objects.get(version=2)
    assert made.definition["criteria"][0]["kind"] == "rank"
    assert made.definition["criteria"][0]["best_only"] is True


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("best_only", [False, True])
def test_the_preview_offers_a_place_for_each_text(ada: Client, best_only: bool) -> None:
    definitions.define(ranking(best_only=best_only), owner_id=owner_of(ada).pk)
    page = ada.get(reverse("annotate:instrument-preview", args=["ranking", "1"]))
    html = page.content.decode()
    assert "Text 1 of 2" in html
    assert "rate this one" not in html
    assert html.count('type="radio"') == (6 if best_only else 36)
