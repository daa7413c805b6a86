"""An appeal in a sandboxed frame and on a phone; being told at work; paying by hand."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Appeal, Participation
from annotate.review import reviews, rulings
from annotate.screening.base import Verdict
from tests.browser.annotators.tasks import answer_all, open_task
from tests.browser.viewport import resize
from tests.factories import judge, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAID = "I read <b>fast</b>, 𝔸s always."


def flag(who: Participation) -> int:
    numbers = {"seconds": 2.6, "others_seconds": 31.0}
    fired = Verdict("too_fast", 0, True, 0.08, 0.01, 0.2, 1.0, 6, True, numbers)
    reviews.flag(who.campaign_id, who.annotator_id, [fired])
    return who.annotator.reviews.get().pk


def test_an_appeal_inside_a_sandboxed_frame_of_another_site(page, url, who, foreign_site):
    judge(who)
    flag(who)
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts" src="{url}" width="1000" height="700"></iframe>'
        )
    )
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name="See what was noticed").click()
    expect(frame.locator("#appeal-text")).to_be_visible()
    page.frames[1].wait_for_load_state("load")  # its scripts have run
    frame.locator("#appeal-text").fill(SAID)
    frame.locator("#appeal-send").click()
    expect(frame.locator("#appeal-received")).to_contain_text("has been received")
    assert Appeal.objects.get().text == SAID


def test_an_appeal_on_a_phone_without_a_connection_and_with_one(page: Page, url, who):
    width = 320
    resize(page, width, 700)
    judge(who)
    review = flag(who)
    page.goto(f"{url}me/")
    page.click("#appeal-send")
    expect(page.locator("#appeal-problem")).to_contain_text("before you send it")
    expect(page.locator("#appeal-text")).to_be_focused()
    page.fill("#appeal-text", SAID)
    page.context.set_offline(True)
    page.click("#appeal-send")
    expect(page.locator("#appeal-problem")).to_contain_text("No connection")
    page.context.set_offline(False)
    page.click("#appeal-send")
    expect(page.locator("#appeal-received")).to_be_focused()
    expect(page.locator("#appeal-received blockquote")).to_have_text(SAID)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    owner = user().pk
    rulings.rule(review, [rulings.Act.CLEAR], actor_id=owner, reason="You are right.")
    page.reload()
    expect(page.locator(".looked")).to_contain_text("Your appeal was upheld.")
    page.get_by_role("link", name="Back to work").click()
    expect(page.locator("[data-current]")).to_be_visible()


def test_what_is_typed_of_an_appeal_survives_a_reload_until_it_is_sent(page: Page, url, who):
    judge(who)
    flag(who)
    page.goto(f"{url}me/")
    page.locator("#appeal-text").press_sequentially("I read fast.")
    page.reload()
    expect(page.locator("#appeal-text")).to_have_value("I read fast.")
    page.click("#appeal-send")
    expect(page.locator("#appeal-received")).to_be_focused()
    assert Appeal.objects.get().text == "I read fast."
    assert page.evaluate("Object.keys(localStorage).filter((k) => k.includes('typed'))") == []


def test_who_is_flagged_meanwhile_is_told_by_the_next_answer(page, url, who):
    open_task(page, url)
    expect(page.locator(".told")).to_be_hidden()
    answer_all(page)
    flag(who)
    page.click("#submit")
    told = page.get_by_role("link", name=re.compile("being looked at|See what was noticed")).first
    expect(told).to_be_visible()
    told.click()
    expect(page.locator("#looked-h")).to_have_text("A person is looking at your work")
