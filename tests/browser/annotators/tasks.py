"""What an annotator does on a page of ratings."""

import re
from collections.abc import Iterator, Sequence

from playwright.sync_api import FrameLocator, Page, expect

from annotate.instruments.tutorials import Choice, Example, Question
from extras.demo.schooling import right
from tests.browser.hands import Keyboard

EDITED = "The council met on Monday."


def choose(page: Page | FrameLocator, **indices: int) -> None:
    for name, index in indices.items():
        page.locator(f"input[name={name}]").nth(index).check()


def answer_all(page: Page | FrameLocator, index: int = 0) -> None:
    choose(page, fluency=index, redundancy=index, overall=index)


def open_task(page: Page, url: str, number: int = 1) -> None:
    page.goto(url)
    see_task(page, number)


def see_task(page: Page, number: int) -> None:
    expect(page).to_have_title(re.compile(f"^Task {number} "))
    expect(page.locator("[data-current]")).to_be_visible()  # the script has started


def see_framed(frame: FrameLocator, number: int) -> None:
    expect(frame.locator("#place")).to_have_text(re.compile(f"^Task {number} "))
    expect(frame.locator("[data-current]")).to_be_visible()


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")


def learn(
    page: Page | FrameLocator, questions: Sequence[Question], *, promise: str = "$0.75"
) -> None:
    """Read the examples and answer the rest right, up to the page that says what is promised."""
    for question in _shown(page, questions):
        answer = right(question)
        if "value" in answer:
            page.locator(f'input[name=choice][value="{answer["value"]}"]').check()
        elif "edit" in answer:
            page.locator("#edit").fill(answer["edit"])
        page.locator("#check").click()
        if not isinstance(question, Example):
            expect(page.locator("#feedback .state:visible")).to_have_text("Right")
            page.locator("#next").click()
    expect(page.locator("#promised")).to_contain_text(promise)


def learn_by_keyboard(page: Page, questions: Sequence[Question]) -> None:
    """Read the examples and answer the rest right, with keys alone, up to the page behind them."""
    for question in _shown(page, questions):
        answer = right(question)
        if isinstance(question, Choice):
            values = [option.value for option in question.options]
            page.keyboard.press(str(values.index(answer["value"]) + 1))
        elif "edit" in answer:
            Keyboard(page).reach(page.locator("#edit"))
            page.keyboard.press("Control+A")
            page.keyboard.insert_text(answer["edit"])
        page.keyboard.press("Control+Enter")
        if not isinstance(question, Example):
            expect(page.locator("#feedback .state:visible")).to_have_text("Right")
            expect(page.locator("#next")).to_be_focused()
            page.keyboard.press("Enter")


def _shown(page: Page | FrameLocator, questions: Sequence[Question]) -> Iterator[Question]:
    """Yield each question of a round once the page shows it; examples have no number."""
    total, number = sum(not isinstance(one, Example) for one in questions), 0
    for question in questions:
        number += not isinstance(question, Example)
        place = (
            "Worked example" if isinstance(question, Example) else f"Question {number} of {total}"
        )
        expect(page.locator(".step")).to_have_text(f"{place} · {question.section}")
        expect(page.locator("#prompt")).to_have_text(question.prompt)
        expect(page.locator("html[data-ready]")).to_be_attached()
        yield question
