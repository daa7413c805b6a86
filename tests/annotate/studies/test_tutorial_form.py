"""The form of a tutorial of one's own: a draft, changed in the browser, checked like its JSON."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotate.instruments import tutorials as instruments_tutorials
from annotate.models import TutorialContent
from annotate.studies import definitions, tutorials
from tests.annotate.own import HELPFUL, helpful
from tests.annotate.researcher import owner_of

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAGE = "/instruments/helpfulness/tutorials/form/"
LIST = "/instruments/helpfulness/tutorials/"
FIELD = re.compile(r"<(input|textarea)\b([^>]*)>(?:\n([^<]*)</textarea>)?")


@pytest.fixture
def form(ada: Client) -> Client:
    definitions.define(HELPFUL, owner_id=owner_of(ada).pk)
    return ada


def fields(page: Any) -> dict[str, Any]:
    """Return what a browser sends of the form."""
    text = page.content.decode().split('class="form new tutorial-form"')[1]
    found: dict[str, Any] = {}
    for kind, raw, inner in FIELD.findall(text):
        name, value = (re.search(rf'{what}="([^"]*)"', raw) for what in ("name", "value"))
        if (
            not name
            or name[1] == "csrfmiddlewaretoken"
            or ('type="checkbox"' in raw and " checked" not in raw)
        ):
            continue
        given = inner if kind == "textarea" else value[1] if value else ""
        found.setdefault(name[1], []).append(unescape(given).replace("\n", "\r\n"))
    return found


def filled(page: Any) -> dict[str, Any]:
    """Return the form with a text for every question."""
    sent = fields(page)
    for name, given in sent.items():
        if name.endswith(("-text", "-question")) and given == [""]:
            sent[name] = f"Text of {name}"
    return sent


def content(sent: dict[str, Any], form: Client) -> Any:
    answer = form.post(PAGE, sent | {"act": "save"})
    assert answer.status_code == 302, answer.content.decode()
    return TutorialContent.objects.latest("pk").content


def test_what_is_missing_is_said_beside_its_field_and_nothing_is_lost(form: Client) -> None:
    sent = fields(form.get(PAGE)) | {"q1-section": "", "q0-why_2": "  ", "title": "<b>Ours</b>"}
    page = form.post(PAGE, sent | {"act": "save"})
    text = page.content.decode()
    assert page.status_code == 422
    assert '<a href="#q1-section">Question 2, section</a>' in text
    assert '<a href="#q0-why_2">Question 1, explanation of 2</a>: Is empty.' in text
    assert "&lt;b&gt;Ours&lt;/b&gt;" in text
    assert fields(page) == sent | {"q1-section": [""], "q0-why_2": ["  "], "title": ["<b>Ours</b>"]}
    assert not TutorialContent.objects.exists()


def test_too_few_questions_for_the_second_round_are_refused(form: Client) -> None:
    page = form.post(PAGE, filled(form.get(PAGE)) | {"asked": "9", "act": "save"})
    assert page.status_code == 422
    assert "too few are left: add 2 in “Help”, 2 in “Invention”" in page.content.decode()
    assert form.post(PAGE, filled(page) | {"asked": "7", "act": "save"}).status_code == 302


def changed(act: str, **more: str) -> Callable[[Client], list[str]]:
    def keys(form: Client) -> list[str]:
        page = form.post(PAGE, fields(form.get(PAGE)) | {"act": act} | more)
        assert page.status_code == 200
        return [given[0] for name, given in fields(page).items() if name.endswith("-key")]

    return keys


@pytest.mark.parametrize(
    ("act", "keys"),
    [
        ("remove:0", ["q2", "q3"]),
        ("down:0", ["q2", "q1"]),
        ("up:2", ["q1", "q3", "q2"]),
        ("up:0", ["q1", "q2"]),
        ("down:99999", ["q1", "q2"]),
        ("remove:-1", ["q2", "q3"]),
        ("nonsense", ["q1", "q2"]),
    ],
)
def test_questions_are_removed_and_moved(form: Client, act: str, keys: list[str]) -> None:
    assert changed(act)(form)[: len(keys)] == keys


def test_questions_are_added_with_a_key_of_their_own(form: Client) -> None:
    assert changed("add", about="invented")(form)[-2:] == ["q14", "q15"]
    assert changed("add", about="nothing")(form)[-1] == "q14"


def test_the_preview_shows_the_questions_without_storing_them(form: Client) -> None:
    sent = filled(form.get(PAGE))
    page = form.post(PAGE, sent | {"act": "preview"})
    text = page.content.decode()
    assert "Hold the button for ten seconds." in text
    assert f'action="{LIST}preview/"' in text  # its next question
    assert form.post(PAGE, sent | {"q1-prompt": "", "act": "preview"}).status_code == 422
    assert not TutorialContent.objects.exists()


def test_a_stored_tutorial_comes_back_as_it_is(ada: Client) -> None:
    raw = json.loads(tutorials.tutorial_file("language_quality", "en"))
    own = definitions.store_tutorial(raw, reference="language_quality", owner_id=owner_of(ada).pk)
    address = "/instruments/language_quality/tutorials/form/"
    sent = fields(ada.get(f"{address}?from={own.pk}"))
    assert ada.post(address, sent | {"act": "save"}).status_code == 302
    assert TutorialContent.objects.get().content == raw  # the same content is stored once


def test_only_researchers_write_and_only_for_levels(ada: Client) -> None:
    assert Client().get(PAGE)["Location"].startswith("/login/")
    assert ada.get("/instruments/answer_correctness/tutorials/form/").status_code == 404
    assert ada.get("/instruments/nothing/tutorials/form/").status_code == 404
    assert ada.get("/instruments/language_quality/tutorials/form/?from=77").status_code == 404


def test_a_draft_speaks_the_language_of_its_definition() -> None:
    made = tutorials.draft(_instrument(helpful(language="de")))
    assert made["language"] == "de"
    assert made["questions"][0]["feedback"]["2"].startswith("Richtig: „Solves it“.")


@pytest.mark.parametrize("n_criteria", range(1, 9))
@pytest.mark.parametrize("n_levels", range(2, 8))
def test_a_draft_with_texts_is_a_tutorial_of_two_rounds(n_criteria: int, n_levels: int) -> None:
    levels = [{"value": n, "label": f"Level {n}", "cue": f"Cue {n}"} for n in range(n_levels)]
    asked = [
        {"name": f"c{n}", "label": f"Criterion {n}", "question": "How?", "levels": levels}
        for n in range(n_criteria)
    ]
    instrument = _instrument(helpful(criteria=asked))
    made = tutorials.draft(instrument)
    for number, one in enumerate(made["questions"]):
        one["text"], one["question"] = f"Text {number}", "What?"
    read = instruments_tutorials.complete(
        made, instrument=instrument.key, criteria=instrument.criteria
    )
    assert {one.section for one in read.questions} == {one["label"] for one in asked}


def _instrument(definition: Any) -> Any:
    from annotate.instruments.rating.instrument import Rating
    from annotate.instruments.rating.instrument import read_definition as read

    return Rating(read(definition))
