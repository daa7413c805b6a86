"""What is pressed before the script of a page has started, and a script that does not come."""

import re
import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotate.common import tokens
from annotate.models import Draft, Feedback, Judgment, TutorialAnswer
from tests.annotate.passing import after_guide
from tests.browser.annotators.tasks import answer_all, choose, saved, see_task
from tests.browser.answers import Desk, participant
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCRIPT = re.compile(r"/js/(rating|answer_correctness|me|tutorial)\.js$")


@pytest.fixture
def script(page: Page) -> Callable[[], None]:
    """Keeps the page's script back until it is called."""
    held: list[Route] = []
    free = threading.Event()
    page.route(SCRIPT, lambda route: route.continue_() if free.is_set() else held.append(route))

    def come() -> None:
        free.set()
        while not held:  # it has been asked for, and we may not have been told yet
            page.wait_for_timeout(20)
        held.pop().continue_()

    return come


def before_the_script(page: Page, url: str) -> None:
    page.goto(url, wait_until="commit")
    expect(page.locator("#submit")).to_be_visible()
    expect(page.locator("[data-current]")).to_have_count(0)


def test_answers_and_a_submit_before_the_script_are_stored_once_it_is_there(page, url, script):
    before_the_script(page, url)
    answer_all(page)
    page.click("#submit")
    page.click("#submit")
    script()
    see_task(page, 2)
    assert Judgment.objects.get().response["fluency"] == 1


def test_a_submit_before_the_script_says_what_is_missing_and_keeps_the_answers(page, url, script):
    before_the_script(page, url)
    choose(page, redundancy=1)
    page.click("#submit")
    script()
    expect(page.locator("#missing")).to_contain_text("“Fluency” has no answer")
    expect(page.locator("input[name=redundancy]").nth(1)).to_be_checked()
    saved(page)
    assert Draft.objects.get().data["redundancy"] == 0


def test_the_focus_stays_where_somebody_works_already(page, url, script):
    before_the_script(page, url)
    page.locator("input[name=fluency]").first.focus()
    page.keyboard.press("Space")
    script()
    see_task(page, 1)
    expect(page.locator("input[name=fluency]").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("input[name=fluency]").nth(1)).to_be_checked()


def test_plausible_before_the_script_counts(page, live_server, script):
    desk = Desk(page, live_server.url, participant())
    page.goto(
        f"{live_server.url}/work/p/{tokens.participation_token(desk.who.pk)}/", wait_until="commit"
    )
    page.check("input[name=plausible][value=no]")
    page.click("#submit")
    script()
    expect(page.locator("input[name=plausible]:checked")).to_have_count(0)
    desk.ready()
    assert Judgment.objects.get().response == {"plausible": False, "verdicts": []}


@pytest.mark.parametrize("lost", ["rating", "autosave"])
def test_a_script_that_does_not_come_is_told_about(page, url, lost):
    missing = re.compile(f"/js/{lost}.js$")
    page.route(missing, lambda route: route.abort())
    page.goto(url)
    notice = page.locator("#not-loaded")
    expect(notice).to_contain_text("nothing on it is saved")
    page.unroute(missing)
    notice.locator("a").click()
    see_task(page, 1)
    expect(notice).to_be_hidden()


def test_feedback_before_the_script_is_sent(page, url, who, script):
    judge(who)
    page.goto(f"{url}me/", wait_until="commit")
    page.get_by_label("Generous").check()
    page.click("#feedback-send")
    expect(page.locator("#feedback-thanks")).to_be_hidden()
    script()
    expect(page.locator("#feedback-thanks")).to_be_visible()
    assert Feedback.objects.get().pay == 5


def test_a_check_before_the_script_of_the_tutorial_is_graded(page, live_server, script):
    learner = person(campaign(tutorial=True))
    after_guide(learner)
    answered = TutorialAnswer.objects.count()
    token = tokens.participation_token(learner.pk)
    page.goto(f"{live_server.url}/work/p/{token}/", wait_until="commit")
    page.locator("input[name=choice]").first.check()
    page.click("#check")
    script()
    expect(page.locator("#feedback")).to_be_visible()
    assert TutorialAnswer.objects.count() == answered + 1
