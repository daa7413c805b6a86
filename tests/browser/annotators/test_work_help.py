"""What opens beside the work: instructions, keys, the question before a task is given back."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.annotators.tasks import answer_all, open_task, see_framed, see_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def opened(page: Page, name: str) -> None:
    page.click(f"[data-opens={name}]")
    expect(page.locator(f"#{name}")).to_be_visible()


def test_it_is_asked_for_when_it_is_wanted_and_once_for_all_tasks(page, url):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_task(page, url)
    for number in (1, 2):
        opened(page, "instructions")
        expect(page.locator("#instructions")).to_contain_text(
            "You are never paid less for being slow"
        )
        assert page.locator("#instructions").evaluate("e => e.clientWidth") < 700  # has its style
        page.keyboard.press("Escape")
        expect(page.locator("[data-opens=instructions]")).to_be_focused()
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        if number == 1:
            answer_all(page)
            page.click("#submit")
            see_task(page, 2)
    assert sum(address.endswith("/help/") for address in asked) == 1


def test_without_a_connection_that_is_said_and_it_opens_later(
    context: BrowserContext, page: Page, url: str
) -> None:
    open_task(page, url)
    context.set_offline(True)
    page.click("[data-opens=instructions]")
    expect(page.locator("#missing")).to_contain_text("No connection. Try again in a moment.")
    context.set_offline(False)
    opened(page, "instructions")
    context.set_offline(True)
    page.keyboard.press("Escape")
    opened(page, "give-back")
    page.click("#give-back-yes")
    expect(page.locator("#give-back-problem")).to_contain_text("No connection")
    context.set_offline(False)
    page.click("#give-back-yes")
    expect(page.locator("#give-back")).to_be_hidden()


def test_what_is_not_the_help_is_not_opened_and_asked_for_again(page, url):
    """A network's own page, or a refusal: with styles and without dialogs."""
    help_ = re.compile("/help/$")
    page.route(
        help_, lambda route: route.fulfill(body='<link rel="icon" href="/x"><h1>Log in</h1>')
    )
    open_task(page, url)
    page.click("[data-opens=instructions]")
    expect(page.locator("#missing")).to_contain_text("Try again in a moment")
    page.unroute(help_)
    opened(page, "instructions")


def test_single_keys_are_switched_off_and_on_again(page, url):
    open_task(page, url)
    opened(page, "keys")
    page.get_by_label("Use single keys").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("#keys-line kbd:visible")).to_have_text(["?"])
    page.keyboard.press("1")
    expect(page.locator("#questions input:checked")).to_have_count(0)
    page.reload()
    see_task(page, 1)
    page.keyboard.press("1")
    expect(page.locator("#questions input:checked")).to_have_count(0)
    opened(page, "keys")
    expect(page.get_by_label("Use single keys")).not_to_be_checked()
    page.get_by_label("Use single keys").check()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("#questions input:checked")).to_have_count(1)


def test_keys_stay_off_for_the_next_task_where_nothing_can_be_stored(page, url, foreign_site):
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts" src="{url}" width="1000" height="700"></iframe>'
        )
    )
    frame = page.frame_locator("iframe")
    see_framed(frame, 1)
    frame.locator("[data-opens=keys]").click()
    frame.get_by_label("Use single keys").uncheck()
    page.keyboard.press("Escape")
    with page.expect_response(re.compile("/ahead$")):
        answer_all(frame)
    frame.locator("#submit").click()
    see_framed(frame, 2)
    expect(frame.locator("#text")).to_be_focused()
    page.keyboard.press("1")
    expect(frame.locator("#questions input:checked")).to_have_count(0)
