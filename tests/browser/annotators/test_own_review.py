"""An appeal in a sandboxed frame and on a phone; being told at work; paying by hand."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Appeal, Participation, Payout
from annotate.review import reviews, rulings
from annotate.screening.base import Verdict
from tests.browser.annotators.tasks import answer_all, open_task
from tests.browser.researchers import PASSWORD
from tests.browser.viewport import resize
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SAID = "I read <b>fast</b>, 𝔸s always."


def flag(who: Participation) -> int:
    numbers = {"seconds": 2.6, "others_seconds": 31.0}
    fired = Verdict("too_fast", 0, True, 0.08, 0.01, 0.2, 1.0, 6, True, numbers)
    reviews.flag(who.campaign_id, who.annotator_id, [fired])
    return who.annotator.reviews.get().pk


@pytest.mark.parametrize("extra", ["", " allow-same-origin"])
def test_an_appeal_inside_a_sandboxed_frame_of_another_site(page, url, who, extra, foreign_site):
    judge(who)
    flag(who)
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts{extra}" src="{url}"'
            ' width="1000" height="700"></iframe>'
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


@pytest.mark.parametrize("width", [320, 390])
def test_an_appeal_on_a_phone_without_a_connection_and_with_one(page: Page, url, who, width):
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


def test_a_researcher_pays_by_a_list(page: Page, live_server: Any) -> None:
    made = campaign(owner=user())
    for name in ("Ann Lee", "bob"):
        judge(person(made, name))
    page.goto(f"{live_server.url}{reverse('annotate:people', args=[made.public_id])}")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Pay and pay-out lists").click()
    page.get_by_role("row", name="Ann Lee").get_by_role("link", name="Give extra pay").click()
    page.get_by_label("Amount, in $").fill("1.25")
    page.get_by_label("What for").fill("Careful remarks.")
    page.get_by_role("button", name="Give").click()
    expect(page.get_by_text("$1.25 given")).to_be_visible()
    page.get_by_role("button", name="Make a list of $2.05").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download (CSV)").click()
    assert "Ann Lee,1.65" in download.value.path().read_text()
    other = page.context.new_page()
    other.goto(page.url)
    page.bring_to_front()
    page.get_by_role("button", name="Mark as paid").click()
    expect(page.get_by_text("$2.05 recorded as paid.")).to_be_visible()
    other.bring_to_front()
    other.get_by_role("button", name="Mark as paid").click()
    expect(other.get_by_text("was marked as paid before")).to_be_visible()
    assert sum(Payout.objects.values_list("amount", flat=True)) == Decimal("2.05")
    page.get_by_label("was not paid after all").last.check()
    page.get_by_label("Why").fill("It bounced.")
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("Taken back for 1")).to_be_visible()
    assert sum(Payout.objects.values_list("amount", flat=True)) == Decimal("1.65")
    assert User.objects.count() == 1
