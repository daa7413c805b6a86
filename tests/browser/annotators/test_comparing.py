"""Two long texts are compared while they are read: beside each other, or one at a time."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Campaign, Judgment
from annotate.studies import definitions
from tests.annotate.comparing import compared
from tests.annotate.own import marked
from tests.browser.annotators.tasks import see_task
from tests.browser.annotators.test_questions_stay import covered
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = [(1280, 800), (768, 1024), (390, 844), (320, 568)]
WORDS = "The harbour museum of Brandel opens again on Saturday after two years. "
LONG = "\n\n".join(f"{n}. {WORDS * 8}" for n in range(1, 43))  # 4,000 words


def chat(words: str) -> str:
    return json.dumps([{"role": "user", "content": "When?"}, {"role": "bot", "content": words}])


SIDES = {
    "plain": (LONG, f"{LONG} Closed."),
    "markdown": (f"# Hours\n\n{LONG}\n\n```python\n{'x = 1  ' * 60}\n```", f"- {LONG}"),
    "right to left": ("النص الأول مكتوب من اليمين إلى اليسار. " * 500, "قصير"),
    "chinese": ("逐行读取，不占内存。" * 500, "逐行读取。"),
    "chat": (chat(LONG), chat("It opens on **Saturday**.")),
}
# Where the page is, and where what somebody answers with is on the screen.
SCROLL = "scrollY"
BOX = "e => { const { left, right, top, bottom } = e.getBoundingClientRect();"
LEVELS = f"all => all.map({BOX} return [left, right, top, bottom]; }})"


def study(kind: str = "plain", **changes: Any) -> Campaign:
    first, second = SIDES[kind]
    rows = [
        Row(f"i{n}", name, text, input="What does the museum say?")
        for n in range(3)
        for name, text in (("A", first), ("B", second))
    ]
    form = {"markdown": "markdown", "chat": "chat"}.get(kind, "plain")
    return compared(rows, double_share=0, output_form=form, **changes)


def own_study() -> Campaign:
    """Three questions about pairs, one with levels that no phone has room for in a row."""
    levels = [
        {
            "value": value,
            "label": f"{word} {'and in every way that matters' * (n == 1)}",
            "cue": "So",
        }
        for n in range(3)
        for value, word in [(1 - n, ("First", "Equal", "Second")[n])]
    ]
    criteria = [
        {"name": f"c{n}", "label": f"Question {n}", "question": "Which?", "levels": levels}
        for n in range(3)
    ]
    example = {"text": "One.", "second": "Two."}
    definition = marked(
        key="both", criteria=criteria, compares=True, example=example, input_label=""
    )
    definitions.define(definition, owner_id=user().pk)
    rows = [Row(f"i{n}", name, LONG, input="") for n in range(3) for name in "AB"]
    rows = [Row(r.item, r.system, f"{r.system} {r.output}") for r in rows]
    return campaign(rows_=rows, instrument="both", targets={"c0": 0.4}, metrics=(), double_share=0)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}px")
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@pytest.fixture
def screen(size: tuple[int, int], browser: Browser) -> Iterator[Page]:
    """A screen of this size; those of phones and tablets are touched."""
    small = size[0] < 1000
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=small, is_mobile=small
    )
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def begin(page: Page, live_server: Any, made: Campaign) -> None:
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(person(made).pk)}/")
    see_task(page, 1)


def scrolled(page: Page, to: int) -> int:
    page.evaluate("to => scrollTo({ top: to, behavior: 'instant' })", to)
    return int(page.evaluate(SCROLL))


def press(page: Page, selector: str) -> None:
    one = page.locator(selector)
    if page.viewport_size["width"] < 1000:
        one.tap()
    else:
        one.click()


@pytest.mark.parametrize("kind", SIDES)
def test_a_pair_is_answered_where_it_is_read(
    kind: str, screen: Page, size: tuple[int, int], live_server: Any
) -> None:
    page = screen
    begin(page, live_server, study(kind))
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    texts = page.locator(".pair .sheet")
    if size[0] >= 768:
        left, right = texts.evaluate_all(LEVELS)
        assert left[2] == right[2]
        assert left[1] < right[0]
        expect(page.locator(".which")).to_be_hidden()
    else:
        expect(texts.nth(1)).to_be_hidden()
        press(page, "#which-2")
        expect(texts.nth(0)).to_be_hidden()
        expect(texts.nth(1)).to_be_visible()
    where = scrolled(page, 3000)
    for level in page.locator("#questions .level").all():
        expect(level).to_be_in_viewport(ratio=1)
    # About half of the screen is left for the text.
    free = page.locator("#questions").bounding_box()["y"]
    assert free > 0.4 * size[1]
    press(page, "#questions .level >> nth=4")
    assert page.evaluate(SCROLL) == where
    press(page, "#submit")
    see_task(page, 2)
    assert page.evaluate(SCROLL) == 0
    assert abs(Judgment.objects.get().response["preference"]) == 1


def test_no_key_moves_the_page(screen: Page, size: tuple[int, int], live_server: Any) -> None:
    page = screen
    begin(page, live_server, study())
    where = scrolled(page, 2500)
    assert where == 2500
    for key in ("1", "6", "4", "ArrowLeft", "ArrowRight", "2", "Space", "3"):
        page.keyboard.press(key)
        assert page.evaluate(SCROLL) == where, key
    page.keyboard.press("Control+Enter")
    see_task(page, 2)


def test_every_answer_is_as_far_from_submit(
    screen: Page, size: tuple[int, int], live_server: Any
) -> None:
    page = screen
    begin(page, live_server, study())
    left, right, top, _bottom = page.locator("#submit").evaluate_all(LEVELS)[0]
    answers = page.locator("#questions .level").evaluate_all(LEVELS)
    assert len(answers) == 6
    assert len({round(top - one[3]) for one in answers}) == 1
    for one in answers:
        assert left - 1 <= (one[0] + one[1]) / 2 <= right + 1
        assert one[1] - one[0] >= 44
        assert one[3] - one[2] >= 44


def test_each_text_is_shown_again_where_it_was_left(browser: Browser, live_server: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    begin(page, live_server, study())
    scrolled(page, 2000)
    top = page.locator("#text").evaluate("e => scrollY + e.getBoundingClientRect().top")
    page.locator("#which-2").tap()
    assert abs(page.evaluate(SCROLL) - top) < 2  # a text begins at its beginning
    scrolled(page, 1200)
    page.locator("#which-1").tap()
    assert page.evaluate(SCROLL) == 2000
    page.keyboard.press("ArrowRight")  # the switch has the focus
    expect(page.locator("#which-2")).to_be_checked()
    assert page.evaluate(SCROLL) == 1200
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    expect(page.locator("#which-1")).to_be_checked()
    context.close()


def test_the_usual_time_is_that_of_the_texts(page: Page, live_server: Any) -> None:
    long = [Row("i0", "A", LONG), Row("i0", "B", f"{LONG} Closed.")]
    short = [Row("i1", "A", "Yes."), Row("i1", "B", "No.")]
    begin(page, live_server, compared(long + short, double_share=0))
    said = {page.locator("[data-part=usual]").inner_text()}
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    see_task(page, 2)
    said.add(page.locator("[data-part=usual]").inner_text())
    # 8,150 words, at 250 and at 150 a minute; and what the instrument announces.
    assert said == {"usually 33–55 min", "usually 1–2 min"}


@pytest.mark.parametrize("kind", ["built-in", "own"])
def test_nothing_that_has_the_focus_is_covered(
    kind: str, screen: Page, size: tuple[int, int], live_server: Any
) -> None:
    page = screen
    begin(page, live_server, own_study() if kind == "own" else study("markdown"))
    assert covered(page) == []
    page.locator("#submit").click()
    expect(page.locator("#missing a").first).to_be_visible()
    assert covered(page) == []


def test_own_questions_about_pairs_stay_and_can_all_be_reached(
    screen: Page, size: tuple[int, int], live_server: Any
) -> None:
    page = screen
    begin(page, live_server, own_study())
    where = scrolled(page, 2500)
    for n in range(3):
        page.keyboard.press("2")
        expect(page.locator(f"#question-c{n} input").nth(1)).to_be_checked()
        assert page.evaluate(SCROLL) == where
    page.locator("#question-c2 .level").last.scroll_into_view_if_needed()
    press(page, "#question-c2 .level >> nth=2")
    assert page.evaluate(SCROLL) == where
    press(page, "#submit")
    see_task(page, 2)


def test_a_high_zoom_lets_nothing_stay(page: Page, live_server: Any) -> None:
    page.set_viewport_size({"width": 640, "height": 360})
    begin(page, live_server, study("markdown"))
    for selector in ("#questions", ".which"):
        position = page.locator(selector).evaluate("e => getComputedStyle(e).position")
        assert position == "static", selector
    assert covered(page) == []
