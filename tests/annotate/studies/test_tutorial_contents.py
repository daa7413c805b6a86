"""Tutorials that researchers supply: stored whole, chosen for a campaign."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotate.campaigns import plans
from annotate.common.errors import Invalid
from annotate.instruments import tutorials as instruments_tutorials
from annotate.instruments.tutorials import Choice
from annotate.models import TutorialContent
from annotate.studies import definitions, tutorials
from annotate.studies import queries as studies_queries
from tests.annotate.own import HELPFUL, asked_rows
from tests.annotate.researcher import created, owner_of, tried
from tests.factories import campaign, plan, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAGE = "/instruments/language_quality/tutorials/"


def own(**changes: Any) -> dict[str, Any]:
    return json.loads(tutorials.tutorial_file("language_quality", "en")) | changes


def store(owner: Any, **changes: Any) -> TutorialContent:
    return definitions.store_tutorial(
        own(**changes), reference="language_quality", owner_id=owner.pk
    )


def test_the_list_says_what_and_whose_it_is_and_where_it_is_used() -> None:
    ada = user()
    made = store(ada, title="Ours")
    campaign(owner=ada, tutorial=True, tutorial_id=made.pk)
    (row,) = studies_queries.tutorials_listed("language_quality", ada.pk)
    assert (row.title, row.owner, row.mine, row.campaigns) == ("Ours", ada, True, 1)
    assert row.n_questions == len(own()["questions"])
    assert studies_queries.tutorials_listed("answer_correctness", ada.pk) == []


def test_a_process_reads_the_same_content_once_for_the_same_questions() -> None:
    made, instrument = store(user()), studies_queries.get_instrument("language_quality")
    first = studies_queries.tutorial_of(made.pk, instrument)
    assert studies_queries.tutorial_of(made.pk, instrument) is first
    criteria = [replace(one, question="Is it so?") for one in instrument.criteria]
    other = instruments_tutorials.stored_tutorial(
        made.content, instrument=instrument.key, criteria=criteria
    )
    chosen = [one for one in other.samples if isinstance(one, Choice) and one.criterion]
    assert {one.ask for one in chosen} == {"Is it so?"}


def test_a_tutorial_of_another_instrument_is_refused_in_the_plan() -> None:
    ada = user()
    made = store(ada)
    definitions.define(HELPFUL, owner_id=ada.pk)
    for wrong in (
        plan(tutorial_id=999_999),
        plan(instrument="helpfulness", targets={"helpful": 0.4}, tutorial_id=made.pk),
    ):
        with pytest.raises(Invalid) as caught:
            plans.check(wrong)
        assert set(caught.value.errors) == {"tutorial_id"}


def test_an_own_tutorial_is_required_where_the_instrument_has_none() -> None:
    ada = user()
    definitions.define(HELPFUL, owner_id=ada.pk)
    example = {
        "kind": "example",
        "key": "look",
        "section": "Look",
        "prompt": "Look at this.",
        "steps": [{"title": "One", "text": "See."}],
    }
    content = {
        "instrument": "helpfulness",
        "version": "1",
        "language": "en",
        "questions": [example],
    }
    made = definitions.store_tutorial(content, reference="helpfulness", owner_id=ada.pk)
    asked = {"instrument": "helpfulness", "targets": {"helpful": 0.4}, "tutorial": True}
    assert campaign(**asked, tutorial_id=made.pk, rows_=asked_rows()).tutorial_required
    assert not campaign(**asked, rows_=asked_rows()).tutorial_required


def test_one_is_supplied_and_downloaded_in_the_browser(ada: Client) -> None:
    built_in = ada.get(f"{PAGE}en.json")
    assert json.loads(built_in.content) == own()
    page = ada.post(PAGE, {"definition": json.dumps(own(title="<i>Ours</i>"))}, follow=True)
    assert "The tutorial is stored." in page.content.decode()
    assert "&lt;i&gt;Ours&lt;/i&gt;" in page.content.decode()
    made = TutorialContent.objects.get()
    assert json.loads(ada.get(f"{PAGE}{made.pk}.json").content) == own(title="<i>Ours</i>")
    for gone in (
        f"{PAGE}xx.json",
        f"{PAGE}999.json",
        "/instruments/nothing/tutorials/",
        f"/instruments/answer_correctness/tutorials/{made.pk}.json",
    ):
        assert ada.get(gone).status_code == 404, gone


@pytest.mark.slow
def test_a_campaign_takes_it_or_none(ada: Client) -> None:
    made = store(owner_of(ada))
    for given, stored in ((str(made.pk), made.pk), ("none", None)):
        fields = {"tutorial": given, "tutorial_bonus": "1.25", "name": f"With {given}"}
        study = created(ada, **fields)
        assert (study.tutorial_id, str(study.tutorial_bonus)) == (stored, "1.25")
        assert study.tutorial_required is (stored is not None)
    refused = tried(ada, tutorial="999999")
    assert list(refused.context["form"].errors) == ["tutorial"]
