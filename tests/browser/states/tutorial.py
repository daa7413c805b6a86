"""What annotators see of the tutorial."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

import annotate.instruments
from annotate.instruments.tutorials import digest_of
from annotate.models import TutorialContent
from tests.annotate.passing import answer_all, ask
from tests.browser.states import Visitor, state
from tests.browser.states.work import at_work, landing, study
from tests.factories import person

CORRECTNESS = Path(annotate.instruments.__file__).parent / "answer_correctness/tutorial.en.json"


def at(visitor: Visitor, *drawn: tuple[str, int], **changes: object) -> Page:
    """Open the tutorial at these questions, or at the first of a round."""
    who = person(study(tutorial=True, **changes))
    if drawn:
        ask(who, *drawn)
    page = visitor.goto(at_work(who))
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def checking(visitor: Visitor, *drawn: tuple[str, int]) -> Page:
    raw = {**json.loads(CORRECTNESS.read_text()), "instrument": "language_quality"}
    content = TutorialContent.objects.create(
        instrument="language_quality", content=raw, digest=digest_of(raw)
    )
    return at(visitor, *drawn, tutorial_id=content.pk)


def answer(page: Page, value: int) -> None:
    page.locator(f'input[name=choice][value="{value}"]').check()
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(study(tutorial=True)))


@state("tutorial/choice")
def _choice(visitor: Visitor) -> None:
    at(visitor, ("fluency-ferry", 0))


@state("tutorial/guide")
def _guide(visitor: Visitor) -> None:
    at(visitor)


@state("tutorial/instructions")
def _instructions(visitor: Visitor) -> None:
    page = at(visitor, ("fluency-ferry", 0))
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()


@state("tutorial/choice-missing")
def _missing(visitor: Visitor) -> None:
    page = at(visitor, ("fluency-ferry", 0))
    page.click("#check")
    expect(page.locator("#missing")).not_to_be_empty()


@state("tutorial/choice-wrong")
def _wrong(visitor: Visitor) -> None:
    answer(at(visitor, ("redundancy-chef", 1), ("edit-choir", 0)), 1)


@state("tutorial/choice-right")
def _right(visitor: Visitor) -> None:
    answer(at(visitor, ("overall-pool", 1), ("edit-choir", 0)), 0)


@state("tutorial/edit")
def _edit(visitor: Visitor) -> None:
    at(visitor, ("edit-choir", 0))


@state("tutorial/edit-wrong")
def _edit_wrong(visitor: Visitor) -> None:
    page = at(visitor, ("edit-library", 0))
    page.fill("#edit", "The library is closed. Its roof is being repaired.")
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/plausible")
def _plausible(visitor: Visitor) -> None:
    answer(checking(visitor, ("plausible-dogs", 0), ("plausible-why", 0)), 0)


@state("tutorial/example")
def _example(visitor: Visitor) -> None:
    checking(visitor, ("evidence-example", 0), ("evidence-mill", 0))


@state("tutorial/evidence")
def _evidence(visitor: Visitor) -> None:
    checking(visitor, ("evidence-mill", 3))


@state("tutorial/evidence-wrong")
def _evidence_wrong(visitor: Visitor) -> None:
    page = checking(visitor, ("evidence-mill", 3))
    page.locator("input[name=paragraph-1][value='-1']").check()
    page.locator("#paragraph-1 [data-act=keys]").click()
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in ("Space", "ArrowRight", "ArrowRight", "Space", "Escape"):
        page.keyboard.press(key)
    page.locator("input[name=paragraph-2][value='0']").check()
    page.locator("input[name=paragraph-3][value='0']").check()
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("tutorial/passed")
def _passed(visitor: Visitor) -> None:
    page = at(visitor, ("overall-pool", 1))
    page.locator('input[name=choice][value="0"]').check()
    page.click("#check")
    expect(page.locator("#next")).to_be_focused()
    page.click("#next")
    expect(page.locator("#passed")).to_be_visible()


@state("tutorial/second-round")
def _second(visitor: Visitor) -> None:
    who = person(study(tutorial=True))
    answer_all(who, wrongly=3)
    page = visitor.goto(at_work(who))
    expect(page.locator(".opening")).to_contain_text("second and last round")


@state("tutorial/failed")
def _failed(visitor: Visitor) -> None:
    who = person(study(tutorial=True))
    answer_all(who, wrongly=3)
    answer_all(who, wrongly=3)
    visitor.goto(at_work(who))
