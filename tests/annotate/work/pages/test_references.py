"""The reference beside the text: shown in campaigns that ask for it, wherever the input is."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns.problems import Row
from annotate.models import Campaign
from annotate.review import gold
from annotate.studies import tutorials as studies_tutorials
from annotate.work import picking
from tests import factories
from tests.annotate.researcher import owner_of
from tests.annotate.work.pages.working import work_url
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

REFERENCE = "The **bridge** is closed."
HEADING = "<summary>Reference</summary>"
FORMS = {"input_form": "markdown"}
DRAWN = "The <strong>bridge</strong> is closed."


def rows(**changes: Any) -> list[Row]:
    return [replace(row, reference=REFERENCE, **changes) for row in factories.rows()]


def task(client: Client, made: Campaign) -> str:
    return client.get(work_url(person(made))).content.decode()


@pytest.mark.parametrize("shown", [True, False])
def test_a_task_shows_the_reference_that_is_asked_for(client: Client, *, shown: bool) -> None:
    page = task(client, campaign(rows_=rows(), shows_reference=shown))
    assert (HEADING in page, REFERENCE in page) == (shown, shown)


def test_nobody_sees_it_unless_it_is_asked_for(client: Client) -> None:
    assert not campaign(rows_=rows()).shows_reference


def test_a_german_page_has_a_german_heading(client: Client) -> None:
    page = task(client, campaign(rows_=rows(), shows_reference=True, language="de"))
    assert "<summary>Referenz</summary>" in page


@pytest.mark.parametrize("empty", ["", " \u200b\n"])
def test_an_item_without_a_reference_has_no_heading(client: Client, empty: str) -> None:
    bare = [replace(row, reference=empty) for row in factories.rows()]
    assert HEADING not in task(client, campaign(rows_=bare, shows_reference=True))


@pytest.mark.parametrize(
    ("form", "seen"), [("plain", REFERENCE), ("markdown", DRAWN), ("chat", REFERENCE)]
)
def test_it_has_the_form_of_inputs_unless_those_are_chats(
    client: Client, form: str, seen: str
) -> None:
    page = task(client, campaign(rows_=rows(), shows_reference=True, input_form=form))
    assert seen in page
    assert "cannot be formatted" not in page


def test_the_next_task_and_a_correction_show_it(client: Client) -> None:
    who = person(campaign(rows_=rows(), shows_reference=True))
    judge(who)
    assert HEADING in client.get(work_url(who)).content.decode()
    assert HEADING in client.get(f"{work_url(who)}correct/").content.decode()


def test_comparisons_show_it_once(client: Client) -> None:
    plan = {"instrument": "preference", "targets": {"preference": 0.4}, "metrics": ()}
    page = task(client, campaign(rows_=rows(input="Why?"), shows_reference=True, **plan))
    assert page.count(REFERENCE) == 1
    assert page.index("What was asked for") < page.index(HEADING) < page.index('class="pair"')


@pytest.mark.parametrize("shown", [True, False])
def test_it_stands_beside_a_question_and_its_answer(client: Client, *, shown: bool) -> None:
    given = rows(input="Why is it closed?", paragraphs=("It has cracks.",))
    plan = {"instrument": "answer_correctness", "targets": {"avg_correct": 0.4}, "metrics": ()}
    page = task(client, campaign(rows_=given, shows_reference=shown, **plan))
    assert ("<dt>Reference</dt>" in page, REFERENCE in page) == (shown, shown)


@pytest.mark.parametrize("shown", [True, False])
def test_reviewers_see_the_reference_that_a_person_saw(ada: Client, *, shown: bool) -> None:
    made = campaign(owner=owner_of(ada), rows_=rows(), shows_reference=shown, **FORMS)
    who = person(made)
    judge(who)
    url = reverse("annotate:review", args=[made.public_id, who.annotator.pseudonym])
    page = ada.get(url).content.decode()
    assert (HEADING in page, DRAWN in page) == (shown, shown)


def test_an_item_has_it_in_its_form_for_researchers(ada: Client) -> None:
    made = campaign(owner=owner_of(ada), rows_=rows(), **FORMS)
    page = ada.get(reverse("annotate:item", args=[made.public_id, 1])).content.decode()
    assert DRAWN in page


def test_gold_has_a_reference_of_its_own(client: Client) -> None:
    """Otherwise its lack would tell people that the task is gold."""
    made = campaign(rows_=rows(), shows_reference=True, is_open=False)
    one = {"item": "a", "output": "The the.", "expected": {"fluency": [-1]}, "reference": "Ours."}
    gold.add(made.pk, gold.from_file(json.dumps([one])), actor_id=None)
    told = gold.instruct(made.pk, question="fluency", value=-1, actor_id=None)
    assert [item.reference for item in made.gold.all()] == ["Ours.", REFERENCE]
    assert told.text.startswith(REFERENCE)
    gold.set_share(made.pk, 12, actor_id=None)
    factories.change(made, status=Campaign.Status.OPEN)
    who = person(made)
    factories.lease_gold(who, picking.Picked(None, gold_id=made.gold.all()[0].pk))
    page = client.get(work_url(who)).content.decode()
    assert (HEADING in page, "Ours." in page) == (True, True)


@pytest.mark.parametrize("key", ["preference", "language_quality", "answer_correctness"])
def test_tutorial_questions_can_show_one(ada: Client, key: str) -> None:
    whole = json.loads(studies_tutorials.tutorial_file(key, "en"))
    for one in whole["questions"]:
        one |= {} if one["kind"] == "edit" else {"reference": "It is <open>."}
    kinds = [one["kind"] for one in whole["questions"]]
    for kind in ("example", "choice"):
        body = {"definition": json.dumps(whole), "question": str(kinds.index(kind) + 1)}
        page = ada.post(f"/instruments/{key}/tutorials/preview/", body)
        assert page.context["question"].kind == kind
        assert page.content.decode().count(">It is &lt;open&gt;.</") == 1
        assert "Reference</" in page.content.decode()
