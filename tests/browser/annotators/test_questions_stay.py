"""Beside a long text the questions stay on the screen; nothing that has the focus is covered."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Campaign, Participation
from annotate.studies import definitions, tutorials
from tests.annotate.own import marked
from tests.annotate.passing import after_guide
from tests.browser.annotators.kinds_of_text import LONG
from tests.browser.annotators.tasks import see_task
from tests.browser.annotators.test_text_layout import at_work, marked_study, rated
from tests.browser.annotators.test_tutorial import started
from tests.browser.viewport import resize
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What can have the focus and is shown, in the order of the page.
FOCUSABLE = """() => {
  const all = [...document.querySelectorAll(
    "a[href], button, input, textarea, summary, [tabindex='0']")];
  window.focusable = all.filter((e) => e.checkVisibility() && !e.disabled
    && !e.closest(".send, dialog, .skip"));
  return window.focusable.length;
}"""
# How much of it is uncovered, in px; a text that is higher than the screen need not be whole.
UNCOVERED = """(index) => {
  const element = window.focusable[index];
  element.focus();
  const { top, bottom, height } = (element.closest(".level") ?? element).getBoundingClientRect();
  const box = element.closest(".stays")?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
  const bar = document.querySelector(".send");
  const sticks = getComputedStyle(bar).position === "sticky";
  const free = sticks ? bar.getBoundingClientRect().top : innerHeight;
  const seen = Math.min(bottom, box.bottom, free, innerHeight) - Math.max(top, box.top, 0);
  return { seen: Math.ceil(seen), all: Math.floor(height), what: element.outerHTML.slice(0, 120) };
}"""


def covered(page: Page, *, at_least: int = 6) -> list[Any]:
    """Return what is not whole on the screen when it has the focus, or not 56 px of it."""
    n = page.evaluate(FOCUSABLE)
    assert n >= at_least
    return [one for index in range(n) if (one := _covered(page, index))]


def _covered(page: Page, index: int) -> Any:
    """Return the control if it stays covered; a bar that grows moves what has the focus."""
    for _ in range(20):
        one = page.evaluate(UNCOVERED, index)
        if one["seen"] >= min(one["all"], 56):
            return None
        page.wait_for_timeout(50)
    return one


def long_study(**changes: Any) -> Campaign:
    """Eight questions of seven levels beside a long text: higher than any screen."""
    criteria = [
        {
            "name": f"c{n}",
            "label": f"Question {n}",
            "question": "How far does it hold?",
            "levels": [
                {"value": value, "label": f"Level {value}", "cue": "When to choose it"}
                for value in range(7)
            ],
        }
        for n in range(8)
    ]
    definition = marked(key="many", criteria=criteria, **changes)
    definitions.define(definition, owner_id=user().pk)
    rows = [Row(str(n), "alpha", LONG, input=LONG) for n in range(2)]
    return campaign(rows_=rows, instrument="many", targets={"c0": 0.4}, metrics=(), double_share=0)


def answers_study() -> Campaign:
    rows = [Row(str(n), "a", "Yes", input="Is it?", paragraphs=(LONG, "No.")) for n in range(2)]
    return campaign(
        rows_=rows,
        instrument="answer_correctness",
        metrics=(),
        double_share=0,
        targets={"any_correct": 0.2},
    )


def in_view(page: Page, selector: str) -> bool:
    return bool(
        page.locator(selector).first.evaluate(
            """e => {
              const { top, bottom } = e.getBoundingClientRect();
              const bar = document.querySelector(".send").getBoundingClientRect();
              return top >= 0 && bottom <= bar.top;
            }"""
        )
    )


def scroll(page: Page, share: float) -> None:
    page.evaluate(
        """share => {
          const text = document.querySelector("#text .read, .paragraph .text, .sheet .read");
          const { top, height } = text.getBoundingClientRect();
          scrollTo({ top: scrollY + top + share * height, behavior: "instant" });
        }""",
        share,
    )


def test_the_questions_stay_beside_a_long_text(page: Page, live_server: Any) -> None:
    at_work(page, live_server, rated(LONG))
    see_task(page, 1)
    for share in (0.1, 0.5, 0.8):
        scroll(page, share)
        assert in_view(page, "#question-fluency"), share
        assert in_view(page, "#question-overall .level:last-child"), share
    before = page.evaluate("scrollY")
    page.click("#question-overall .level >> nth=2")
    for key in ("1", "2", "3"):
        page.keyboard.press(key)
    expect(page.locator("#question-redundancy input").nth(2)).to_be_checked()
    assert page.evaluate("scrollY") == before, "the text does not move while somebody answers"
    measured = "parseInt(getComputedStyle(document.documentElement).getPropertyValue('--bar'))"
    bar = page.evaluate(measured)
    page.click("#question-overall .level >> nth=0")
    page.click("#question-fluency .level >> nth=0")
    page.click("#question-redundancy .level >> nth=0")
    page.click("#submit")
    see_task(page, 2)
    assert bar > 40
    page.wait_for_function(f"{measured} === {bar}")
    scroll(page, 0.5)
    assert in_view(page, "#question-overall .level:last-child")


def test_so_do_those_beside_a_long_paragraph(page: Page, live_server: Any) -> None:
    at_work(page, live_server, answers_study())
    expect(page.locator(".crit[data-current]")).to_have_count(1)
    for share in (0.1, 0.5, 0.8):
        scroll(page, share)
        assert in_view(page, "#paragraph-1 .judge .crit"), share
        assert in_view(page, ".steps li"), share
    before = page.evaluate("scrollY")
    page.check("input[name=paragraph-1][value='-1']")
    expect(page.locator("#paragraph-1")).to_have_attribute("data-state", "highlight")
    assert page.evaluate("scrollY") == before


def test_questions_that_are_higher_than_the_screen_can_all_be_reached(
    page: Page, live_server: Any
) -> None:
    at_work(page, live_server, long_study())
    see_task(page, 1)
    scroll(page, 0.4)
    for n in range(8):
        page.focus(f"input[name=c{n}] >> nth=6")
        assert in_view(page, f"#question-c{n} .level:last-child"), n
    page.mouse.move(1000, 400)
    page.mouse.wheel(0, -5000)
    expect(page.locator("#question-c0")).to_be_in_viewport()


def test_on_a_phone_nothing_stays_and_nothing_jumps(browser: Browser, live_server: Any) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    at_work(page, live_server, rated(LONG))
    see_task(page, 1)
    scroll(page, 0.5)
    assert not in_view(page, "#question-fluency")
    page.locator("#question-fluency").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    tops = "[...document.querySelectorAll('.crit')].map((e) => e.getBoundingClientRect().top)"
    where = page.evaluate(tops)
    page.locator("#question-fluency .level >> nth=1").tap()
    assert page.evaluate("scrollY") == before
    assert page.evaluate(tops) == where
    context.close()


@pytest.mark.parametrize("size", [(1280, 800), (1280, 500), (390, 844), (320, 568), (640, 360)])
@pytest.mark.parametrize("kind", ["many", "marked", "answers"])
def test_nothing_that_has_the_focus_is_covered(
    page: Page, live_server: Any, kind: str, size: tuple[int, int]
) -> None:
    """WCAG 2.4.11, with the bar at the bottom at its highest: it names all that is missing."""
    resize(page, size[0], size[1])
    makers = {"many": long_study, "marked": lambda: marked_study(LONG), "answers": answers_study}
    at_work(page, live_server, makers[kind]())
    expect(page.locator(".crit[data-current]")).to_have_count(1)
    if kind == "marked":
        page.check("input[name=helpful] >> nth=4")
        page.check("input[name=invented] >> nth=1")
        expect(page.locator("#edit-area")).to_be_visible()
    assert covered(page) == []
    page.click("#submit")
    expect(page.locator("#missing a").first).to_be_visible()
    focused = "e => e.contains(document.activeElement)"
    assert page.locator("main").evaluate(focused), "the first that is missing has the focus"
    assert covered(page) == []


def test_a_bar_that_grows_moves_what_has_the_focus(page: Page, live_server: Any) -> None:
    resize(page, 1280, 500)
    at_work(page, live_server, marked_study(LONG))
    last = page.locator(".under button").last
    last.focus()
    assert in_view(page, ".under button:last-child")
    page.locator("#saved-text").evaluate("e => (e.textContent = 'A longer word. '.repeat(40))")
    page.wait_for_function(
        """() => document.activeElement.getBoundingClientRect().bottom
            <= document.querySelector(".send").getBoundingClientRect().top"""
    )
    expect(last).to_be_focused()


def test_the_bar_never_takes_most_of_the_screen(page: Page, live_server: Any) -> None:
    resize(page, 320, 568)
    at_work(page, live_server, long_study())
    see_task(page, 1)
    page.click("#submit")
    expect(page.locator("#missing a")).to_have_count(8)
    assert page.locator(".send").evaluate("e => e.offsetHeight") < 0.6 * 568
    page.locator("#missing a").nth(7).click()
    expect(page.locator("input[name=c7]").first).to_be_focused()
    assert covered(page) == []


def test_the_questions_of_a_tutorial_stay_too(page: Page, live_server: Any) -> None:

    raw = json.loads(tutorials.tutorial_file("language_quality", "en"))
    choice = next(one for one in raw["questions"] if one["kind"] == "choice")
    choice["text"] = LONG[:3900]
    made = definitions.store_tutorial(raw, reference="language_quality", owner_id=user().pk)
    who: Participation = person(campaign(tutorial=True, tutorial_id=made.pk))
    after_guide(who)
    resize(page, 1280, 600)
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    started(page)
    for share in (0.1, 0.4):
        scroll(page, share)
        assert in_view(page, "#choice"), share
    assert covered(page, at_least=3) == []
