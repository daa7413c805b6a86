"""An annotator answers a tutorial that asks the instrument's own questions, of every kind."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import TutorialAnswer
from annotate.studies import definitions
from tests.annotate.own import every_kind
from tests.annotate.practice import CHOICES, ERRORS, PLACES, SLIDER, tutorial
from tests.annotate.ranked_texts.studies import ranking, rows
from tests.browser.annotators.test_own_instrument import drag
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def begin(page: Page, live_server: Any, definition: Any, *questions: Any, **changes: Any) -> None:
    owner = user()
    key = definitions.define(definition, owner_id=owner.pk).key
    content = tutorial(*questions, instrument=key)
    stored = definitions.store_tutorial(content, reference=key, owner_id=owner.pk)
    made = campaign(
        owner=owner, instrument=key, tutorial=True, tutorial_id=stored.pk, metrics=(), **changes
    )
    token = tokens.participation_token(person(made).pk)
    page.goto(f"{live_server.url}/work/p/{token}/")
    expect(page.locator("html[data-ready]")).to_be_attached()


def checked(page: Page, words: str) -> None:
    page.click("#check")
    expect(page.locator("#feedback")).to_contain_text(words)


def following(page: Page, question: str) -> None:
    """Go on, and wait until the page of this question is at work."""
    page.locator("#next").click()
    expect(page.locator(question)).to_be_visible()
    expect(page.locator("html[data-ready]")).to_be_attached()


def test_each_kind_is_answered_as_at_work(page: Page, live_server: Any) -> None:
    begin(page, live_server, every_kind(), SLIDER, CHOICES, ERRORS, targets={"quality": 5})
    expect(page.get_by_role("heading", name="How good is it?")).to_be_visible()
    page.click("#check")
    expect(page.locator("#missing")).to_contain_text("an answer")
    page.locator("input[name=quality]").press("End")
    checked(page, "Yes, it is good.")
    following(page, "#question-flaws")
    page.keyboard.press("1")
    checked(page, "It is vague, and nothing else.")
    following(page, "#evidence-errors")
    drag(page, "open", "open")
    drag(page, "are", "are")
    page.click("#check")
    expect(page.locator("#missing")).to_contain_text("an answer")
    for number in (0, 1):
        error = page.locator("#evidence-errors li").nth(number)
        error.get_by_label("Category").select_option("grammar")
        error.get_by_label("Severity").select_option("minor")
    checked(page, "You found both.")
    given = dict(TutorialAnswer.objects.values_list("question", "correct"))
    assert given == {"slider": True, "choices": False, "errors": True}


def test_a_conditional_question_is_asked_by_itself(page: Page, live_server: Any) -> None:
    whole = every_kind()
    names = [one["name"] for one in whole["criteria"]]
    quality = whole["criteria"][names.index("quality")]
    quality["only_if"] = {"question": "helpful", "values": [1], "hidden": 0}
    begin(page, live_server, whole, SLIDER, targets={"quality": 5})
    page.locator("input[name=quality]").press("End")
    checked(page, "Yes, it is good.")


def test_texts_are_ranked_as_at_work(page: Page, live_server: Any) -> None:
    targets = {"rank": 0.4}
    begin(page, live_server, ranking(), PLACES, targets=targets, rows_=rows(4), double_share=0)
    expect(page.locator(".sheets .sheet")).to_have_count(3)
    for key in "132":
        page.keyboard.press(key)
    checked(page, "Yes.")
    assert TutorialAnswer.objects.get().response == {"answer": [1, 3, 2]}
