"""What the page counts while somebody writes, in studies that say that they count it."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate.common import tokens
from annotate.models import Assignment, Judgment
from tests.browser.annotators.tasks import choose, open_task, saved, see_task
from tests.factories import campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ON = {"signals": {"on": True}}
REWRITTEN = "Quite another text that some program wrote."


def opened(page: Page, live_server, **plan) -> None:
    who = person(campaign(**plan))
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    choose(page, fluency=1, redundancy=0, overall=0)


def submitted(page: Page, number: int = 1) -> dict:
    page.locator("#submit").click()
    see_task(page, number + 1)
    judgment = Judgment.objects.latest("pk")
    return Assignment.objects.get(pk=judgment.assignment_id).signals


def clipboard(context: BrowserContext, page: Page, text: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)


def test_typing_pasting_moving_and_scripts_are_told_apart(context, page, live_server):
    opened(page, live_server, screening=ON)
    box = page.locator("#edit")
    box.press("Control+a")
    page.keyboard.type("He met his ownn", delay=60)
    page.keyboard.press("Backspace")
    counts = submitted(page)
    assert counts["typed"] == 15
    assert (counts["keys"], counts["erased"]) == (16, 1)
    assert 10 <= sum(counts["rhythm"]) <= 16
    assert not {"pasted", "pastes", "moved", "placed", "resumed"} & set(counts)
    assert len(counts["network"]) == len(counts["device"]) == 16

    choose(page, fluency=1, redundancy=0, overall=0)
    clipboard(context, page, REWRITTEN)
    box.press("Control+a")
    page.keyboard.press("Control+v")
    expect(box).to_have_value(REWRITTEN)
    again = submitted(page, 2)  # each task counts anew, in the same page
    assert (again["pastes"], again["pasted"]) == (1, len(REWRITTEN))
    assert not {"typed", "moved", "erased"} & set(again)
    assert (again["network"], again["device"]) == (counts["network"], counts["device"])

    choose(page, fluency=1, redundancy=0, overall=0)
    box.press("Control+a")
    page.keyboard.press("Control+x")
    page.keyboard.press("Control+v")
    page.keyboard.type(" So.")
    moved = submitted(page, 3)
    assert (moved["pastes"], moved["typed"]) == (1, 4)
    assert moved["moved"] > 20
    assert "pasted" not in moved

    choose(page, fluency=1, redundancy=0, overall=0)
    page.evaluate(
        """text => {
          const box = document.getElementById("edit");
          box.value = text;
          box.dispatchEvent(new Event("input", { bubbles: true }));
          window.dispatchEvent(new Event("blur"));
          window.dispatchEvent(new Event("focus"));
        }""",
        REWRITTEN,
    )
    placed = submitted(page, 4)
    assert placed["placed"] == len(REWRITTEN)
    assert placed["away"] == 1
    assert not {"typed", "keys", "pastes"} & set(placed)


def test_a_page_that_is_loaded_again_says_so(page, live_server):
    opened(page, live_server, screening=ON)
    page.locator("#edit").fill(REWRITTEN)
    saved(page)
    page.reload()
    expect(page.locator("#edit")).to_have_value(REWRITTEN)
    assert submitted(page)["resumed"] == 1


def test_without_signals_nothing_is_loaded_counted_or_sent(page, live_server):
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    opened(page, live_server)
    choose(page, fluency=0)
    with page.expect_request(lambda request: "submit" in request.url) as sent:
        assert submitted(page) is None
    assert "signals" not in sent.value.post_data_json
    assert not [one for one in loaded if "page_signals" in one]
