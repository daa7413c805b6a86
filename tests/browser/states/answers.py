"""What annotators see when they check an answer against paragraphs."""

from playwright.sync_api import expect

from tests.browser.answers import Desk, participant
from tests.browser.states import Visitor, state


def desk(visitor: Visitor) -> Desk:
    """A desk with a paragraph that shows the answer to be correct, nothing highlighted yet."""
    made = Desk(visitor.page, visitor.base, participant(contact="ada@example.org"))
    made.open()
    made.plausible()
    made.verdict(1, 1)
    return made


def evidenced(visitor: Visitor) -> Desk:
    made = desk(visitor)
    made.drag(1, "drawn", "Marsh")
    made.drag(1, "café", "square")
    made.saved()
    return made


@state("work/answer-highlight")
def _highlight(visitor: Visitor) -> None:
    desk(visitor).state(1, "highlight")


@state("work/answer-confirm")
def _confirm(visitor: Visitor) -> None:
    evidenced(visitor).state(1, "confirm")


@state("work/answer-by-keys")
def _by_keys(visitor: Visitor) -> None:
    page = evidenced(visitor).page
    page.keyboard.press("h")
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in ("ArrowRight", " ", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator(".cursor")).to_be_visible()


@state("work/answer-missing")
def _missing(visitor: Visitor) -> None:
    page = desk(visitor).page
    page.click("#submit")
    expect(page.locator("#missing")).not_to_be_empty()


@state("work/answer-implausible")
def _implausible(visitor: Visitor) -> None:
    made = evidenced(visitor)
    made.plausible("no")
    expect(made.page.locator("#implausible")).to_be_visible()


@state("work/answer-instructions")
def _instructions(visitor: Visitor) -> None:
    page = desk(visitor).page
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()
