"""Correcting the text submitted last: by mouse, by keys, on a phone, and without a script."""

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.models import Judgment
from tests.browser.annotators.tasks import answer_all, choose, saved, see_task
from tests.browser.answers import Desk, participant
from tests.browser.viewport import resize

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_slip_is_corrected_and_the_open_task_goes_on(page: Page, url: str) -> None:
    page.goto(url)
    see_task(page, 1)
    expect(page.locator("#correct")).to_be_hidden()
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    choose(page, redundancy=1)
    saved(page)
    first = Judgment.objects.get()

    resize(page, 390, 800)
    page.click("#correct")  # by hand, on a phone
    expect(page.locator("#correcting")).to_be_visible()
    expect(page.locator("input[name=fluency]").first).to_be_checked()
    page.get_by_role("link", name="Go back without a change").click()
    see_task(page, 2)
    expect(page.locator("input[name=redundancy]").nth(1)).to_be_checked()

    page.locator("body").press("z")  # by keys
    expect(page.locator("#correcting")).to_be_visible()
    expect(page.locator("[data-current]")).to_be_visible()
    page.locator("input[name=fluency]").nth(1).check()
    page.fill("#edit", "The council met on Monday, as somebody tells it.")
    page.reload()
    expect(page.locator("#edit")).to_have_value("The council met on Monday, as somebody tells it.")
    expect(page.locator("[data-current]")).to_be_visible()
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    expect(page.locator("input[name=redundancy]").nth(1)).to_be_checked()
    later = Judgment.objects.get()
    assert later.supersedes_id == first.pk
    assert later.response["fluency"] == 0
    assert later.active_seconds > first.active_seconds
    assert Judgment.every.count() == 2


def test_paragraphs_come_back_as_they_were_confirmed(page: Page, live_server) -> None:
    desk = Desk(page, live_server.url, participant())
    desk.open()
    desk.plausible()
    desk.verdict(1, 1)
    desk.drag(1, "Marsh", "Ada")
    page.click("#paragraph-1 [data-act=confirm]")
    for n in (2, 3):
        desk.verdict(n, 0)
    page.click("#submit")
    expect(page.locator("input[name=plausible]:checked")).to_have_count(0)
    desk.ready()
    first = Judgment.objects.get()
    page.click("#correct")
    desk.state(1, "done")
    desk.state(3, "done")
    assert desk.highlights(1) == ["Ada Marsh"]
    page.click(".steps li:nth-child(2) a")
    desk.verdict(2, -1)
    for word in ("market", "Mondays"):
        page.locator("#paragraph-2 .text").scroll_into_view_if_needed()
        desk.centre(2, word)  # it scrolls
        page.mouse.click(*desk.centre(2, word))
    page.click("#paragraph-2 [data-act=confirm]")
    page.click("#submit")
    expect(page.locator("#correcting")).to_have_count(0)
    desk.ready()
    later = Judgment.objects.get()
    assert later.supersedes_id == first.pk
    assert later.response["verdicts"][0] == first.response["verdicts"][0]
    assert [one["value"] for one in later.response["verdicts"]] == [1, -1, 0]
    desk.leave()


def test_without_a_script_the_link_leads_to_the_text(
    browser: Browser, page: Page, url: str
) -> None:
    page.goto(url)
    see_task(page, 1)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(url)
    plain.get_by_role("link", name="Correct the last text").click()
    expect(plain.locator("#correcting")).to_be_visible()
    plain.context.close()
