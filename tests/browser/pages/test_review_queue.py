"""A queue of a hundred cases, ruled on by keyboard alone, and a panel that is never cut off."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Review, Ruling
from tests import reviewed
from tests.browser.researchers import PASSWORD
from tests.browser.viewport import resize
from tests.factories import user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES = {"short": (1280, 420), "laptop": (1366, 640), "phone": (390, 844), "zoomed": (683, 384)}


@pytest.fixture
def review() -> Review:
    return reviewed.case(user())


def press(page: Page, *keys: str) -> None:
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)


def log_in(page: Page, live_server: Any) -> None:
    """By keys: the first field has the focus, or is one Tab away."""
    page.goto(f"{live_server.url}/login/?next=/reviews/")
    page.get_by_label("User name").focus()
    page.keyboard.type("ada")
    press(page, "Tab")
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Review")


def test_a_hundred_cases_by_keyboard_alone(page: Page, review: Review, live_server: Any) -> None:
    """Rule and go on, filter, tick, confirm: no mouse, and no key lost to a text field."""
    reviewed.queue(review.campaign, 99, ruled=0)
    log_in(page, live_server)
    expect(page.get_by_role("heading", level=1)).to_contain_text("100 wait")

    # One at a time: start, choose, rule, next.
    press(page, "s")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Annotator")
    press(page, "1")
    expect(page.get_by_role("radio", name="Clear")).to_be_checked()
    first = page.get_by_role("heading", level=1).inner_text()
    press(page, "Control+Shift+Enter")
    expect(page.get_by_role("status")).to_contain_text("Cleared")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(first)
    assert Ruling.objects.count() == 1

    # Typing in the answer gives letters, not commands.
    press(page, "2", "t")
    page.keyboard.type(" jkxarq?2")
    assert page.get_by_label("Answer to the annotator").input_value().endswith(" jkxarq?2")
    press(page, "Escape", "q")
    expect(page.get_by_role("heading", level=1)).to_contain_text("99 wait")

    # A filter by keys, and a list of a hundred rows.
    press(page, "/")
    for name, value in (("list-tier", "Paused"), ("list-rows", "100")):
        for _tab in range(12):
            if page.evaluate("document.activeElement.id") == name:
                break
            press(page, "Tab")
        page.keyboard.type(value)
    press(page, "Control+Enter")
    expect(page).to_have_url(
        f"{live_server.url}/reviews/?q=&show=waiting&sort=turn&screen=&"
        "tier=pause&crowd=&by=&rows=100"
    )

    # Rows by keys; some are ticked, or all; a letter in the list of rulings chooses there.
    press(page, "j", "j", "x", "j", "x")
    expect(page.locator("[data-ticked]")).to_have_text("2 of 99 ticked")
    press(page, "a")
    expect(page.locator("[data-ticked]")).to_have_text("99 of 99 ticked")
    press(page, "r")
    page.keyboard.type("Exclude the")
    assert Ruling.objects.count() == 1
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("99 people")
    assert Ruling.objects.count() == 1, "nothing is done before the confirmation"

    # One is left out, one gets other words, all others are ruled on.
    press(page, "j", "x", "j", "t")
    press(page, "Control+A")
    page.keyboard.type("Your edits say xajk.")
    press(page, "Escape", "Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("You have not opened every case")
    assert Ruling.objects.count() == 1, "the cases were not opened"
    press(page, "u", "Control+Enter")
    # Ninety-eight rulings, each in a transaction of its own: a busy machine takes its time.
    done = page.get_by_role("heading", level=1)
    expect(done).to_contain_text("done for 98 people", timeout=90_000)
    assert Review.objects.filter(status="excluded").count() == 98
    assert Ruling.objects.filter(reason="Your edits say xajk.").count() == 1
    press(page, "q")
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 waits")


@pytest.mark.parametrize("size", SIZES)
def test_the_panel_is_never_cut_off(
    page: Page, review: Review, live_server: Any, size: str
) -> None:
    width, height = SIZES[size]
    resize(page, width, height)
    log_in(page, live_server)
    press(page, "s")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Annotator")
    press(page, "2")
    button = page.get_by_role("button", name="Exclude 6 judgments")
    press(page, "t", "Tab")
    expect(button).to_be_focused()
    box = button.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Each part of the panel can be scrolled to.
    for part in ("[data-ruling] legend", "#sight", "[data-and-next]"):
        page.locator(part).scroll_into_view_if_needed()
        expect(page.locator(part)).to_be_in_viewport()
    press(page, "Escape")
    page.locator("h1").click()
    press(page, "?")
    expect(page.get_by_role("dialog")).to_be_visible()
    dialog = page.get_by_role("dialog").bounding_box()
    assert dialog is not None
    assert dialog["y"] >= 0
    assert dialog["y"] + dialog["height"] <= height
