"""Gold items of a comparison: two texts, of which one is better beyond doubt."""

import pytest
from django.urls import reverse

from annotate.campaigns import life
from annotate.campaigns.problems import Row
from annotate.common.errors import Invalid
from annotate.instruments import base as instruments_base
from annotate.models import GoldAnswer
from annotate.review import gold, gold_queries
from annotate.studies import queries as studies_queries
from annotate.work import submitting
from annotate.work import task as work_task
from tests.annotate.comparing import compared
from tests.annotate.gold.study import planted
from tests.factories import campaign, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

GIVEN = {"item": "g1", "output": "The mayor mayor opened.", "second": "The mayor opened it."}
REFERENCE = (
    "The council met on Monday, and its members spoke about the old bridge. "
    "They will meet again in three weeks."
)


def referenced() -> list[Row]:
    return [
        Row(f"i{n}", name, f"{name} wrote {n}.", reference=f"{REFERENCE} It was meeting {n}.")
        for n in range(6)
        for name in "AB"
    ]


def test_an_item_of_a_file_has_two_texts():
    study = compared(is_open=False)
    rows = [{**GIVEN, "expected": {"preference": [-1, -2]}}]
    [item] = gold.add(study.pk, gold.from_data({"gold": rows}), actor_id=None)
    assert instruments_base.parts(item.text) == (GIVEN["output"], GIVEN["second"])


def test_one_text_is_refused():
    study = compared(is_open=False)
    row = {"item": "g1", "output": "One text.", "expected": {"preference": [-1]}}
    with pytest.raises(Invalid) as refused:
        gold.add(study.pk, gold.from_data({"gold": [row]}), actor_id=None)
    assert refused.value.errors["g1"].startswith("has no “second” text")


def test_a_second_text_is_refused_where_one_is_shown():
    study = campaign(is_open=False)
    row = {**GIVEN, "expected": {"overall": [-1]}}
    with pytest.raises(Invalid) as refused:
        gold.add(study.pk, gold.from_data({"gold": [row]}), actor_id=None)
    assert refused.value.errors["g1"].startswith("has a second text")


def test_the_page_shows_what_was_planted_beside_the_clean_text(client):
    owner = user()
    study = compared(referenced(), owner=owner, is_open=False)
    planted(study, pair=True)
    client.force_login(owner)
    page = client.get(reverse("annotate:gold", args=[study.public_id])).content.decode()
    assert page.count("<ins>") == 2


def test_right_in_either_order():
    study = compared(referenced(), is_open=False, gold_share=12)
    rows = [
        {"item": f"g{n}", "output": f"Good {n}.", "second": f"Bad bad {n}.", "expected": right}
        for n, right in enumerate([{"preference": [2, 1]}] * 12)
    ]
    gold.add(study.pk, gold.from_data({"gold": rows}), actor_id=None)
    life.open_(study.pk)
    seen = set()
    for name in ("p1", "p2"):
        who = person(study, name)
        for _task in range(4):
            assignment = leased(who)
            material = work_task.judgment_material(assignment)
            good = material.pair[0].startswith(("Good", "A"))
            raw = {"preference": 1 if good else -1}
            submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw=raw)
            if assignment.gold_id:
                seen.add(material.turned)
    instrument = studies_queries.instrument_of(study)
    answers = GoldAnswer.objects.filter(campaign=study).select_related("assignment__gold")
    assert answers
    for one in answers:
        assert instruments_base.is_right(instrument, one.assignment.gold.expected, one.response)
        # A reviewer reads the answer for the order in which the item stands beside it.
        [task, *_rest] = gold_queries.of_person(study, one.annotator_id).tasks
        assert task.said == "Preference: First, slightly"
