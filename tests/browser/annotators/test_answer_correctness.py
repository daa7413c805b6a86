"""An annotator at the answer-correctness page, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.models import Draft, Judgment
from tests.browser.answers import ANSWER, PARAGRAPHS, QUESTION, Desk, participant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(page: Page, live_server) -> Iterator[Desk]:
    made = Desk(page, live_server.url, participant())
    made.open()
    yield made
    made.leave()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
        if key == "h":
            expect(page.locator("[data-highlighting=on]")).to_be_focused()


def words(verdict: dict, n: int) -> list[str]:
    """The highlighted words of a stored verdict, cut out of the paragraph by the server's count."""
    return [PARAGRAPHS[n - 1][start:end] for start, end in verdict["spans"]]


def submitted(desk: Desk) -> dict:
    """Submit; what is stored, once the next task is there."""
    desk.page.click("#submit")
    expect(desk.page.locator("input[name=plausible]:checked")).to_have_count(0)
    desk.ready()
    return Judgment.objects.get().response


def finish(desk: Desk, *open_: int) -> None:
    for n in open_:
        desk.page.click(f".steps li:nth-child({n}) a")
        desk.verdict(n, 0)


def test_by_mouse_offsets_are_code_points_and_touching_highlights_are_one(desk):
    desk.plausible()
    desk.verdict(1, 1)
    desk.state(1, "highlight")
    desk.drag(1, "rawn", "Ada", release=(5, 790))  # from inside a word to the foot of the page
    desk.page.click("#paragraph-1 [data-act=undo]")
    assert desk.highlights(1) == []
    desk.drag(1, "wer,", "raw")
    desk.drag(1, "arsh", "A")
    assert desk.highlights(1) == ["tower, were drawn", "Ada Marsh"]
    desk.drag(1, "by", "Ada")
    assert desk.highlights(1) == ["tower, were drawn by Ada Marsh"]
    expect(desk.page.locator("#paragraph-1 .sentence:visible")).to_have_text(
        f"{ANSWER} is an answer to “{QUESTION}” because:", use_inner_text=True
    )
    desk.page.click("#paragraph-1 [data-act=confirm]")
    desk.state(1, "done")
    desk.shown(2)
    desk.verdict(2, 0)
    desk.shown(3)
    desk.verdict(3, -1)
    desk.drag(3, "his", "brother")
    expect(desk.page.locator("#paragraph-3 .sentence")).to_have_text(
        f"{ANSWER} is not an answer to “{QUESTION}” because:", use_inner_text=True
    )
    desk.page.click("#paragraph-3 [data-act=confirm]")
    stored = submitted(desk)
    assert stored["plausible"] is True
    assert [one["value"] for one in stored["verdicts"]] == [1, 0, -1]
    assert words(stored["verdicts"][0], 1) == ["tower, were drawn by Ada Marsh"]
    assert words(stored["verdicts"][2], 3) == ["his brother"]


def test_a_drag_released_outside_of_the_paragraph_counts(desk):
    desk.drag(1, "drawn", "Ada", release=(1200, 780))
    assert desk.highlights(1) == ["drawn by Ada Marsh in 1913."]
    desk.drag(1, "square", "The", release=(300, 5))
    assert desk.highlights(1) == ["The 👩‍👩‍👧 café́ on the square", "drawn by Ada Marsh in 1913."]


def test_clicks_on_the_first_and_the_last_word_do_as_a_drag_and_a_click_removes(desk):
    mouse = desk.page.mouse
    mouse.click(*desk.centre(1, "Marsh"))
    expect(desk.page.locator("#paragraph-1 .pending")).to_have_text("Marsh")
    mouse.click(*desk.centre(1, "drawn"))
    assert desk.highlights(1) == ["drawn by Ada Marsh"]
    mouse.dblclick(*desk.centre(1, "square"))
    assert desk.highlights(1) == ["square", "drawn by Ada Marsh"]
    mouse.click(*desk.centre(1, "square"))
    assert desk.highlights(1) == ["drawn by Ada Marsh"]
    desk.page.click(".steps li:nth-child(3) a")
    mouse.dblclick(*desk.centre(3, "thirty"))
    assert desk.highlights(3) == ["thirty-two"]
    desk.page.click(".steps li:nth-child(1) a")
    desk.page.click("#paragraph-1 [data-act=clear]")
    assert desk.highlights(1) == []
    desk.page.click("#paragraph-1 [data-act=undo]")
    assert desk.highlights(1) == ["drawn by Ada Marsh"]
    desk.page.click("#paragraph-1 .spans button")
    assert desk.highlights(1) == []


def test_by_keyboard_alone(desk):
    page = desk.page
    press(page, "Control+Enter")
    expect(page.locator("#missing")).to_contain_text("whether the answer is plausible")
    expect(page.locator("input[name=plausible]").first).to_be_focused()
    press(page, "1", "1")
    desk.state(1, "highlight")
    press(page, "c")  # nothing to confirm yet
    desk.state(1, "highlight")
    press(page, "h", "ArrowRight", "ArrowRight", " ", "ArrowRight", "ArrowRight", " ")
    assert desk.highlights(1) == ["café́ on the"]
    press(page, "ArrowLeft", " ")
    assert desk.highlights(1) == []
    press(page, "u", "End", " ", " ", "Escape")
    assert desk.highlights(1) == ["café́ on the", "1913"]
    press(page, "c")
    desk.shown(2)
    expect(page.locator("#paragraph-2 h2")).to_be_focused()
    press(page, "2")
    desk.shown(3)
    press(page, "k", "k", "k", "j", "j", "j")
    desk.shown(3)
    press(page, "3", "h", " ", "ArrowRight", " ", "c")
    desk.state(3, "done")
    press(page, "Control+Enter")
    expect(page.locator("input[name=plausible]:checked")).to_have_count(0)
    verdicts = Judgment.objects.get().response["verdicts"]
    assert [one["value"] for one in verdicts] == [1, 0, -1]
    assert words(verdicts[0], 1) == ["café́ on the", "1913"]
    assert words(verdicts[2], 3) == ["Others say"]


def test_arrow_keys_among_the_answers_do_not_leave_the_paragraph(desk):
    desk.page.focus("input[name=paragraph-1]")
    press(desk.page, " ", "ArrowDown")
    expect(desk.page.locator("input[name=paragraph-1][value='0']")).to_be_checked()
    desk.shown(1)
    press(desk.page, "c")
    desk.shown(2)


def test_the_number_of_the_tenth_paragraph_stays_on_one_line(page, live_server):
    desk = Desk(page, live_server.url, participant(("A paragraph.",) * 10))
    desk.open()
    numbers = page.locator(".steps b")
    assert len({one.bounding_box()["height"] for one in numbers.all()}) == 1
    desk.leave()


def test_any_change_asks_for_a_new_confirmation(desk):
    desk.verdict(1, 1)
    desk.drag(1, "Ada", "Marsh")

    def confirm() -> None:
        desk.page.click(".steps li:first-child a")
        desk.page.click("#paragraph-1 [data-act=confirm]")
        desk.state(1, "done")

    confirm()
    desk.page.click(".steps li:first-child a")
    desk.drag(1, "drawn", "drawn by")
    desk.state(1, "confirm")
    confirm()
    desk.page.click(".steps li:first-child a")
    desk.page.click("#paragraph-1 .spans li:first-child button")
    desk.state(1, "confirm")
    confirm()
    desk.page.click(".steps li:first-child a")
    desk.verdict(1, -1)
    desk.state(1, "confirm")
    confirm()
    desk.page.click(".steps li:first-child a")
    desk.page.click("#paragraph-1 [data-act=clear]")
    desk.state(1, "highlight")


def test_a_reload_in_the_middle_keeps_everything(desk):
    desk.plausible()
    desk.verdict(1, 1)
    desk.drag(1, "Ada", "Marsh")
    desk.page.click("#paragraph-1 [data-act=confirm]")
    desk.saved()
    desk.page.click(".steps li:nth-child(3) a")
    desk.verdict(3, -1)
    desk.drag(3, "his", "brother")
    desk.page.reload()  # before the pause after which it is saved
    desk.ready()
    desk.shown(3)
    for n, state in enumerate(("done", "todo", "confirm"), start=1):
        desk.state(n, state)
    assert desk.highlights(3) == ["his brother"]
    assert desk.page.locator("#paragraph-1 .spans q").all_text_contents() == ["Ada Marsh"]
    expect(desk.page.locator("input[name=plausible][value=yes]")).to_be_checked()
    desk.saved()
    assert Draft.objects.get().data["confirmed"] == [True, False, False]


def test_implausible_completes_and_keeps_the_paragraphs_in_the_draft(desk):
    desk.verdict(1, 1)
    desk.drag(1, "Ada", "Marsh")
    desk.plausible("no")
    expect(desk.page.locator("#checking")).to_be_hidden()
    expect(desk.page.locator("#implausible")).to_contain_text("kept in the draft")
    desk.plausible("yes")
    assert desk.highlights(1) == ["Ada Marsh"]
    desk.plausible("no")
    assert submitted(desk) == {"plausible": False, "verdicts": []}


def test_what_is_missing_is_said_and_marked_and_led_to(desk):
    page = desk.page
    desk.plausible()
    desk.verdict(1, 1)
    finish(desk, 2)
    page.click("#submit")
    missing = page.locator("#missing")
    expect(missing).to_contain_text("Paragraph 3 has no answer · Paragraph 1 needs a highlight")
    desk.shown(3)
    expect(page.locator("input[name=paragraph-3]").first).to_be_focused()
    expect(page.locator("#paragraph-3 .lack")).to_have_text("No answer yet")
    desk.verdict(3, 0)
    expect(missing).to_have_text("Still missing: Paragraph 1 needs a highlight")
    missing.locator("a").click()
    desk.shown(1)
    desk.drag(1, "Ada", "Marsh")
    expect(missing).to_be_empty()
    page.click("#submit")
    expect(missing).to_contain_text("Paragraph 1 is not confirmed")
    expect(page.locator("#paragraph-1 [data-act=confirm]")).to_be_focused()
    press(page, "Enter")
    expect(missing).to_be_empty()
    assert submitted(desk)["verdicts"][0]["value"] == 1


def test_what_the_server_refuses_is_shown_at_its_paragraph(desk):
    desk.page.route(
        "**/submit",
        lambda route: route.fulfill(
            status=422,
            json={
                "error": "invalid",
                "message": "",
                "errors": {"paragraph-2": "Paragraph 2: highlight it."},
            },
        ),
    )
    desk.plausible()
    finish(desk, 1, 2, 3)
    desk.page.click("#submit")
    expect(desk.page.locator("#missing")).to_contain_text("Paragraph 2: highlight it.")
    desk.shown(2)
    expect(desk.page.locator("#paragraph-2 .lack")).to_have_text("Paragraph 2: highlight it.")


def test_nothing_moves_when_the_confirmation_or_a_warning_appears(desk):
    where = """() => [...document.querySelectorAll(
      "#paragraph-1 .text, #paragraph-1 .levels, #paragraph-1 .confirm, #keys-line, .steps ol"
    )].map((e) => e.getBoundingClientRect().top + scrollY)"""
    before = desk.page.evaluate(where)
    desk.page.click("#submit")
    desk.verdict(1, 1)
    desk.drag(1, "Ada", "Marsh")
    expect(desk.page.locator("#paragraph-1 .sentence")).to_be_visible()
    assert desk.page.evaluate(where) == before


def test_by_touch_on_a_phone(browser: Browser, live_server):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    desk = Desk(page, live_server.url, participant())
    desk.open()

    def tap(n: int, *some: str) -> None:
        for one in some:
            page.touchscreen.tap(*desk.centre(n, one))

    page.locator("label:has-text('Yes')").tap()
    page.locator("#paragraph-1 label:has(b:text-is('The answer is correct'))").tap()
    tap(1, "tower", "Marsh", "square", "square")
    assert desk.highlights(1) == ["square", "tower, were drawn by Ada Marsh"]
    tap(1, "square")
    assert desk.highlights(1) == ["tower, were drawn by Ada Marsh"]
    page.locator("#paragraph-1 [data-act=confirm]").tap()
    for n in (2, 3):
        page.locator(f"#paragraph-{n} label:has(b:text-is('Neither'))").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        """[...document.querySelectorAll("button, .level, .btn, .steps a")]
           .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
           .map(e => e.outerHTML)"""
    )
    assert small == []
    verdicts = submitted(desk)["verdicts"]
    assert words(verdicts[0], 1) == ["tower, were drawn by Ada Marsh"]
    context.close()


def test_on_a_phone_what_is_next_is_on_the_screen(browser: Browser, live_server):
    context = browser.new_context(viewport={"width": 390, "height": 700}, has_touch=True)
    page = context.new_page()
    desk = Desk(page, live_server.url, participant(tuple(40 * f"{n} words. " for n in range(10))))
    desk.open()

    def top(selector: str) -> float:
        return page.locator(selector).evaluate("e => e.getBoundingClientRect().top")

    page.locator("#paragraph-1 .level").last.scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator("#paragraph-1 label:has(b:text-is('Neither'))").tap()
    desk.shown(2)
    assert 0 <= top("#paragraph-2 h2") < 120
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert top("#paragraph-2 .text") < 0
    page.locator("#paragraph-2 label:has(b:text-is('The answer is correct'))").tap()
    desk.state(2, "highlight")
    assert 0 <= top("#paragraph-2 .text") < 400
    desk.leave()
    context.close()


def test_right_to_left_arrows_follow_the_eye(page, live_server):
    arabic = "رسمت آدا مارش برج الساعة سنة 1913."
    desk = Desk(page, live_server.url, participant((arabic,), language="ar"))
    desk.open()
    desk.verdict(1, 1)
    press(page, "h", "ArrowLeft", " ", "ArrowLeft", " ", "Escape")
    assert desk.highlights(1) == ["آدا مارش"]
    desk.plausible()
    press(page, "c")
    (verdict,) = submitted(desk)["verdicts"]
    assert [arabic[start:end] for start, end in verdict["spans"]] == ["آدا مارش"]


def test_the_next_task_on_the_same_page_is_judged_as_the_first(desk):
    desk.plausible("no")
    submitted(desk)
    press(desk.page, "1", "1", "h", " ", "ArrowRight", " ", "c", "2")
    desk.shown(3)
    desk.verdict(3, -1)
    desk.drag(3, "his", "brother", release=(5, 790))
    assert desk.highlights(3)[0].startswith("his brother")
    press(desk.page, "u")
    assert desk.highlights(3) == []
    desk.state(1, "done")


FILLED = """() => {
  const probe = document.createElement("i");
  probe.style.color = "var(--accent)";
  document.body.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll(".btn")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).backgroundColor === accent)
    .map((one) => one.id || one.dataset.act);
}"""


def test_one_button_is_filled_the_next_act(desk):
    page = desk.page
    place = page.locator("#submit").bounding_box()
    assert page.evaluate(FILLED) == ["submit"]
    desk.verdict(1, 1)
    assert page.evaluate(FILLED) == ["submit"]
    desk.drag(1, "drawn", "by")
    desk.state(1, "confirm")
    assert page.evaluate(FILLED) == ["confirm"]
    assert page.locator("#submit").bounding_box() == place
    page.click(".steps li:nth-child(2) a")
    assert page.evaluate(FILLED) == ["submit"]
    page.click(".steps li:nth-child(1) a")
    page.click("#paragraph-1 [data-act=confirm]")
    assert page.evaluate(FILLED) == ["submit"]
    page.click(".steps li:nth-child(1) a")
    page.click("#paragraph-1 [data-act=undo]")
    desk.plausible("no")
    assert page.evaluate(FILLED) == ["submit"]


def test_what_a_browser_would_read_differently_is_highlighted_all_the_same(page, live_server):
    text = "One\r\ntwo &amp; <b>three</b>\rfour  five."
    desk = Desk(page, live_server.url, participant((text,)))
    desk.open()
    desk.plausible()
    desk.verdict(1, 1)
    press(page, "h", " ", "End", " ", "Escape", "c")
    (verdict,) = submitted(desk)["verdicts"]
    assert [text[start:end] for start, end in verdict["spans"]] == [text.rstrip(".")]


def test_where_the_script_of_the_next_task_does_not_come_the_page_is_loaded(desk):
    desk.page.route("**/next_task.js", lambda route: route.abort())
    desk.plausible("no")
    assert submitted(desk) == {"plausible": False, "verdicts": []}
