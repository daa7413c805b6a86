"""Texts of every kind, where annotators judge them and reviewers read them."""

import os

from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Campaign
from tests import reviewed
from tests.browser.annotators.kinds_of_text import KINDS
from tests.browser.answers import Desk
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in
from tests.factories import campaign, judge, person

LANGUAGES = {"right-to-left": "ar"}
PICTURES = os.environ.get("PICTURES", "")
ASKED = "What does the council of Norholm open, and how long?"
RESTED = "Nothing is said about it."


def rated(kind: str, **changes: object) -> Campaign:
    rows = [Row(str(n), "alpha", KINDS[kind], reference=RESTED) for n in range(3)]
    return campaign(
        rows_=rows, metrics=(), double_share=0, language=LANGUAGES.get(kind, "en"), **changes
    )


def at_task(visitor: Visitor, made: Campaign) -> Page:
    page = visitor.goto(f"/work/p/{tokens.participation_token(person(made).pk)}/")
    expect(page.locator(".crit[data-current]")).to_have_count(1)
    return page


def _rating(kind: str) -> None:
    @state(f"layout/rating-{kind}-edit")
    def _edit(visitor: Visitor) -> None:
        page = at_task(visitor, rated(kind))
        for name, index in (("fluency", 1), ("redundancy", 0), ("overall", 1)):
            page.locator(f"input[name={name}]").nth(index).check()
        words = page.input_value("#edit").split(" ")
        page.fill("#edit", " ".join([*words[:3], "again", *words[4:]]))
        expect(page.locator("#edit-diff ins").first).to_be_visible()

    @state(f"layout/answer-{kind}")
    def _answer(visitor: Visitor) -> None:
        text = KINDS[kind]
        paragraph = text if text.strip("\u200b \n\t") else RESTED
        rows = [
            Row(str(n), "a", text[:240], input=ASKED, paragraphs=(paragraph, RESTED))
            for n in range(2)
        ]
        made = campaign(
            rows_=rows,
            instrument="answer_correctness",
            metrics=(),
            double_share=0,
            targets={"any_correct": 0.2},
            language=LANGUAGES.get(kind, "en"),
        )
        desk = Desk(visitor.page, visitor.base, person(made))
        desk.open()
        desk.plausible()
        desk.verdict(1, 1)
        page = desk.page
        page.keyboard.press("h")
        expect(page.locator("[data-highlighting=on]")).to_be_focused()
        for key in ("Space", "ArrowRight", "Space", "Escape"):
            page.keyboard.press(key)
        desk.state(1, "confirm")

    @state(f"layout/review-{kind}")
    def _review(visitor: Visitor) -> None:
        made = rated(kind, owner=logged_in(visitor))
        who = person(made)
        changed = KINDS[kind].replace("a", "o", 3).strip() or "Something."
        judge(who, overall=0, edit=f"{changed}.")
        review = reviewed.flagged(who)
        page = visitor.goto(f"/reviews/{made.public_id}/{review.annotator.pseudonym}/")
        expect(page.locator(".output").first).to_be_visible()


# Code and a text from the right ask most of a page; the other kinds are pictures.
for _kind in KINDS if PICTURES else ("code", "right-to-left"):
    _rating(_kind)


@state("layout/beside-a-long-text")
def _beside(visitor: Visitor) -> None:
    """In the middle of it, with what is missing in the bar."""
    page = at_task(visitor, rated("long"))
    page.click("#submit")
    expect(page.locator("#missing a").first).to_be_visible()
    page.mouse.wheel(0, 1500)


@state("layout/people")
def _people(visitor: Visitor) -> None:
    made = rated("code", owner=logged_in(visitor), name="GPT against our weak baseline")
    visitor.goto(f"/campaigns/{made.public_id}/people/")
