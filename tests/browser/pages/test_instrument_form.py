"""A researcher defines an instrument without JSON, and sees the page grow beside the form."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.models import InstrumentDefinition
from tests.browser.states import Visitor
from tests.browser.states.researcher import logged_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORDS = {
    "label": "Politeness",
    "task": "Rate how polite the reply is.",
    "about": "You read replies of a help desk and say how polite each is.",
    "example-text": "Thank you for writing. We will look into it today.",
    "c0-label": "Politeness",
    "c0-question": "How polite is the reply?",
    "c0-l0-label": "Polite",
    "c0-l0-cue": "It thanks, asks or apologises.",
    "c0-l1-label": "Neutral",
    "c0-l1-cue": "Neither polite nor rude.",
    "c0-l2-label": "Rude",
    "c0-l2-cue": "You would complain about it.",
}


def form(page: Page, live_server: Any, start: str = "") -> None:
    visitor = Visitor(page, live_server.url)
    logged_in(visitor)
    visitor.goto(f"/instruments/form/{start}")


def test_an_instrument_is_defined_by_keyboard_alone(page: Page, live_server: Any) -> None:
    form(page, live_server)
    for name, words in WORDS.items():
        page.locator(f"[id='{name}']").focus()
        page.keyboard.type(words)
    shown = page.frame_locator("#live-page")
    expect(shown.get_by_role("radio")).to_have_count(3)
    expect(shown.get_by_text("You would complain about it.")).to_be_visible()
    expect(page.locator("[id='c0-l2-cue']")).to_be_focused()

    page.get_by_role("button", name="Add a level").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[id='c0-l3-label']")).to_be_focused()
    expect(page.locator("[id='c0-l3-value']")).to_have_value("-1")
    page.keyboard.type("Insulting")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Question 1, level 4, when to choose it")
    page.get_by_role("link", name="Question 1, level 4").press("Enter")
    page.keyboard.type("It insults the reader.")
    page.keyboard.press("Enter")

    expect(page.get_by_text("“Politeness”, version 1, is defined.")).to_be_visible()
    made = InstrumentDefinition.objects.get()
    levels = made.definition["criteria"][0]["levels"]
    assert [(one["value"], one["label"]) for one in levels] == [
        (2, "Polite"),
        (1, "Neutral"),
        (0, "Rude"),
        (-1, "Insulting"),
    ]
    assert made.key == made.definition["criteria"][0]["name"] == "politeness"


def test_what_is_not_finished_is_said_beside_the_page(page: Page, live_server: Any) -> None:
    form(page, live_server, "?from=preference")
    shown = page.frame_locator("#live-page")
    expect(shown.locator("#questions").get_by_role("radio")).to_have_count(6)
    expect(page.get_by_label("Second text")).to_be_visible()
    expect(page.get_by_text("needs an edit").first).to_be_hidden()
    page.get_by_label("Score", exact=True).first.fill("7")
    expect(page.locator("#live-words")).to_contain_text("Must mirror each other")
    page.get_by_label("Score", exact=True).first.fill("2")
    expect(page.locator("#live-words")).to_be_empty()
