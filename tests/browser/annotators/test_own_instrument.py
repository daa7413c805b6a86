"""An annotator at a page that was drawn from a researcher's own definition."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Campaign, Judgment
from annotate.studies import definitions
from tests.annotate.own import marked
from tests.browser.annotators.tasks import choose, saved, see_task
from tests.factories import campaign, person, rows, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MARKUP = "<img src=x onerror=\"document.title='broken'\">"
TEXT = "Hold the 🔴 button for ten seconds."


def open_own(page: Page, live_server: Any, **changes: Any) -> Campaign:
    owner = user()
    definitions.define(marked(**changes), owner_id=owner.pk)
    outputs = [replace(row, output=f"{TEXT} ({i})", input="How?") for i, row in enumerate(rows())]
    made = campaign(
        owner=owner, instrument="marked", targets={"helpful": 0.4}, metrics=(), rows_=outputs
    )
    token = tokens.participation_token(person(made).pk)
    page.goto(f"{live_server.url}/work/p/{token}/")
    see_task(page, 1)
    return made


def drag(page: Page, first: str, last: str) -> None:
    """Highlight from one word to another, by mouse."""
    ends = page.evaluate(
        """words => {
          const node = document.createTreeWalker(document.querySelector("#text .read"), 4);
          const rects = [];
          while (node.nextNode()) for (const word of words) {
            const at = node.currentNode.data.indexOf(word);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node.currentNode, at);
            range.setEnd(node.currentNode, at + word.length);
            const box = range.getBoundingClientRect();
            rects.push([box.left + 2, box.right - 2, box.top + box.height / 2]);
          }
          return rects;
        }""",
        [first, last],
    )
    (start, _, top), (_, end, bottom) = ends[0], ends[-1]
    page.mouse.move(start, top)
    page.mouse.down()
    page.mouse.move(end, bottom, steps=6)
    page.mouse.up()


def test_five_levels_by_keys_and_highlights_by_mouse(page: Page, live_server: Any) -> None:
    open_own(page, live_server)
    expect(page.locator("#input")).to_contain_text("How?")
    page.keyboard.press("5")
    expect(page.locator("#evidence-helpful")).to_have_attribute("data-state", "needed")
    expect(page.locator("input[name=invented]").first).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#missing")).to_contain_text("highlights for “Help”")
    expect(page.locator("#evidence-helpful")).to_be_focused()
    expect(page.locator("#evidence-helpful .lack")).to_be_visible()
    drag(page, "button", "ten")
    expect(page.locator("#evidence-helpful q")).to_have_text("button for ten")
    expect(page.locator("#missing")).to_be_empty()
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    stored = Judgment.objects.select_related("output").get()
    ((start, end),) = stored.response["evidence"]["helpful"]
    assert stored.output.text[start:end] == "button for ten"
    assert (stored.response["helpful"], stored.response["invented"]) == (-2, 0)
    choose(page, helpful=4, invented=0)  # put in place without a page load
    drag(page, "Hold", "Hold")
    expect(page.locator("#evidence-helpful q")).to_have_text("Hold")
    page.click("#submit")
    see_task(page, 3)
    assert Judgment.objects.count() == 2


def test_each_question_keeps_its_own_highlights_over_a_reload(page: Page, live_server: Any) -> None:
    open_own(page, live_server)
    choose(page, helpful=4)
    drag(page, "button", "button")
    choose(page, invented=1)
    expect(page.locator("#text .read mark")).to_have_count(0)
    drag(page, "ten", "seconds")
    expect(page.locator("#evidence-invented q")).to_have_text("ten seconds")
    saved(page)
    page.reload()
    expect(page.locator("#evidence-helpful q")).to_have_text("button")
    expect(page.locator("#evidence-invented q")).to_have_text("ten seconds")
    page.click("#evidence-helpful [aria-pressed]")
    expect(page.locator("#text .read mark")).to_have_text("button")
    page.fill("#edit", "Hold the button for ten seconds, please.")
    page.click("#submit")
    see_task(page, 2)
    evidence = Judgment.objects.get().response["evidence"]
    assert {name: len(spans) for name, spans in evidence.items()} == {"helpful": 1, "invented": 1}


def test_an_edit_that_was_reset_comes_back(page: Page, live_server: Any) -> None:
    open_own(page, live_server)
    choose(page, helpful=0, invented=1)
    page.fill("#edit", "Hold it.")
    original = page.evaluate("document.querySelector('#text .read').textContent")
    page.click("text=Start again from the original")
    expect(page.locator("#edit")).to_have_value(original)
    page.click("text=Bring my edit back")
    expect(page.locator("#edit")).to_have_value("Hold it.")
    page.click("text=Start again from the original")
    page.locator("#edit").press_sequentially("x")
    expect(page.locator("#edit-reset")).to_have_text("Start again from the original")


def test_a_reset_can_be_undone_by_the_keys(page: Page, live_server: Any) -> None:
    open_own(page, live_server)
    choose(page, helpful=0, invented=1)
    page.locator("#edit").press("Control+a")
    page.locator("#edit").press_sequentially("Hold it.")
    page.click("text=Start again from the original")
    page.locator("#edit").press("Control+z")
    expect(page.locator("#edit")).to_have_value("Hold it.")
    page.click("text=Start again from the original")
    page.locator("#edit").press_sequentially("x")
    for _change in range(2):
        page.locator("#edit").press("Control+z")
    expect(page.locator("#edit")).to_have_value("Hold it.")
    saved(page)
    page.reload()
    expect(page.locator("#edit")).to_have_value("Hold it.")


def test_nothing_moves_when_a_small_edit_is_remarked_on(page: Page, live_server: Any) -> None:
    open_own(page, live_server)
    choose(page, helpful=0, invented=1)
    page.fill("#edit", "Hold the button for ten seconds, please, and wait.")
    expect(page.locator("#edit-diff ins").first).to_be_visible()
    where = "document.getElementById('edit-diff').getBoundingClientRect().top + scrollY"
    place = page.evaluate(where)
    page.locator("#edit").fill(
        page.evaluate("document.querySelector('#text .read').textContent") + "!"
    )
    expect(page.locator("#edit-tiny")).to_be_visible()
    assert page.evaluate(where) == place


def test_markup_in_a_definition_is_shown_as_text(page: Page, live_server: Any) -> None:
    whole = marked()
    whole["criteria"][0]["label"] = MARKUP
    whole["criteria"][0]["levels"][4]["cue"] = MARKUP
    whole["criteria"][0]["evidence"] = MARKUP
    whole["instructions"][0]["text"] = MARKUP
    words = dict.fromkeys(("task", "hint", "about", "input_label"), MARKUP)
    edit = dict.fromkeys(("title", "hint", "when"), MARKUP)
    made = open_own(
        page,
        live_server,
        criteria=whole["criteria"],
        edit=edit,
        instructions=whole["instructions"],
        steps=[MARKUP],
        **words,
    )
    choose(page, helpful=4, invented=1)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text(MARKUP)
    expect(page.locator("h1")).to_have_text(MARKUP)
    expect(page.locator("#edit-why")).to_contain_text(MARKUP)
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_contain_text(MARKUP)
    assert page.locator("img").count() == 0
    page.goto(f"{live_server.url}/work/join/{tokens.invitation_token(made.pk)}/")
    expect(page.locator(".about")).to_contain_text(MARKUP)
    assert page.locator("img").count() == 0
