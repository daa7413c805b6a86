"""The researcher's pages of instruments, and choosing one for a campaign."""

import json
from html import escape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.models import InstrumentDefinition
from annotate.studies import definitions
from tests.annotate.own import HELPFUL, helpful
from tests.annotate.researcher import at, begun, owner_of, step_page, tried

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LIST, DEFINE = "/instruments/", "/instruments/new/"
FORM = {"instrument": "helpfulness@1", "width_helpful": "0.4", "width_overall": ""}
QUESTIONS = "\n".join(
    json.dumps({"item": f"i{i}", "system": s, "output": f"{s} {i}", "input": "What now?"})
    for i in range(4)
    for s in ("alpha", "beta")
).encode()


def paste(client: Client, content: Any, **more: Any) -> Any:
    text = content if isinstance(content, str) else json.dumps(content)
    return client.post(DEFINE, {"definition": text, **more})


def test_one_is_defined_by_its_text_or_a_file(ada: Client) -> None:
    assert paste(ada, HELPFUL)["Location"] == LIST
    file = SimpleUploadedFile("own.json", json.dumps(helpful(hint="Other")).encode())
    page = ada.post(DEFINE, {"file": file}, follow=True)
    assert "“Helpfulness”, version 2, is defined." in page.content.decode()
    (newest, first) = page.context["defined"]
    assert (newest.reference, first.reference, first.mine) == (
        "helpfulness@2",
        "helpfulness@1",
        True,
    )


def test_problems_are_told_by_their_paths_and_the_text_is_kept(ada: Client) -> None:
    whole = helpful(key="Bad Key")
    whole["criteria"][1]["levels"][0]["cue"] = ""
    page = paste(ada, whole)
    content = page.content.decode()
    assert page.status_code == 422
    assert "2 problems" in content
    assert "<code>key</code>" in content
    assert "<code>criteria[1].levels[0].cue</code>" in content
    assert page.context["form"]["definition"].value() == json.dumps(whole)
    assert not InstrumentDefinition.objects.exists()


@pytest.mark.parametrize(
    ("text", "says", "status"),
    [
        ("", "paste its text", 422),
        ("{", "Not JSON", 422),
        ("x" * 250_001, "250001", 422),
        (json.dumps(helpful(key="language_quality")), "built in", 409),
    ],
)
def test_what_cannot_be_one_is_explained(ada: Client, text: str, says: str, status: int) -> None:
    page = paste(ada, text)
    assert page.status_code == status
    assert says in page.content.decode()


def test_a_definition_is_downloaded_and_taken_as_a_start(ada: Client) -> None:
    paste(ada, HELPFUL)
    file = ada.get("/instruments/helpfulness/1.json")
    assert json.loads(file.content) == HELPFUL
    assert file["Content-Disposition"] == 'attachment; filename="helpfulness-1.json"'
    start = ada.get(DEFINE, {"from": "helpfulness@1"})
    assert json.loads(start.context["form"]["definition"].value()) == HELPFUL
    built_in = json.loads(ada.get("/instruments/language_quality/1.json").content)
    assert paste(ada, built_in | {"key": "mine"}).status_code == 302
    for gone in ("helpfulness/9", "nothing/1", "recorded_language_quality/1"):
        assert ada.get(f"/instruments/{gone}.json").status_code == 404


def test_markup_in_a_definition_is_text(ada: Client) -> None:
    paste(ada, helpful(label="<b>Bold</b>"))
    for content in (ada.get(LIST).content.decode(), step_page(ada, "questions")):
        assert escape("<b>Bold</b>") in content
        assert "<b>Bold</b>" not in content


def test_the_fields_of_widths_are_those_of_the_instrument(ada: Client) -> None:
    definitions.define(HELPFUL, owner_id=owner_of(ada).pk)
    for asked, shown in (
        ("helpfulness@1", [("width_helpful", 0.4), ("width_invented", "")]),
        ("language_quality", [("width_overall", 0.2)]),
    ):
        of = begun(ada, QUESTIONS, instrument=asked)
        fields = ada.get(at(of, "plan")).context["form"].width_fields
        assert set(shown) <= {(field.name, field.value()) for field in fields}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"instrument": "nothing"}, "instrument"),
        ({**FORM, "width_helpful": ""}, "width_helpful"),
        ({"language": "Deutsch!"}, "language"),
        ({"language": ""}, "language"),
    ],
)
def test_bad_choices_are_told_beside_them(ada: Client, fields: Any, field: str) -> None:
    definitions.define(HELPFUL, owner_id=owner_of(ada).pk)
    answer = tried(ada, QUESTIONS, **fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in answer.content.decode()
