"""What annotators see of the tutorial."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

import annotate.instruments
from annotate.instruments.tutorials.digests import digest
from annotate.models import TutorialContent
from tests.annotate.passing import pass_tutorial, tutorial_of
from tests.browser.states import Visitor, state
from tests.browser.states.work import at_work, landing, study
from tests.factories import person

CORRECTNESS = Path(annotate.instruments.__file__).parent / "answer_correctness/tutorial.en.json"


def at(visitor: Visitor, *, done: int, **changes: object) -> Page:
    """Open the tutorial with so many questions done."""
    who = person(study(tutorial=True, **changes))
    pass_tutorial(who, but=len(tutorial_of(who).questions) - done)
    page = visitor.goto(at_work(who))
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def checking(visitor: Visitor, *, done: int) -> Page:
    raw = {**json.loads(CORRECTNESS.read_text()), "instrument": "language_quality"}
    content = TutorialContent.objects.create(
        instrument="language_quality", content=raw, digest=digest(raw)
    )
    return at(visitor, done=done, tutorial_id=content.pk)


def answer(page: Page, value: int) -> None:
    page.locator(f'input[name=choice][value="{value}"]').check()
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(study(tutorial=True)))


@state("tutorial/choice")
def _choice(visitor: Visitor) -> None:
    at(visitor, done=0)


@state("tutorial/choice-missing")
def _missing(visitor: Visitor) -> None:
    page = at(visitor, done=0)
    page.click("#check")
    expect(page.locator("#missing")).not_to_be_empty()


@state("tutorial/choice-wrong")
def _wrong(visitor: Visitor) -> None:
    answer(at(visitor, done=4), 1)


@state("tutorial/choice-right")
def _right(visitor: Visitor) -> None:
    answer(at(visitor, done=6), 0)


@state("tutorial/edit")
def _edit(visitor: Visitor) -> None:
    at(visitor, done=8)


@state("tutorial/edit-wrong")
def _edit_wrong(visitor: Visitor) -> None:
    page = at(visitor, done=9)
    page.fill("#edit", "The library is closed. Its roof is being repaired.")
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/plausible")
def _plausible(visitor: Visitor) -> None:
    answer(checking(visitor, done=1), 0)


@state("tutorial/example")
def _example(visitor: Visitor) -> None:
    checking(visitor, done=5)


@state("tutorial/evidence")
def _evidence(visitor: Visitor) -> None:
    checking(visitor, done=7)


@state("tutorial/evidence-wrong")
def _evidence_wrong(visitor: Visitor) -> None:
    page = checking(visitor, done=7)
    page.locator("input[name=paragraph-1][value='-1']").check()
    page.locator("#paragraph-1 [data-act=keys]").click()
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in ("Space", "ArrowRight", "ArrowRight", "Space", "Escape"):
        page.keyboard.press(key)
    page.locator("input[name=paragraph-2][value='0']").check()
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/passed")
def _passed(visitor: Visitor) -> None:
    page = at(visitor, done=9)
    page.fill("#edit", "The library is closed this week because its roof is being repaired.")
    page.click("#check")
    expect(page.locator("#next")).to_be_focused()
    page.click("#next")
    expect(page.locator("#passed")).to_be_visible()
