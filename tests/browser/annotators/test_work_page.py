"""An annotator at the language-quality page, in a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, Campaign, Draft, Judgment, LedgerEntry
from annotate.work import leasing
from tests.browser.annotators.tasks import EDITED, answer_all, choose, open_task, saved, see_task
from tests.browser.viewport import resize

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_by_keyboard_alone(page, url):
    open_task(page, url)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#missing")).to_contain_text("“Fluency” has no answer")
    expect(page.locator("input[name=fluency]").first).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("3")
    expect(page.locator("#missing")).not_to_contain_text("Redundancy")
    page.keyboard.press("2")
    expect(page.locator("#missing")).to_be_empty()
    expect(page.locator("#edit-why")).to_contain_text("“A lot” for “Redundancy”")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#missing")).to_contain_text("the improved text")
    expect(page.locator("#edit")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("It met 123 times?")
    expect(page.locator("#edit-distance")).to_have_text(re.compile(r"^\d+ characters changed$"))
    expect(page.locator("#edit-diff ins")).not_to_have_count(0)
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    expect(page.locator("#text")).to_be_focused()
    response = Judgment.objects.get().response
    assert (response["fluency"], response["redundancy"], response["overall"]) == (1, -1, 0)
    assert response["edit"] == "It met 123 times?"


def test_by_touch_on_a_phone(browser: Browser, url):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    open_task(page, url)
    for name, label in (("fluency", "Fluent"), ("redundancy", "Some"), ("overall", "Good")):
        page.locator(f'#question-{name} label:has(b:text-is("{label}"))').tap()
    page.locator("#edit").fill(EDITED)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        """[...document.querySelectorAll("button, .level, .btn")]
           .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
           .map(e => e.outerHTML)"""
    )
    assert small == []
    page.locator("#submit").tap()
    see_task(page, 2)
    assert Judgment.objects.get().response["edit"] == EDITED
    context.close()


def test_a_reload_in_the_middle_keeps_the_draft(page, url):
    open_task(page, url)
    choose(page, redundancy=2)
    page.fill("#edit", EDITED)
    page.reload()  # before the pause after which it is saved
    expect(page.locator("input[name=redundancy]").nth(2)).to_be_checked()
    expect(page.locator("#edit")).to_have_value(EDITED)
    saved(page)
    choose(page, fluency=0)
    saved(page)
    expect(page.locator("#missing")).to_be_empty()


def test_back_at_the_best_the_edit_is_kept_and_not_submitted(page, url):
    open_task(page, url)
    choose(page, fluency=1, redundancy=0, overall=0)
    page.fill("#edit", EDITED)
    choose(page, fluency=0)
    expect(page.locator("#edit-area")).to_be_hidden()
    expect(page.locator("#no-edit")).to_contain_text("kept in the draft")
    choose(page, fluency=1)
    expect(page.locator("#edit")).to_have_value(EDITED)
    choose(page, fluency=0)
    page.click("#submit")
    see_task(page, 2)
    assert Judgment.objects.get().response["edit"] is None


def test_the_stale_one_of_two_tabs_is_told(context: BrowserContext, url):
    first, second = context.new_page(), context.new_page()
    open_task(first, url)
    open_task(second, url)
    choose(second, fluency=1)
    saved(second)
    first.bring_to_front()
    choose(first, overall=2)
    expect(first.locator("#missing")).to_contain_text("another tab")
    expect(first.locator("#saved")).to_have_attribute("data-state", "stale")
    first.click("#missing a")
    expect(first.locator("input[name=fluency]").nth(1)).to_be_checked()
    expect(first.locator("input[name=overall]").nth(2)).not_to_be_checked()
    assert Draft.objects.get().data["fluency"] == 0


def test_offline_and_back_stores_one_judgment(context, page, url):
    open_task(page, url)
    context.set_offline(True)
    answer_all(page)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("No connection")
    page.click("#submit")
    assert not Judgment.objects.exists()
    context.set_offline(False)
    see_task(page, 2)
    assert Judgment.objects.count() == LedgerEntry.objects.count() == 1


def test_a_double_click_stores_one_judgment(page, url):
    open_task(page, url)
    answer_all(page)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.dblclick("#submit")
    see_task(page, 2)
    assert Judgment.objects.count() == 1
    assert sum(address.endswith("/submit") for address in sent) == 1


def test_errors_of_the_server_are_shown_at_their_fields(page, url):
    open_task(page, url)
    choose(page, fluency=0, redundancy=0, overall=2)
    page.fill("#edit", "x")
    page.click("#submit")
    said = re.compile("^This could not be submitted:.*deletes nearly everything")
    expect(page.locator("#missing")).to_have_text(said)
    expect(page.locator("#edit-problem")).to_contain_text("deletes nearly everything")
    expect(page.locator("#edit")).to_be_focused()
    page.fill("#edit", EDITED)
    expect(page.locator("#missing")).to_be_empty()
    page.click("#submit")
    see_task(page, 2)


def test_an_expired_lease_is_explained_and_still_accepted(page, url):
    page.clock.install()
    open_task(page, url)
    answer_all(page)
    leasing.expire_due(
        Campaign.objects.get().pk, now=Assignment.objects.latest("expires_at").expires_at
    )  # the sweep of the server, half an hour on
    page.clock.run_for(61_000)
    expect(page.locator("#missing")).to_contain_text("no longer reserved")
    page.click("#submit")
    see_task(page, 2)
    assert Judgment.objects.count() == 1


def test_returning_asks_first(page, url):
    open_task(page, url)
    text = page.inner_text(".read")
    page.click("[data-opens=give-back]")
    page.click("text=Keep it")
    expect(page.locator("#give-back")).to_be_hidden()
    page.click("[data-opens=give-back]")
    page.click("#give-back-yes")
    expect(page.locator(".read")).not_to_have_text(text)
    assert Assignment.objects.filter(status="returned").count() == 1


def test_without_work_it_looks_again_by_itself(page, url, who):
    life.pause(who.campaign_id)
    page.clock.install()
    page.goto(url)
    expect(page.locator("h1")).to_contain_text("paused")
    expect(page.locator("h1")).to_be_focused()  # the script has started
    life.open_(who.campaign_id)
    page.clock.run_for(16_000)
    see_task(page, 1)


@pytest.mark.parametrize("extra", ["", " allow-same-origin"])
def test_inside_a_sandboxed_frame_of_another_site(page, live_server, who, extra, foreign_site):
    invitation = f"{live_server.url}/work/join/{tokens.invitation_token(who.campaign_id)}/"
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts allow-forms{extra}" src="{invitation}"'
            ' width="1000" height="700"></iframe>'
        )
    )
    frame = page.frame_locator("iframe")
    frame.locator("[name=name]").fill("framed")
    frame.locator("text=Start").click()
    for name in ("fluency", "redundancy"):
        frame.locator(f"input[name={name}]").nth(0).check()
    frame.locator("input[name=overall]").nth(1).check()
    frame.locator("#edit").fill(EDITED)
    expect(frame.locator("#saved")).to_have_attribute("data-state", "saved")
    frame.locator("#submit").click()
    expect(frame.locator("#place")).to_have_text(re.compile("^Task 2 "))
    assert Judgment.objects.get().response["edit"] == EDITED
    expect(frame.locator("[data-current]")).to_be_visible()
    frame.locator("[data-opens=give-back]").click()
    frame.locator("#give-back-yes").click()
    expect(frame.locator("#today")).to_contain_text("1 task")


# ---- what axe finds --------------------------------------------------------------------------


def assert_accessible(page: Page, state: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, f"{state}, {scheme}: {found.generate_report()}"


def test_axe_finds_nothing(browser: Browser, live_server, who, url):
    # Axe is put into the page as a script; the pages' policy is tested elsewhere.
    context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = context.new_page()
    invitation = f"{live_server.url}/work/join/{tokens.invitation_token(who.campaign_id)}/"
    page.goto(invitation)
    assert_accessible(page, "landing page")
    open_task(page, url)
    assert_accessible(page, "task page, empty")
    choose(page, redundancy=2)
    page.fill("#edit", EDITED)
    page.click("#submit")
    expect(page.locator("#edit-diff del").first).to_be_visible()
    assert_accessible(page, "task page, answers missing")
    resize(page, 320, 700)
    assert_accessible(page, "task page, 320 px")
    page.click("[data-opens=instructions]")
    assert_accessible(page, "instructions")
    life.close(who.campaign_id, Campaign.Reason.HAND)
    life.finish(who.campaign_id)
    for assignment in Assignment.objects.all():
        leasing.give_back(assignment.pk, participation_id=who.pk)
    page.goto(url)
    expect(page.locator("#finished")).to_be_visible()
    assert_accessible(page, "finished page")
    context.close()


def test_a_change_undone_at_once_leaves_nothing_to_save(page, url):
    open_task(page, url)
    choose(page, fluency=0)
    saved(page)
    page.evaluate("""() => {
      const [first, second] = document.querySelectorAll("input[name=fluency]");
      second.click();
      first.click();
    }""")
    saved(page)
    page.reload()
    expect(page.locator("input[name=fluency]").first).to_be_checked()


SAME = """(pairs) => import("/static/js/json_data.js")
  .then(({ same }) => pairs.map(([a, b]) => same(a, b)))"""


def test_drafts_are_compared_to_their_depth(page, url):
    page.goto(url)
    alike = [
        [{"a": 1, "b": {"c": [1], "d": None}}, {"b": {"d": None, "c": [1]}, "a": 1}],
        [[], []],
        [None, None],
        [[[0, 5]], [[0, 5]]],
        ["a", "a"],
    ]
    different = [
        [{"a": {"b": 1}}, {"a": {"b": 2}}],
        [{"a": {"b": 1}}, {"a": {}}],
        [{"a": {}}, {"a": []}],
        [{"a": [[0, 5]]}, {"a": [[0, 6]]}],
        [[1, 2], [2, 1]],
        [{}, None],
        [0, None],
        [0, "0"],
        [{"a": None}, {"b": None}],
    ]
    assert page.evaluate(SAME, alike) == [True] * len(alike)
    turned = [[b, a] for a, b in different]
    assert page.evaluate(SAME, different + turned) == [False] * 2 * len(different)


def test_a_page_that_was_on_its_way_while_another_tab_saved_has_its_answers(context, url):
    first, second = context.new_page(), context.new_page()
    open_task(first, url)
    old = first.request.get(url).text()
    choose(first, fluency=0)
    saved(first)
    second.route(url, lambda route: route.fulfill(body=old, content_type="text/html"))
    open_task(second, url)
    expect(second.locator("input[name=fluency]").first).to_be_checked()
    choose(second, overall=1)
    saved(second)
    assert (Draft.objects.get().data["fluency"], Draft.objects.get().data["overall"]) == (1, 0)


def test_what_is_answered_while_a_draft_is_on_its_way_is_not_called_saved(context, url):
    page = context.new_page()
    open_task(page, url)
    held: list[Route] = []
    page.route("**/draft", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/draft"):
        choose(page, fluency=0)
    choose(page, redundancy=0)
    with page.expect_response("**/draft"):
        held[0].continue_()
    saved(page)
    assert (Draft.objects.get().data["fluency"], Draft.objects.get().data["redundancy"]) == (1, 1)


def test_reading_counts_without_a_movement_as_long_as_the_text_may_take(page, url):
    """75 seconds of reading are 75; an open page that nobody looks at is not."""
    page.clock.install()
    open_task(page, url)
    page.clock.run_for(75_000)
    expect(page.locator("#timer")).to_have_text(re.compile(r"^1:1[4-7]$"))
    letters = page.evaluate("document.querySelector('main').innerText.length")
    page.clock.run_for(3_600_000)
    minutes, seconds = page.locator("#timer").inner_text().split(":")
    assert int(minutes) * 60 + int(seconds) <= 30 + letters / 10 + 5
