"""Around the tasks: the example before, one's own page, what people think of the work."""

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, Draft, Feedback
from annotate.models.base import CloseReason
from annotate.work import submitting
from tests.browser.annotators.tasks import answer_all, choose, open_task, saved, see_task
from tests.browser.answers import participant
from tests.factories import judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def finish(who) -> None:
    life.close(who.campaign_id, CloseReason.HAND)
    life.finish(who.campaign_id)


def example(page: Page, live_server, made) -> list[str]:
    """Open the example; returns what the page will ask of the server from then on."""
    sent: list[str] = []
    page.goto(f"{live_server.url}/work/preview/{tokens.invitation_token(made.pk)}/")
    expect(page.locator("[data-current]").first).to_be_visible()
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    return sent


def test_an_example_can_be_tried_and_is_not_sent(page, live_server, who):
    page.clock.install()
    sent = example(page, live_server, who.campaign)
    expect(page.locator("#example")).to_contain_text("This is an example.")
    answer_all(page, 1)
    page.fill("#edit", "Tried out.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#missing")).to_contain_text("it is not sent and earns nothing")
    page.clock.run_for(62_000)  # longer than a draft or a heartbeat waits
    assert sent == []
    page.reload()
    expect(page.locator("#questions input:checked")).to_have_count(0)
    page.click("#submit")
    page.click("#missing a")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert not Assignment.objects.exists()
    assert not Draft.objects.exists()


def test_the_example_of_the_other_instrument(page, live_server):
    sent = example(page, live_server, participant().campaign)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("This is an example")
    assert sent == []


def test_from_the_task_to_ones_own_page_and_back(page, url, who):
    judge(who)
    open_task(page, url, 2)
    choose(page, fluency=1)
    page.click("#today a")
    expect(page.locator("h1")).to_have_text("Your work and pay")
    expect(page.locator(".earned")).to_contain_text("$0.40")
    expect(page.locator(".code")).to_have_text(who.annotator.pseudonym)
    page.click("text=Back to work")
    see_task(page, 2)
    expect(page.locator("input[name=fluency]").nth(1)).to_be_checked()


def test_feedback_is_asked_for_at_the_end_and_may_be_left(page, url, who):
    judge(who)
    finish(who)
    page.goto(url)
    expect(page.locator("#finished")).to_be_visible()
    page.click("#feedback-send")
    expect(page.locator("#feedback-problem")).to_contain_text("optional")
    page.get_by_label("Clear", exact=True).check()
    page.fill("#comment", "Thanks for <b>this</b>")
    page.context.set_offline(True)
    page.click("#feedback-send")
    expect(page.locator("#feedback-problem")).to_contain_text("No connection")
    page.context.set_offline(False)
    page.click("#feedback-send")
    expect(page.locator("#feedback-thanks")).to_contain_text("Thank you")
    expect(page.locator("#feedback-thanks")).to_be_focused()
    stored = Feedback.objects.get()
    assert (stored.clarity, stored.pay, stored.comment) == (4, None, "Thanks for <b>this</b>")
    page.reload()
    expect(page.locator("#finished")).to_be_visible()
    expect(page.locator("#feedback")).to_have_count(0)


@pytest.mark.parametrize("extra", ["", " allow-same-origin"])
def test_feedback_inside_a_sandboxed_frame_of_another_site(page, url, who, extra, foreign_site):
    judge(who)
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts{extra}" src="{url}me/"'
            ' width="1000" height="700"></iframe>'
        )
    )
    frame = page.frame_locator("iframe")
    frame.get_by_label("Generous").check()
    frame.locator("#feedback-send").click()
    expect(frame.locator("#feedback-thanks")).to_contain_text("Thank you")
    assert Feedback.objects.get().pay == 5


def older(route: Route) -> None:
    """Send it on as from a page of an earlier version."""
    body = json.loads(route.request.post_data or "")
    route.continue_(post_data=json.dumps(body | {"version": "0"}))


def test_dialogs_close_in_a_frame_that_may_send_no_forms(page, url, foreign_site):
    page.goto(
        foreign_site(
            f'<iframe sandbox="allow-scripts" src="{url}" width="1000" height="700"></iframe>'
        )
    )
    frame = page.frame_locator("iframe")
    expect(frame.locator("[data-current]")).to_be_visible()
    frame.locator("[data-opens=instructions]").click()
    frame.locator("#instructions").get_by_role("button", name="Close").click()
    expect(frame.locator("#instructions")).to_be_hidden()


def test_answers_to_an_old_wording_are_kept_and_the_page_says_so(page, url):
    open_task(page, url)
    answer_all(page)
    saved(page)
    page.route(re.compile("/submit$"), older)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("wording of this study has changed")
    page.unroute_all()
    page.click("#missing a")
    see_task(page, 1)
    expect(page.locator("#questions input:checked")).to_have_count(3)
    page.click("#submit")
    see_task(page, 2)


def test_without_a_lease_the_draft_stays_and_the_way_on_is_shown(page, url, who):
    """A forged or expired key: nothing is stored, nothing is lost here."""
    open_task(page, url)
    answer_all(page)
    saved(page)
    page.route(
        re.compile("/submit$"),
        lambda route: route.continue_(
            headers={**route.request.headers, "authorization": "Bearer forged"}
        ),
    )
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("lost its key")
    expect(page.locator("#questions input:checked")).to_have_count(3)
    assert Draft.objects.get().data["fluency"] == 1


def test_what_another_visit_has_submitted_leads_on(page, url, who):
    open_task(page, url)
    answer_all(page)
    saved(page)
    now = Assignment.objects.earliest("pk")
    good = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}
    submitting.submit_judgment(now.pk, participation_id=who.pk, raw=good)
    page.click("#submit")
    see_task(page, 2)
