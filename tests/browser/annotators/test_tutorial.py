"""A whole tutorial in a real browser: by mouse, by keyboard, on a phone, and without barriers."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

import annotate.instruments
from annotate.common import tokens
from annotate.instruments.tutorials import Choice, Edit, Evidence, Example, Question, digest_of
from annotate.models import (
    Assignment,
    Participation,
    TutorialAnswer,
    TutorialContent,
    TutorialRun,
)
from annotate.work import tutorial_queries
from tests.annotate.passing import after_guide, answer_all, ask, pass_tutorial, tutorial_of, wrong
from tests.factories import campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CORRECTNESS = Path(annotate.instruments.__file__).parent / "answer_correctness/tutorial.en.json"


@pytest.fixture
def who() -> Participation:
    return person(campaign(tutorial=True, contact="ada@example.org"))


@pytest.fixture
def checking() -> Participation:
    """Somebody whose tutorial has paragraphs to check."""
    raw = {**json.loads(CORRECTNESS.read_text()), "instrument": "language_quality"}
    content = TutorialContent.objects.create(
        instrument="language_quality", content=raw, digest=digest_of(raw)
    )
    return person(campaign(tutorial=True, tutorial_id=content.pk))


@pytest.fixture
def url(live_server, who) -> str:
    return address(live_server, who)


def address(live_server, who: Participation) -> str:
    return f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/"


def open_tutorial(page: Page, url: str) -> None:
    page.goto(url)
    started(page)


def started(page: Page) -> None:
    expect(page.locator("html[data-ready]")).to_be_attached()


def current(who: Participation) -> Question:
    status = tutorial_queries.status(who.pk)
    assert status is not None
    assert status.current is not None
    return status.current


def sees(page: Page, question: Question, number: str) -> None:
    expect(page.locator(".step")).to_have_text(f"{number} · {question.section}")
    expect(page.locator("#prompt")).to_have_text(question.prompt)


def highlight(page: Page, number: int, quote: str) -> None:
    """Drag over the words, as a mouse does."""
    box = page.evaluate(
        """([selector, quote]) => {
            const walker = document.createTreeWalker(document.querySelector(selector), 4);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(quote);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + quote.length);
                const rects = range.getClientRects();
                const [a, z] = [rects[0], rects[rects.length - 1]];
                return [a.left + 1, a.top + a.height / 2, z.right - 1, z.top + z.height / 2];
            }
        }""",
        [f"#paragraph-{number} .marked", quote],
    )
    page.mouse.move(box[0], box[1])
    page.mouse.down()
    page.mouse.move(box[2], box[3], steps=4)
    page.mouse.up()


def read_example(page: Page, question: Question) -> None:
    sees(page, question, "Worked example")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#prompt")).not_to_have_text(question.prompt)
    started(page)


def do_right(page: Page, question: Question) -> None:
    if isinstance(question, Choice):
        page.locator(f'input[name=choice][value="{question.accepted[0]}"]').check()
    elif isinstance(question, Edit):
        page.fill("#edit", question.alternatives[0])
    elif isinstance(question, Evidence):
        for number, paragraph in enumerate(question.paragraphs, start=1):
            page.locator(f'input[name=paragraph-{number}][value="{paragraph.verdict}"]').check()
            for quote in paragraph.evidence:
                page.locator(f"#paragraph-{number}").scroll_into_view_if_needed()
                highlight(page, number, quote)


def test_the_whole_tutorial_by_mouse(page, url, who):
    open_tutorial(page, url)
    expect(page.locator(".opening")).to_contain_text("11 short questions")
    expect(page.locator(".opening")).to_contain_text("$0.75")
    number = 0
    for question in tutorial_of(who).questions:
        if isinstance(question, Example):
            read_example(page, question)
            continue
        number += 1
        sees(page, question, f"Question {number} of 11")
        expect(page.locator("#prompt")).to_be_focused()
        do_right(page, question)
        page.click("#check")
        expect(page.locator("#feedback .state:visible")).to_have_text("Right")
        expect(page.locator("#next")).to_be_focused()
        page.click("#next")
        expect(page.locator("#feedback")).to_be_hidden()
        if number < 11:
            started(page)
    expect(page.locator("#promised")).to_contain_text("$0.75")
    expect(page.locator("#passed-h")).to_be_focused()
    assert not Assignment.objects.exists()
    page.click("#start")
    expect(page.locator("#questions")).to_be_visible()
    assert TutorialRun.objects.get().promised == Decimal("0.75")
    assert TutorialAnswer.objects.filter(correct=True).count() == 11 + 4


def test_two_rounds_and_the_kind_end(page, url, who):
    open_tutorial(page, url)
    expect(page.locator(".opening")).to_contain_text("you pass with 9 of 11 right")
    answer_all(who, wrongly=2, but=1)
    page.reload()
    started(page)
    page.fill("#edit", "Nothing of it.")
    page.click("#check")
    expect(page.locator("#feedback .state:visible")).to_have_text("Not quite")
    expect(page.locator("#feedback")).to_contain_text("For example: “")
    expect(page.locator("#round-over")).to_contain_text("8 of 11 first answers were right")
    page.keyboard.press("Enter")
    expect(page.locator(".opening")).to_contain_text("In the first, 8 of 11 were right.")
    started(page)
    for _ in range(3):
        question = current(who)
        assert isinstance(question, Choice)
        page.locator(f'input[name=choice][value="{wrong(question)["value"]}"]').check()
        page.click("#check")
        expect(page.locator("#feedback .state:visible")).to_have_text("Not quite")
        page.keyboard.press("Enter")
        expect(page.locator("#next:focus")).to_have_count(0)
        page.wait_for_load_state()
    expect(page.get_by_text("Thank you for trying.").first).to_be_visible()
    assert TutorialRun.objects.get().passed_at is None


def test_the_whole_tutorial_by_keyboard(page, url, who):
    open_tutorial(page, url)
    number = 0
    for question in tutorial_of(who).questions:
        if isinstance(question, Example):
            read_example(page, question)
            continue
        number += 1
        sees(page, question, f"Question {number} of 11")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#missing")).to_contain_text("Still missing")
        if isinstance(question, Choice):
            expect(page.locator("input[name=choice]").first).to_be_focused()
            values = [option.value for option in question.options]
            page.keyboard.press(str(values.index(question.accepted[0]) + 1))
        else:
            expect(page.locator("#edit")).to_be_focused()
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(question.alternatives[0])
        expect(page.locator("#missing")).to_be_empty()
        page.keyboard.press("Control+Enter")
        expect(page.locator("#next")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#feedback")).to_be_hidden()
        if number < 11:
            started(page)
    expect(page.locator("#passed-h")).to_be_focused()
    page.keyboard.press("Enter")  # no Tab to the link is needed
    expect(page.locator("#questions")).to_be_visible()


def test_a_reload_in_the_middle_keeps_the_place(page, url, who):
    after_guide(who)
    open_tutorial(page, url)
    for _ in range(2):
        do_right(page, current(who))
        page.click("#check")
        expect(page.locator("#next")).to_be_focused()
        page.reload()
        started(page)
    sees(page, current(who), "Question 3 of 11")
    expect(page.locator(".opening")).to_have_count(0)
    assert TutorialRun.objects.count() == 1


def test_paragraphs_are_checked_and_highlighted(page, live_server, checking):
    ask(checking, ("evidence-example", 0), ("evidence-mill", 2))
    open_tutorial(page, address(live_server, checking))
    sees(page, current(checking), "Worked example")
    expect(page.locator("mark")).to_have_text("they walk on eight legs")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".step")).to_contain_text("Question 1 of 1")
    started(page)
    page.locator("input[name=paragraph-1][value='0']").check()
    page.locator("input[name=paragraph-2][value='1']").check()
    page.click("#check")
    expect(page.locator("#missing")).to_contain_text("paragraph 2: the words that show it")
    highlight(page, 2, "half of the workers")
    page.locator("#paragraph-2 .spans button").click()
    expect(page.locator("#paragraph-2 .spans li")).to_have_count(0)
    do_right(page, current(checking))
    page.click("#check")
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#passed")).to_be_visible()
    assert TutorialRun.objects.get().passed_at is not None


def test_highlighting_by_keys(page, live_server, checking):
    ask(checking, ("evidence-mill", 2))
    open_tutorial(page, address(live_server, checking))
    page.keyboard.press("2")
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.locator("input[name=paragraph-2][value='1']")).to_be_checked()
    page.keyboard.press("h")
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.locator("#paragraph-2 mark")).to_have_text("fell, half of")


def test_a_lost_connection_keeps_the_answer(context, page, url, who):
    after_guide(who)
    open_tutorial(page, url)
    do_right(page, current(who))
    context.set_offline(True)
    page.click("#check")
    expect(page.locator("#missing")).to_contain_text("No connection")
    context.set_offline(False)
    page.click("#check")
    expect(page.locator("#next")).to_be_focused()
    assert TutorialAnswer.objects.count() == 1 + 1


def test_another_tab_that_is_ahead_is_told(context, url, who):
    first, second = context.new_page(), context.new_page()
    asked = after_guide(who).questions[0]
    for page in (first, second):
        open_tutorial(page, url)
    do_right(second, current(who))
    second.click("#check")
    second.click("#next")
    expect(second.locator(".step")).to_contain_text("Question 2")
    first.bring_to_front()
    do_right(first, asked)
    first.click("#check")
    expect(first.locator("#next")).to_be_focused()  # the same answer again is no fault
    assert TutorialAnswer.objects.count() == 1 + 1


def test_what_is_offered_at_the_door(page, live_server):
    made = campaign(tutorial=True)
    page.goto(f"{live_server.url}/work/join/{tokens.invitation_token(made.pk, 'ann')}/")
    expect(page.locator(".terms")).to_contain_text("a bonus of $0.75")
    expect(page.locator(".terms")).to_contain_text("about 8 minutes")


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone(browser: Browser, live_server, checking, width):
    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True, bypass_csp=True
    )
    page = context.new_page()
    fresh = person(campaign(tutorial=True, name="Phone"))
    for who, but in ((checking, 4), (checking, 3), (fresh, 11), (fresh, 1)):
        pass_tutorial(who, but=but)
        open_tutorial(page, address(live_server, who))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        small = page.evaluate(
            """[...document.querySelectorAll("button, .level, .btn")]
               .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44)
               .map(e => e.outerHTML)"""
        )
        assert small == []
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    context.close()
