"""An annotator who rates all texts of an item, which stand side by side, by keys."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Judgment
from annotate.studies import definitions
from tests.annotate.own import marked, side_by_side
from tests.annotate.side_by_side.studies import rows, study
from tests.browser.annotators.tasks import open_task, saved, see_task
from tests.browser.viewport import resize
from tests.factories import campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "The ferry runs again from Sunday, the company said. " * 40


def at(page: Page, live_server: Any, texts: list[Row] | None = None, **changes: Any) -> None:
    made = study(texts=texts or rows(3), annotator_cap=None, **changes)
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")


def texts(page: Page) -> list[str]:
    return page.locator(".sheets .read").all_inner_texts()


def rated(page: Page) -> str:
    return page.locator(".rated .read").inner_text()


def rate(page: Page, first: str, second: str) -> None:
    page.keyboard.press(first)
    page.keyboard.press(second)
    page.keyboard.press("Control+Enter")


def test_from_the_first_to_the_last_text_of_an_item_by_three_presses_each(
    page: Page, live_server: Any
) -> None:
    at(page, live_server)
    page.evaluate("window.same = true")
    order = texts(page)
    said = ["Solves it", "Helps much", "Helps a little"]
    for number in (1, 2, 3):
        see_task(page, number)
        assert texts(page) == order
        assert rated(page) == order[number - 1]
        expect(page.locator(".rated h2")).to_have_text(f"Text {number} of 3: rate this one")
        shown = [f"Your answer: Help: {one}, Invention: Nothing" for one in said[: number - 1]]
        expect(page.locator(".said:not(:empty)")).to_have_text(shown)
        rate(page, str(number), "1")
    see_task(page, 4)
    assert set(texts(page)) & set(order) == set()
    expect(page.locator(".said:not(:empty)")).to_have_count(0)
    assert page.evaluate("window.same")  # no page was loaded
    stored = Judgment.objects.order_by("pk").values_list("output__text", "response__helpful")
    assert list(stored) == list(zip(order, (2, 1, 0), strict=True))


def test_a_reload_changes_nothing(page: Page, live_server: Any) -> None:
    at(page, live_server)
    rate(page, "2", "1")
    see_task(page, 2)
    before, said = texts(page), page.locator(".said:not(:empty)").all_inner_texts()
    page.keyboard.press("4")
    saved(page)
    page.reload()
    see_task(page, 2)
    assert texts(page) == before
    assert page.locator(".said:not(:empty)").all_inner_texts() == said != []
    expect(page.locator("input:checked")).to_have_value("-1")


def test_the_last_text_is_corrected_among_the_others(page: Page, live_server: Any) -> None:
    at(page, live_server)
    order = texts(page)
    rate(page, "2", "1")
    see_task(page, 2)
    rate(page, "3", "1")
    see_task(page, 3)
    page.get_by_role("link", name="Correct the last text").click()
    expect(page.locator("[data-current]")).to_be_visible()
    assert (texts(page), rated(page)) == (order, order[1])
    expect(page.locator(".said:not(:empty)")).to_have_text(
        ["Your answer: Help: Helps much, Invention: Nothing"]
    )
    page.locator("input[name=helpful]").nth(4).check()
    page.click("#submit")
    see_task(page, 3)
    expect(page.locator(".said:not(:empty)")).to_contain_text(["Helps much", "Misleads"])


def many(systems: int = 12) -> list[Row]:
    return [Row(f"i{item}", f"s{n}", f"{n}. {LONG}") for item in range(2) for n in range(systems)]


def test_the_text_to_rate_is_in_view_among_twelve_long_ones(page: Page, live_server: Any) -> None:
    at(page, live_server, many())
    for number in range(1, 13):
        see_task(page, number)
        expect(page.locator(".rated h2")).to_contain_text(f"Text {number} of 12")
        expect(page.locator(".rated h2")).to_be_in_viewport()
        expect(page.locator("#questions")).to_be_in_viewport()
        rate(page, "1", "1")
    see_task(page, 13)
    expect(page.locator(".rated h2")).to_be_in_viewport()


def test_beside_each_other_on_a_wide_screen(page: Page, live_server: Any) -> None:
    at(page, live_server)
    first, second = (page.locator(".sheets .sheet").nth(n).bounding_box() for n in (0, 1))
    form = page.locator("#questions").bounding_box()
    assert first is not None
    assert second is not None
    assert form is not None
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    assert second["x"] + second["width"] <= form["x"]


def test_on_a_phone_the_questions_follow_the_text_to_rate(page: Page, live_server: Any) -> None:
    resize(page, 390, 844)
    at(page, live_server)
    rate(page, "1", "1")
    see_task(page, 2)
    boxes = [
        page.locator(one).first.bounding_box()
        for one in (".rated", "#questions", ".sheet:not(.rated)")
    ]
    tops = [box["y"] for box in boxes if box]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3


SHIFTS = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 500);
})"""


def test_nothing_moves_once_it_is_shown(page: Page, live_server: Any) -> None:
    at(page, live_server, many(4))
    assert page.evaluate(SHIFTS) < 0.01


def test_highlights_and_edit_are_of_the_marked_text(page: Page, live_server: Any) -> None:
    definition = side_by_side(key="with_edit", criteria=marked()["criteria"])
    definitions.define(definition, owner_id=None)
    made = campaign(
        rows_=rows(2), instrument="with_edit", targets={"helpful": 0.4}, metrics=(), double_share=0
    )
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    rate(page, "1", "1")
    see_task(page, 2)
    text = rated(page)
    page.locator("input[name=helpful]").nth(4).check()
    page.locator("input[name=invented]").nth(1).check()
    assert page.locator("#edit").input_value() == text
    page.locator("#edit").fill(text + " Mended.")
    for name in ("helpful", "invented"):
        page.click(f"#evidence-{name} [aria-pressed]")
        page.keyboard.press("h")
        expect(page.locator("#text [data-highlighting=on]")).to_be_focused()
        for key in (" ", "ArrowRight", " ", "Escape"):
            page.keyboard.press(key)
        expect(page.locator(f"#evidence-{name} li")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    see_task(page, 3)
    stored = Judgment.objects.latest("pk")
    assert stored.output.text == text
    assert stored.response["edit"] == text + " Mended."
    expect(page.locator(".said:not(:empty)").last).to_contain_text("Misleads, Invention: Something")


def test_what_it_needs_is_loaded_there_alone(page: Page, live_server: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    at(page, live_server)
    assert len([one for one in asked if "side_by_side" in one]) == 2
    asked.clear()
    plain = campaign()
    open_task(page, f"{live_server.url}/work/p/{tokens.participation_token(person(plain).pk)}/")
    assert not [one for one in asked if "side_by_side" in one]
