"""Annotators are spoken to in one language a campaign: the content's, where there is one."""

import pytest
from django.test import Client

from annotate.common import tokens
from annotate.common.text import interface_language
from annotate.studies import queries as studies_queries
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.orm]


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


@pytest.mark.parametrize(("content", "asked"), [("de-AT", "de"), ("fr", "en")])
def test_the_tutorial_is_asked_for_in_the_language_of_the_pages(content: str, asked: str) -> None:
    class Instrument:
        def tutorial(self, language: str) -> str:
            return language

    campaign = factories.campaign(language=content, tutorial=True)
    assert studies_queries.of_campaign(campaign, Instrument()) == asked
