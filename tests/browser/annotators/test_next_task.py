"""The next task is fetched ahead and put in place without a page load, or loaded as usual."""

import re
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Frame, FrameLocator, Page, Route, expect

from annotate.campaigns import amendments, life
from annotate.common import tokens
from annotate.models import Assignment, Campaign, Judgment, LedgerEntry
from annotate.models.base import CloseReason
from annotate.work import leasing
from tests.browser.annotators.tasks import (
    answer_all,
    choose,
    open_task,
    saved,
    see_framed,
    see_task,
)
from tests.factories import campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AHEAD = re.compile("/ahead$")
MARK = "window.sameDocument = true"
MARKED = "window.sameDocument === true"


def fetched_ahead(page: Page, **answer: int) -> None:
    """Answer something, and wait for the next task."""
    with page.expect_response(AHEAD):
        choose(page, **(answer or {"fluency": 0}))


def test_the_next_task_is_put_in_place_without_a_page_load(page, url):
    open_task(page, url)
    assert Assignment.objects.count() == 1  # nothing is taken ahead before an answer
    page.evaluate(MARK)
    first = page.inner_text(".read")
    fetched_ahead(page)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    for number in (1, 2, 3):
        answer_all(page)
        page.evaluate("window.scrollTo(0, 1000)")
        page.keyboard.press("Control+Enter")
        see_task(page, number + 1)
        expect(page.locator("[data-word=place]")).to_have_text(f"Task {number + 1} of at most 25")
        expect(page.locator("#today")).to_contain_text(f"{number} task")
        expect(page.locator("#today")).to_contain_text(f"${0.4 * number:.2f}")
        expect(page.locator("#text")).to_be_focused()
        expect(page.locator("#submit")).to_have_text(re.compile("^Submit"))
        assert page.evaluate("window.scrollY") == 0
        assert page.locator("input:checked").count() == 0
        assert page.evaluate(MARKED)
    assert page.inner_text(".read") != first
    assert Judgment.objects.count() == LedgerEntry.objects.count() == 3
    assert Assignment.objects.filter(status="leased").count() == 2
    assert [url.rpartition("/")[2] for url in sent if "/draft" not in url] == ["submit"] * 3


@pytest.mark.parametrize("what", ["instructions", "contact"])
def test_amended_texts_are_there_with_the_next_task(page, url, what):
    open_task(page, url)
    page.evaluate(MARK)
    fetched_ahead(page)
    given = {"instructions": "Judge as a reader.", "contact": "bea@example.org"}[what]
    made = Campaign.objects.get()
    assert amendments.change_texts(made.pk, {what: given}, actor_id=None, reason="x")
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    assert not page.evaluate(MARKED)
    if what == "contact":
        link = page.get_by_role("link", name="Ask the researcher")
        expect(link).to_have_attribute("href", f"mailto:{given}")
        return
    expect(page.locator("#new-instructions")).to_be_visible()
    page.get_by_role("button", name="Instructions").click()
    expect(page.locator("dialog#instructions")).to_be_visible()
    expect(page.locator("dialog#instructions")).to_contain_text(given)
    page.keyboard.press("Escape")
    page.evaluate(MARK)
    answer_all(page)
    page.click("#submit")
    see_task(page, 3)
    expect(page.locator("#new-instructions")).to_have_count(0)
    assert page.evaluate(MARKED), "as usual"


def test_an_amended_consent_comes_before_the_task_in_hand(page, url):
    open_task(page, url)
    fetched_ahead(page)
    made = Campaign.objects.get()
    amendments.change_texts(made.pk, {"consent": "You may stop."}, actor_id=None, reason="x")
    answer_all(page)
    page.click("#submit")
    expect(page.get_by_text("You may stop.")).to_be_visible()
    assert Judgment.objects.count() == 1
    page.get_by_label("I have read this and agree to take part.").check()
    page.get_by_role("button", name="Go on").click()
    see_task(page, 2)
    assert Assignment.objects.count() == 2, "the one that was reserved"


def test_the_address_goes_along_and_nothing_is_left_in_the_history(page, url):
    open_task(page, url)
    before = page.evaluate("history.length")
    fetched_ahead(page)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    path = urlsplit(page.url).path
    assert (
        tokens.read_participation(path.split("/")[3])[0]
        == Assignment.objects.first().participation_id
    )
    assert page.evaluate("history.length") == before
    text = page.inner_text(".read")
    page.reload()
    see_task(page, 2)
    assert page.inner_text(".read") == text


def test_nothing_of_the_task_before_goes_on(page, url):
    """Its keys, timers and listeners end: each act happens once, and for the new task."""
    page.clock.install()
    open_task(page, url)
    fetched_ahead(page)
    now = Assignment.objects.latest("pk").pk
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.keyboard.press("1")
    page.keyboard.press("2")
    assert page.locator("#questions input:checked").count() == 2
    page.clock.run_for(1000)
    saved(page)
    with page.expect_response(re.compile("/heartbeat$")):
        page.clock.run_for(62_000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.clock.run_for(1000)
    about = [int(found[1]) for url in sent if (found := re.search(r"/a/(\d+)/", url))]
    assert set(about) == {now}
    assert sum(url.endswith("/heartbeat") for url in sent) == 1
    assert sum(url.endswith("/draft") for url in sent) == 1


def listeners(page: Page, of: str) -> int:
    cdp = page.context.new_cdp_session(page)
    found = cdp.send("Runtime.evaluate", {"expression": of})["result"]["objectId"]
    return len(cdp.send("DOMDebugger.getEventListeners", {"objectId": found})["listeners"])


def test_no_listener_stays_behind(page, url):
    open_task(page, url)
    before = [listeners(page, of) for of in ("document", "window")]
    assert min(before) > 0
    fetched_ahead(page)
    for number in (1, 2):
        answer_all(page)
        page.click("#submit")
        see_task(page, number + 1)
    assert [listeners(page, of) for of in ("document", "window")] == before


def test_a_task_starts_when_it_is_seen_not_when_it_is_fetched(page, url):
    open_task(page, url)
    fetched_ahead(page)
    Assignment.objects.update(leased_at=timezone.now() - timedelta(seconds=600))
    for number in (1, 2):
        answer_all(page)
        page.click("#submit")
        see_task(page, number + 1)
    assert Judgment.objects.latest("pk").elapsed_seconds < 60


def loaded(page: Page) -> None:
    """The next page came by a page load."""
    expect(page.locator("#today")).to_contain_text("1 task")
    assert not page.evaluate(MARKED)


def placed(page: Page) -> None:
    """The next task came without a page load."""
    expect(page.locator("#today")).to_contain_text("1 task")
    assert page.evaluate(MARKED)


@pytest.mark.parametrize("lost", ["no connection", "no answer"])
def test_without_a_task_in_hand_the_submit_brings_one(page, url, lost):
    page.route(AHEAD, lambda route: route.abort() if lost == "no connection" else None)
    open_task(page, url)
    page.evaluate(MARK)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    placed(page)


def altered(page: Page, address: re.Pattern[str], change: Callable[[str], str]) -> None:
    """Let the answers of this address arrive changed."""

    def change_it(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=change(answer.text()))

    page.route(address, change_it)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub('"release": ?"[^"]*"', '"release":"another"', text),
        lambda text: re.sub('"version": ?"[^"]*"', '"version":"another"', text),
        lambda text: re.sub('"coming": ?{"data"', '"gone":{"data"', text),
    ],
    ids=["scripts", "version", "nothing"],
)
def test_whatever_does_not_fit_is_loaded(page, url, change):
    altered(page, re.compile("/(ahead|submit)$"), change)
    open_task(page, url)
    page.evaluate(MARK)
    fetched_ahead(page)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    loaded(page)


def test_an_answer_that_is_not_ours_is_not_taken(page, url):
    altered(page, AHEAD, lambda _text: "<title>Log in to this network</title>")
    open_task(page, url)
    page.evaluate(MARK)
    fetched_ahead(page)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    loaded(page)  # it was reserved, but never came


def test_a_task_in_hand_that_was_lost_is_not_shown(page, url, who):
    open_task(page, url)
    page.evaluate(MARK)
    fetched_ahead(page)
    lost = Assignment.objects.latest("pk")
    leasing.give_back(lost.pk, participation_id=who.pk)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    placed(page)
    assert page.inner_text(".read") != lost.output.text


def test_while_the_campaign_closes_nothing_is_taken_ahead(page, url, who):
    open_task(page, url)
    life.close(who.campaign_id, CloseReason.HAND)
    fetched_ahead(page)
    assert Assignment.objects.count() == 1
    answer_all(page)
    page.click("#submit")
    expect(page.locator("#finished")).to_be_visible()
    assert Judgment.objects.count() == 1


def test_returning_shows_the_one_fetched_ahead(page, url):
    open_task(page, url)
    page.evaluate(MARK)
    fetched_ahead(page)
    page.click("[data-opens=give-back]")
    page.click("#give-back-yes")
    expect(page.locator("#give-back")).to_be_hidden()
    _given_back, ahead, _next = Assignment.objects.order_by("pk")
    expect(page.locator(".read")).to_have_text(ahead.output.text)
    expect(page.locator("[data-word=place]")).to_have_text("Task 1 of at most 25")
    assert page.evaluate(MARKED)


def test_two_tabs_with_the_same_tasks_store_each_once(context: BrowserContext, url):
    first, second = context.new_page(), context.new_page()
    open_task(first, url)
    fetched_ahead(first)
    open_task(second, url)
    fetched_ahead(second, redundancy=1)
    first.bring_to_front()  # a tab behind another draws no frames: each press would wait
    answer_all(first)
    first.click("#submit")
    see_task(first, 2)
    answer_all(first)
    first.click("#submit")
    see_task(first, 3)
    second.bring_to_front()
    second.evaluate(MARK)
    choose(second, redundancy=0, overall=0)
    second.click("#submit")  # the first one again: told once more, and led on
    see_task(second, 3)
    assert second.inner_text(".read") == first.inner_text(".read")
    assert Judgment.objects.count() == LedgerEntry.objects.count() == 2


def test_the_back_button_and_forward_again_lose_nothing(page, url, live_server):
    page.goto(f"{live_server.url}/login/")
    open_task(page, url)
    fetched_ahead(page)
    answer_all(page)
    page.click("#submit")
    see_task(page, 2)
    choose(page, overall=1)
    page.go_back()
    page.go_forward()
    see_task(page, 2)
    expect(page.locator("input[name=overall]").nth(1)).to_be_checked()
    assert Judgment.objects.count() == 1


def frame_of(page: Page) -> Frame:
    return page.frames[1]


@pytest.mark.parametrize("extra", ["", " allow-same-origin"])
def test_inside_a_sandboxed_frame_of_another_site(page, live_server, extra, foreign_site):
    """No cookies, no storage, perhaps an opaque origin: it is put in place all the same."""
    who = person(campaign())
    address = f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/"
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts{extra}" src="{address}"'
            ' width="1000" height="700"></iframe>'
        )
    )
    frame: FrameLocator = page.frame_locator("iframe")
    see_framed(frame, 1)
    frame_of(page).evaluate(MARK)
    with page.expect_response(AHEAD):
        choose(frame, fluency=0)
    for number in (1, 2):
        answer_all(frame)
        frame.locator("#submit").click()
        see_framed(frame, number + 1)
    assert frame_of(page).evaluate(MARKED)
    assert Judgment.objects.count() == 2
