"""“Both are bad” beside “About the same”: by keyboard, by mouse and by touch, in either order."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Campaign, Judgment
from tests.annotate.comparing import compared, rows
from tests.browser.annotators.tasks import open_task, saved, see_task
from tests.factories import person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHECKED = "#questions input:checked"


def begin(page: Page, live_server: Any) -> None:
    made = compared(rows(12, "AB"), annotator_cap=None, double_share=0)
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    see_task(page, 1)


def test_both_are_bad_by_keys_and_by_mouse(page: Page, live_server: Any) -> None:
    begin(page, live_server)
    labels = page.locator("#questions .level b").all_inner_texts()
    assert labels[2:4] == ["About the same", "Both are bad"]
    assert page.locator("#questions .level kbd").all_inner_texts() == list("123456")
    for number in range(1, 9):
        see_task(page, number)
        if number % 2:
            page.keyboard.press("4")
            expect(page.locator(CHECKED)).to_have_value("both_bad")
            page.keyboard.press("Control+Enter")
        else:
            page.get_by_text("Both are bad", exact=True).click()
            page.click("#submit")
    see_task(page, 9)
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    see_task(page, 10)
    page.keyboard.press("6" if page.locator(".pair .read").nth(1).inner_text()[0] == "B" else "1")
    page.keyboard.press("Control+Enter")
    see_task(page, 11)
    *bad, same, second = Judgment.objects.order_by("pk").values_list("response", flat=True)
    assert {(one["preference"], *one["both_bad"]) for one in bad} == {(0, "preference")}
    assert {one["turned"] for one in bad} == {True, False}
    assert (same["preference"], "both_bad" in same) == (0, False)
    assert (second["preference"], "both_bad" in second) == (-2, False)


def test_it_stays_over_a_reload_and_in_a_correction(page: Page, live_server: Any) -> None:
    begin(page, live_server)
    page.keyboard.press("4")
    saved(page)
    page.reload()
    see_task(page, 1)
    expect(page.locator(CHECKED)).to_have_value("both_bad")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    page.get_by_role("link", name="Correct the last text").click()
    expect(page.locator("[data-current]")).to_be_visible()
    expect(page.locator(CHECKED)).to_have_value("both_bad")
    page.keyboard.press("3")
    expect(page.locator(CHECKED)).to_have_value("0")
    page.click("#submit")
    see_task(page, 2)
    last = Judgment.objects.get()
    assert last.supersedes.response["both_bad"] == ["preference"]
    assert "both_bad" not in last.response


def test_the_page_is_german(page: Page, live_server: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    made = compared(rows(12, "AB"), annotator_cap=None, double_share=0, language="de")
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    expect(page.locator("[data-current]")).to_be_visible()
    page.get_by_text("Keiner ist gut", exact=True).click()
    expect(page.locator(CHECKED)).to_have_value("both_bad")
    expect(page.get_by_text("Sie würden keinen nehmen", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_campaigns_of_the_first_version_do_not_offer_it(page: Page, live_server: Any) -> None:
    made = compared(rows(12, "AB"), annotator_cap=None, double_share=0)
    Campaign.objects.update(instrument_version="1")
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    see_task(page, 1)
    labels = page.locator("#questions .level b").all_inner_texts()
    assert len(labels) == 5
    assert "Both are bad" not in labels
    page.keyboard.press("5")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    judged = Judgment.objects.get()
    assert abs(judged.response["preference"]) == 2
    assert judged.instrument_version == "1"
