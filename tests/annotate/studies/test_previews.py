"""Researchers look at instruments and tutorials as annotators see them; nothing is stored."""

import json
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from annotate.instruments import registry
from annotate.instruments.base import VERDICTS
from annotate.studies import definitions, tutorials
from tests.annotate.own import HELPFUL, helpful
from tests.annotate.researcher import owner_of

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

QUALITY, CORRECTNESS = "/instruments/language_quality/", "/instruments/answer_correctness/"
TUTORIAL, GRADE = f"{QUALITY}tutorials/en/preview/", f"{QUALITY}tutorials/grade/"
DRAFT, TUTORIAL_DRAFT = "/instruments/new/preview/", f"{QUALITY}tutorials/preview/"


def content(**changes: Any) -> dict[str, Any]:
    return json.loads(tutorials.tutorial_file("language_quality", "en")) | changes


def rows() -> dict[str, int]:
    """How many rows each of our tables has."""
    ours = [
        *apps.get_app_config("annotate").get_models(),
        *apps.get_app_config("estimation").get_models(),
    ]
    return {model.__name__: model._default_manager.count() for model in ours}


def graded(client: Client, question: str, response: Any, **changes: Any) -> Any:
    body = {"tutorial": content(), "question": question, "response": response} | changes
    return client.post(GRADE, json.dumps(body), content_type="application/json")


def text(client: Client, address: str, **query: str) -> str:
    answer = client.get(address, query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("address", [DRAFT, TUTORIAL_DRAFT, GRADE])
def test_drafts_and_answers_ask_for_a_login(client: Client, address: str) -> None:
    answer = client.post(address, {"definition": json.dumps(HELPFUL)})
    assert answer.status_code == 403
    assert "Your session has ended" in answer.content.decode()


def test_an_answer_needs_the_token_against_forgery(ada: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = ada.cookies
    assert graded(strict, "1", {"value": 1}).status_code == 403


def test_an_instrument_is_seen_as_annotators_see_it(ada: Client) -> None:
    definitions.define(HELPFUL, owner_id=owner_of(ada).pk)
    definitions.define(helpful(task="The second task."), owner_id=owner_of(ada).pk)
    before = rows()
    first = text(ada, "/instruments/helpfulness/1/preview/")
    assert HELPFUL["task"] in first
    assert HELPFUL["example"]["text"] in first
    assert "unpaid" not in first
    assert "The second task." in text(ada, "/instruments/helpfulness/2/preview/")
    assert 'lang="de"' in text(ada, f"{QUALITY}1/preview/", language="de")
    assert "ferry" in text(ada, f"{CORRECTNESS}1/preview/")
    assert rows() == before


@pytest.mark.parametrize(
    "address",
    [
        "/instruments/nothing/1/preview/",
        f"{QUALITY}99/preview/",
        f"{QUALITY}tutorials/xx/preview/",
        f"{QUALITY}tutorials/999/preview/",
        "/instruments/recorded_language_quality/1/preview/",
    ],
)
def test_what_is_not_there_is_told(ada: Client, address: str) -> None:
    assert ada.get(address).status_code == 404


def test_a_definition_is_seen_before_it_is_stored(ada: Client) -> None:
    before = rows()
    page = ada.post(DRAFT, {"definition": json.dumps(HELPFUL)})
    assert HELPFUL["task"] in page.content.decode()
    assert "It is not stored yet" in page.content.decode()
    refused = ada.post(DRAFT, {"definition": json.dumps(helpful(key="Bad Key"))})
    assert refused.status_code == 422
    assert "<code>key</code>" in refused.content.decode()
    assert ada.post(DRAFT, {"definition": ""}).status_code == 422
    assert rows() == before


def samples(key: str) -> tuple[Any, ...]:
    tutorial = registry.get(key).tutorial("en")
    assert tutorial is not None
    return tutorial.samples


@pytest.mark.slow
def test_each_version_comes_with_what_annotators_are_told(ada: Client) -> None:
    before = rows()
    asked = samples("language_quality")
    questions = [one for one in enumerate(asked, 1) if one[1].kind != "example"]
    for number, question in [*questions[::7], questions[-1]]:
        page = ada.get(TUTORIAL, {"question": str(number)})
        answers = [one for _title, some in page.context["told"] for one in some]
        said = [sentence for _answer, _accepted, sentence in answers]
        feedback = question.feedback
        assert set(said) >= {*(feedback.values() if isinstance(feedback, dict) else [feedback])}
        assert any(accepted for _answer, accepted, _sentence in answers)
        assert (page.context["previous"], page.context["following"]) == (
            number - 1,
            number + 1 if number < len(asked) else 0,
        )
    for odd in ("0", "-1", "x", "999", "9" * 500):
        assert ada.get(TUTORIAL, {"question": odd}).status_code == 200
    assert rows() == before


def test_evidence_has_the_three_answers_of_the_tasks(ada: Client) -> None:
    kinds = [one.kind for one in samples("answer_correctness")]
    number = kinds.index("evidence") + 1
    page = ada.get(f"{CORRECTNESS}tutorials/en/preview/", {"question": str(number)})
    shown = page.content.decode()
    assert all(str(level.cue) in shown for level in VERDICTS)
    paragraph = samples("answer_correctness")[number - 1].paragraphs[0]
    said = [sentence for _answer, _accepted, sentence in page.context["told"][0][1]]
    assert said[:3] == [paragraph.feedback[key] for key in ("1", "0", "-1")]
    example = kinds.index("example") + 1
    page = ada.get(f"{CORRECTNESS}tutorials/en/preview/", {"question": str(example)})
    assert page.context["told"] == []


@pytest.mark.slow
def test_answers_are_graded_for_looking_only(ada: Client) -> None:
    before = rows()
    number, first = next(
        one for one in enumerate(samples("language_quality"), 1) if one[1].kind != "example"
    )
    (right,) = first.accepted
    answer = graded(ada, str(number), {"value": right}).json()
    assert answer == {
        "correct": True,
        "feedback": [first.feedback[str(right)]],
        "paragraphs": [],
    }
    assert graded(ada, str(number), {}).status_code == 422
    for odd in ("no-such", "0", "-1", "999"):
        assert graded(ada, odd, {}).status_code == 422
    assert graded(ada, str(number), {}, tutorial={"questions": []}).status_code == 422
    assert ada.post(GRADE, "[]", content_type="application/json").status_code == 422
    assert rows() == before


@pytest.mark.slow
def test_a_tutorial_is_seen_before_it_is_stored_and_after(ada: Client) -> None:
    before = rows()
    given = json.dumps(content(title="Ours"))
    page = ada.post(TUTORIAL_DRAFT, {"definition": given, "question": "2"})
    assert page.context["question"] == samples("language_quality")[1]
    assert json.loads(page.context["definition"]) == json.loads(given)
    bad = ada.post(TUTORIAL_DRAFT, {"definition": json.dumps(content(version=""))})
    assert bad.status_code == 422
    assert "<code>version</code>" in bad.content.decode()
    assert rows() == before
    made = definitions.store_tutorial(
        content(title="Ours"), reference="language_quality", owner_id=owner_of(ada).pk
    )
    address = f"{QUALITY}tutorials/{made.pk}/preview/"
    assert content()["questions"][0]["prompt"] in text(ada, address)
    assert address in text(ada, f"{QUALITY}tutorials/")
    assert ada.get(f"{CORRECTNESS}tutorials/{made.pk}/preview/").status_code == 404
