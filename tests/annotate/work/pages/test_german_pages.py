"""Annotators are spoken to in one language a campaign, and German ones in German throughout."""

import json
import re
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import translation

from annotate.campaigns import problems
from annotate.common import tokens
from annotate.common.text import interface_language
from annotate.instruments import registry
from annotate.models import Participation
from tests import factories
from tests.annotate.passing import after_guide

pytestmark = [pytest.mark.django_db, pytest.mark.orm]
ENGLISH = re.compile(r"\b(?:the|your|this|what|not|and|with|please|nothing)\b", re.IGNORECASE)


def opened(**changes: object) -> str:
    return page_of(factories.person(factories.campaign(language="de", **changes)))


def page_of(who: Participation) -> str:
    url = f"/work/p/{tokens.participation_token(who.pk)}/"
    return Client(headers={"accept-language": "en"}).get(url).content.decode()


def strings_of(page: str) -> dict:
    found = re.search(r'<script id="work-strings"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def sentences(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in sentences(inner)]
    return [str(value)]


def answer_task() -> dict:
    rows = [problems.Row("1", "alpha", "Ada Marsh", input="wer", paragraphs=("Ein Absatz.",))]
    return {
        "rows_": rows,
        "instrument": "answer_correctness",
        "metrics": (),
        "targets": {"any_correct": 0.2},
        "double_share": 0,
    }


@pytest.mark.parametrize("changes", [{}, answer_task(), {"tutorial": True}])
def test_the_script_speaks_german(changes: dict) -> None:
    said = sentences(strings_of(opened(**changes)))
    assert len(said) > 20
    assert [text for text in said if ENGLISH.search(text)] == []


def test_the_script_has_the_plural_forms_of_german() -> None:
    changed = strings_of(opened())["changed"]
    assert changed == {"other": "%(n)s\u00a0Zeichen geändert"}  # "one" says the same
    lacking = strings_of(opened(**answer_task()))["lacking"]["todo"]
    assert lacking["one"] == "Absatz %(list)s ist nicht beantwortet"
    assert lacking["other"] == "Absätze %(list)s sind nicht beantwortet"


def test_the_tutorial_and_its_levels_are_german() -> None:
    who = factories.person(factories.campaign(language="de", tutorial=True))
    guide = page_of(who)
    assert "Lesen Sie dies, bevor Sie den Sprachfluss beurteilen." in guide
    after_guide(who)
    page = page_of(who)
    assert '<h1 id="prompt" tabindex="-1" lang="de">Wie flüssig ist dieser Text?</h1>' in page
    assert "Teils flüssig" in page
    assert "Partly fluent" not in page


def test_money_and_keys_are_written_as_in_german() -> None:
    page = opened(reward=Decimal("1234.5"))
    assert "1.234,50\u00a0$" in page
    assert "<kbd>Strg</kbd>" in page
    assert "Ctrl" not in page


@pytest.mark.parametrize("key", ["language_quality", "answer_correctness"])
def test_the_example_of_the_preview_is_in_the_language_of_the_page(key: str) -> None:
    told = {}
    for language in ("en", "de"):
        with translation.override(language):
            told[language] = registry.get(key).example
    assert type(told["de"].text) is str
    for one, other in zip(
        [told["en"].text, told["en"].input, *told["en"].paragraphs],
        [told["de"].text, told["de"].input, *told["de"].paragraphs],
        strict=True,
    ):
        assert not one or one != other


# ---- which language is spoken -------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "spoken"),
    [("en", "en"), ("de", "de"), ("de-AT", "de"), ("fr", "en"), ("", "en"), ("x" * 12, "en")],
)
def test_the_content_decides_where_there_is_a_translation(content: str, spoken: str) -> None:
    assert interface_language(content) == spoken


@pytest.mark.parametrize(("content", "spoken"), [("de", "de"), ("sw", "en")])
def test_the_browser_does_not_decide_how_a_study_asks(content: str, spoken: str) -> None:
    campaign = factories.campaign(language=content)
    url = f"/work/join/{tokens.invitation_token(campaign.pk)}/"
    for accepted in ("de", "en"):
        page = Client(headers={"accept-language": accepted}).get(url)
        assert f'<html lang="{spoken}">' in page.content.decode()


def test_the_language_ends_with_the_request() -> None:
    campaign = factories.campaign(language="de")
    client = Client(headers={"accept-language": "en"})
    client.get(f"/work/join/{tokens.invitation_token(campaign.pk)}/")
    assert '<html lang="en">' in client.get("/work/join/forged/").content.decode()
    assert '<html lang="en">' in client.get("/login/").content.decode()
