"""A researcher looks at an instrument and a tutorial, in a real browser."""

import json

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate.models import AuditEntry, InstrumentDefinition, TutorialAnswer, TutorialRun
from tests.annotate.own import HELPFUL
from tests.browser.states import Visitor
from tests.browser.states.researcher import logged_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def visitor(page: Page, live_server) -> Visitor:
    made = Visitor(page, live_server.url)
    logged_in(made)
    return made


def test_a_tutorial_is_gone_through_and_each_answer_explained(visitor: Visitor) -> None:
    page = visitor.goto("/instruments/language_quality/tutorials/en/preview/?question=2")
    shown = page.locator(".read >> nth=0")
    first = shown.inner_text()
    page.check("input[name=choice] >> nth=0")
    page.click("#check")
    expect(page.locator("#feedback-lines")).not_to_be_empty()
    page.get_by_role("button", name="Next").click()
    expect(shown).not_to_have_text(first)
    page.get_by_role("button", name="Previous").click()
    expect(shown).to_have_text(first)
    assert not TutorialRun.objects.exists()
    assert not TutorialAnswer.objects.exists()


def test_a_definition_is_looked_at_before_it_is_stored(
    visitor: Visitor, context: BrowserContext
) -> None:
    page = visitor.goto("/instruments/new/")
    page.get_by_label("Or its text").fill(json.dumps(HELPFUL))
    with context.expect_page() as opened:
        page.get_by_role("button", name="Preview in a new tab").click()
    shown = opened.value
    expect(shown.get_by_role("heading", level=1)).to_have_text(HELPFUL["task"])
    expect(shown.locator("[data-current]")).to_be_visible()  # the script has started
    shown.check("input[name=helpful] >> nth=0")
    shown.click("#submit")
    expect(shown.locator("#missing")).to_contain_text("not sent")
    shown.close()
    assert not InstrumentDefinition.objects.exists()
    assert not AuditEntry.objects.exists()
    page.get_by_role("button", name="Define it").click()
    page.get_by_role("link", name="Preview it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(HELPFUL["task"])
