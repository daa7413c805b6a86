"""An annotator answers questions of every kind: by mouse, by keyboard alone, and by touch."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Judgment
from annotate.studies import definitions
from tests.annotate.own import every_kind
from tests.browser.annotators.tasks import saved, see_task
from tests.browser.annotators.test_own_instrument import drag
from tests.browser.hands import Keyboard
from tests.factories import campaign, person, rows, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "The 🔴 mill opens at nine. It are near the river."


def address(live_server: Any, *, tasks: int = 2) -> str:
    owner = user()
    definitions.define(every_kind(), owner_id=owner.pk)
    outputs = [replace(row, output=f"{TEXT} ({i})") for i, row in enumerate(rows(items=tasks))]
    made = campaign(
        owner=owner, instrument="kinds", targets={"quality": 5}, metrics=(), rows_=outputs
    )
    return f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/"


def describe(page: Page, number: int, category: str, severity: str) -> None:
    error = page.locator("#evidence-errors li").nth(number)
    error.get_by_label("Category").select_option(category)
    error.get_by_label("Severity").select_option(severity)


def test_all_kinds_are_answered_by_mouse(page: Page, live_server: Any) -> None:
    page.goto(address(live_server))
    see_task(page, 1)
    expect(page.locator("#question-why")).to_be_hidden()
    page.click("#submit")
    for label in ("Errors", "Help", "Flaws", "Quality"):
        expect(page.locator("#missing")).to_contain_text(f"“{label}” has no answer")
    expect(page.locator("#missing")).not_to_contain_text("Re")
    expect(page.locator("#evidence-errors")).to_be_focused()
    drag(page, "It", "It")
    drag(page, "are", "are")
    expect(page.locator("#evidence-errors q")).to_have_text(["It", "are"])
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("Errors")
    expect(page.locator("#evidence-errors .lack")).to_contain_text("category and the severity")
    describe(page, 0, "addition", "minor")
    describe(page, 1, "grammar", "major")
    expect(page.locator("#evidence-errors")).to_have_attribute("data-state", "given")
    page.locator("input[name=helpful][value='0']").check()
    page.locator("textarea[name=why]").fill("It misses the point.")
    page.locator("input[name=flaws]").last.check()
    page.locator("input[name=flaws][value=vague]").check()
    expect(page.locator("input[name=flaws]").last).not_to_be_checked()
    slider = page.locator("input[name=quality]")
    expect(page.locator(".slide output")).to_have_text("–")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".slide output")).to_have_text("50")  # where it stood all the time
    saved(page)
    page.reload()
    expect(page.locator("#evidence-errors q")).to_have_text(["It", "are"])
    expect(page.locator(".slide output")).to_have_text("50")
    expect(page.locator("textarea[name=why]")).to_have_value("It misses the point.")
    page.click("#submit")
    see_task(page, 2)
    expect(page.locator(".slide output")).to_have_text("–")
    expect(page.locator("#evidence-errors li")).to_have_count(0)
    stored = Judgment.objects.select_related("output").get()
    (it, are) = stored.response["errors"]
    assert stored.output.text[it["start"] : it["end"]] == "It"
    assert (it["category"], are["severity"]) == ("addition", "major")
    assert stored.response | {"errors": []} == {
        "errors": [],
        "helpful": 0,
        "why": "It misses the point.",
        "flaws": ["vague"],
        "quality": 50,
        "remark": "",
    }


def test_an_answer_that_is_no_longer_asked_for_is_not_stored(page: Page, live_server: Any) -> None:
    page.goto(address(live_server))
    see_task(page, 1)
    page.get_by_label("No errors").check()
    page.locator("input[name=helpful][value='0']").check()
    page.locator("textarea[name=why]").fill("Never mind.")
    page.locator("input[name=helpful][value='1']").check()
    expect(page.locator("#question-why")).to_be_hidden()
    page.locator("input[name=flaws]").last.check()
    page.locator("input[name=quality]").press("End")
    page.click("#submit")
    see_task(page, 2)
    response = Judgment.objects.get().response
    assert "why" not in response
    assert (response["errors"], response["flaws"], response["quality"]) == ([], [], 100)


@pytest.mark.slow
def test_ten_tasks_by_keyboard_alone(page: Page, live_server: Any) -> None:
    page.goto(address(live_server, tasks=10))
    keys = Keyboard(page)
    for number in range(1, 11):
        see_task(page, number)
        page.keyboard.press("h")
        expect(page.locator("[data-highlighting=on]")).to_be_focused()
        for key in ("End", "ArrowLeft", " ", " ", "Escape"):
            page.keyboard.press(key)
        expect(page.locator("#evidence-errors li")).to_have_count(1)
        keys.reach(page.locator("#evidence-errors [data-of=category]"))
        page.keyboard.press("g")
        keys.reach(page.locator("#evidence-errors [data-of=severity]"))
        page.keyboard.press("c")
        keys.reach(page.locator("input[name=helpful]").first)
        page.keyboard.press("1")
        expect(page.locator("input[name=flaws]").first).to_be_focused()
        page.keyboard.press("2")
        expect(page.locator("input[name=flaws][value=vague]")).to_be_checked()
        keys.reach(page.locator("input[name=quality]"))
        page.keyboard.press("Enter" if number % 2 else "ArrowRight")
        keys.reach(page.locator("textarea[name=remark]"))
        page.keyboard.type(f"Task 1 of {number}")
        page.keyboard.press("Control+Enter")
    see_task(page, 11)
    stored = list(Judgment.objects.order_by("pk").values_list("response", flat=True))
    assert [one["quality"] for one in stored] == [50, 51] * 5
    assert {one["errors"][0]["severity"] for one in stored} == {"critical"}
    assert {one["errors"][0]["category"] for one in stored} == {"grammar"}
    assert [one["remark"] for one in stored] == [f"Task 1 of {n}" for n in range(1, 11)]


@pytest.mark.slow
def test_ten_tasks_by_touch_on_a_phone(phone: Page, live_server: Any) -> None:
    page = phone
    page.goto(address(live_server, tasks=10))
    for number in range(1, 11):
        see_task(page, number)
        tap(page, "nine")
        tap(page, "nine")
        expect(page.locator("#evidence-errors q")).to_have_text("nine")
        describe(page, 0, "omission", "minor")
        page.locator("label", has=page.locator("input[name=helpful][value='1']")).tap()
        page.locator("label", has=page.locator("input[name=flaws][value=rude]")).tap()
        slider = page.locator("input[name=quality]")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        expect(page.locator(".slide output")).to_have_text("100")
        page.locator("#submit").tap()
    see_task(page, 11)
    assert Judgment.objects.count() == 10


def tap(page: Page, word: str) -> None:
    page.locator("#text .read").scroll_into_view_if_needed()
    x, y = page.evaluate(
        """word => {
          const nodes = document.createTreeWalker(document.querySelector("#text .read"), 4);
          while (nodes.nextNode()) {
            const at = nodes.currentNode.data.indexOf(word);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(nodes.currentNode, at);
            range.setEnd(nodes.currentNode, at + word.length);
            const box = range.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
          }
        }""",
        word,
    )
    page.touchscreen.tap(x, y)
