"""An annotator who compares two texts, by keys: two presses a pair."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.instruments import base as instruments_base
from annotate.models import Judgment
from tests.annotate.comparing import compared, rows
from tests.browser.annotators.tasks import open_task, saved, see_task
from tests.factories import person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def at(page: Page, live_server: Any, **changes: Any) -> None:
    made = compared(rows(12, "AB"), annotator_cap=None, **changes)
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")


def texts(page: Page) -> list[str]:
    return page.locator(".pair .read").all_inner_texts()


def test_twelve_pairs_by_two_presses_each(page: Page, live_server: Any) -> None:
    """Who likes what A wrote says so wherever it stands, and the page tells nothing else."""
    at(page, live_server, double_share=0)
    for number in range(1, 13):
        see_task(page, number)
        first, second = texts(page)
        assert {first[0], second[0]} == {"A", "B"}
        # What the script is told has the order that is shown.
        data = page.evaluate("JSON.parse(document.getElementById('work-data').textContent)")
        assert data["assignment"]["text"] == instruments_base.joined(first, second)
        page.keyboard.press("1" if first.startswith("A") else "6")
        page.keyboard.press("Control+Enter")
    expect(page.locator(".pair")).to_have_count(0)
    found = Judgment.objects.values_list("response__preference", "response__turned")
    assert {preference for preference, _turned in found} == {2}
    assert {turned for _preference, turned in found} == {True, False}


def test_a_reload_keeps_the_order_and_the_answer(page: Page, live_server: Any) -> None:
    at(page, live_server)
    before = texts(page)
    page.keyboard.press("5")
    saved(page)
    page.reload()
    see_task(page, 1)
    assert texts(page) == before
    expect(page.locator("#questions input:checked")).to_have_value("-1")


def test_the_last_answer_is_corrected_as_it_was_given(page: Page, live_server: Any) -> None:
    at(page, live_server)
    before = texts(page)
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    page.get_by_role("link", name="Correct the last text").click()
    expect(page.locator("[data-current]")).to_be_visible()
    assert texts(page) == before
    expect(page.locator("#questions input:checked")).to_have_value("1")
