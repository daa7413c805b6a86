"""The annotators of a walk: one at a page, and others who judge until the campaign stops."""

import random
from contextlib import closing

from playwright.sync_api import Browser, Page, expect

from annotate.models import Assignment, Campaign, ChangeMark, Participation
from annotate.models.base import CloseReason
from annotate.work import leasing, submitting, tutorial_queries
from tests import chromium
from tests.annotate.passing import pass_tutorial
from tests.browser.annotators.tasks import EDITED, answer_all, learn, learn_by_keyboard, see_task
from tests.browser.walks.pictures import picture
from tests.factories import person
from tests.processes import wait_for

PEOPLE, MOST_TURNS = 12, 200


def judge_until_it_stops(browser: Browser, link: str, *, by_mouse: bool) -> None:
    """One annotator at the page, then others at the services; the worker estimates meanwhile."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(chromium.PATIENCE)
    with closing(context):
        page = context.new_page()
        page.goto(link)
        picture(page, "14-join")
        page.get_by_label("Your name or a code").fill("ann")
        page.get_by_role("button", name="Start").click()
        _learn(page, by_mouse=by_mouse)
        for number in (1, 2):
            _answer(page, number, by_mouse=by_mouse)
        see_task(page, 3)
        _others(Campaign.objects.get())
        _finish(page, 3, by_mouse=by_mouse)
        picture(page, "17-no-more-tasks")


def _learn(page: Page, *, by_mouse: bool) -> None:
    """Take the whole tutorial at the page, and start work."""
    expect(page.locator("#check")).to_be_visible()
    status = tutorial_queries.status(Participation.objects.get().pk)
    assert status is not None
    picture(page, "15-tutorial")
    if by_mouse:
        learn(page, status.questions, promise="")
    else:
        learn_by_keyboard(page, status.questions)
    done = page.get_by_role("heading", name="Well done: you have finished the tutorial")
    expect(done).to_be_focused()
    if by_mouse:
        page.locator("#start").click()
    else:
        page.keyboard.press("Enter")


def _finish(page: Page, number: int, *, by_mouse: bool) -> None:
    """Answer the task on the page, and the one that the page may have fetched in advance."""
    _answer(page, number, by_mouse=by_mouse)
    ended = page.get_by_role("heading", name="You may close this page.")
    expect(ended.or_(page.get_by_text(f"Task {number + 1} of"))).to_be_visible()
    if ended.is_visible():
        expect(page.get_by_text(f"{number} tasks").last).to_be_visible()
    else:
        _finish(page, number + 1, by_mouse=by_mouse)


def _answer(page: Page, number: int, *, by_mouse: bool) -> None:
    see_task(page, number)
    picture(page, f"16-task-{number}")
    if by_mouse:
        answer_all(page)
        page.locator("#submit").click()
    else:
        for key in ("1", "1", "1", "Control+Enter"):
            page.keyboard.press(key)


def _others(made: Campaign) -> None:
    """Let others judge, and the worker estimate meanwhile, until the campaign stops."""
    crowd, chance = [person(made, f"person {n:02}") for n in range(PEOPLE)], random.Random(1)
    for who in crowd:
        pass_tutorial(who)
    for turn in range(MOST_TURNS):
        _one_more(crowd[turn % PEOPLE], level=chance.choice((1, 1, 0)))
        if turn % 10 == 9:
            wait_for(lambda: not ChangeMark.objects.exists())
        made.refresh_from_db()
        if made.status != Campaign.Status.OPEN:
            assert made.close_reason == CloseReason.TARGET
            return
    raise AssertionError("the campaign stays open")


def _one_more(who: Participation, *, level: int) -> None:
    got = leasing.lease(who.pk)
    if isinstance(got, Assignment):
        raw = {"fluency": 1, "redundancy": level, "overall": level}
        raw |= {"edit": None if level == 1 else EDITED}
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=raw, active_seconds=40)
