"""Where all texts of an item are ranked, and tutorials that ask as at work."""

from typing import Any

from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.studies import definitions
from estimation import deferred, refresh
from tests import reviewed
from tests.annotate.own import every_kind
from tests.annotate.practice import ERRORS, PLACES, SLIDER, tutorial
from tests.annotate.ranked_texts import studies
from tests.annotate.ranked_texts.test_results import judged
from tests.browser.states import Visitor, state
from tests.browser.states.pairs import three
from tests.browser.states.researcher import logged_in
from tests.browser.states.reviews import show
from tests.browser.states.texts import OUTPUTS
from tests.browser.states.work import at_work
from tests.factories import campaign, person, user

REASON = {"name": "why", "kind": "text", "label": "Reason", "question": "Why?", "optional": True}


def task(visitor: Visitor, *, best_only: bool = False, texts: list[Row] | None = None) -> Page:
    definition = studies.ranking(REASON, best_only=best_only)
    made = studies.study(texts=texts or three(), definition=definition)
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("ranking/task")
def _task(visitor: Visitor) -> None:
    task(visitor)


@state("ranking/half-answered")
def _half_answered(visitor: Visitor) -> None:
    page = task(visitor)
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("Place")


@state("ranking/best")
def _best(visitor: Visitor) -> None:
    page = task(visitor, best_only=True)
    page.keyboard.press("2")


@state("ranking/six-long-texts")
def _six(visitor: Visitor) -> None:
    texts = [*OUTPUTS["pointer"][:3], "The ferry runs again. " * 300, "שלום עולם. " * 30, "x" * 300]
    task(visitor, texts=[Row("item", f"system {n}", text) for n, text in enumerate(texts)])


@state("ranking/case")
def _case(visitor: Visitor) -> None:
    made = studies.study(texts=three(), owner=logged_in(visitor), double_share=1)
    for name in ("b", "a"):
        studies.work(who := person(made, name), worth=len)
    page = show(visitor, reviewed.flagged(who))
    expect(page.get_by_text("The 3 texts that were ranked").first).to_be_visible()


@state("ranking/item")
def _item(visitor: Visitor) -> None:
    made = judged(owner=logged_in(visitor))
    visitor.goto(f"/campaigns/{made.public_id}/items/1/")


@state("ranking/dashboard")
def _dashboard(visitor: Visitor) -> None:
    made = judged(owner=logged_in(visitor))
    refresh.refresh(made.pk)
    deferred.MEASURING.carry_out(made.pk)
    visitor.goto(f"/campaigns/{made.public_id}/")


@state("ranking/instrument-form")
def _form(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/?from=ready:ranking")
    expect(page.frame_locator("#live-page").locator(".sheets .sheet")).to_have_count(2)


@state("practice/slider")
def _practice_slider(visitor: Visitor) -> None:
    practice(visitor, SLIDER)


@state("practice/errors")
def _practice_errors(visitor: Visitor) -> None:
    page = practice(visitor, ERRORS)
    page.keyboard.press("h")
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in (" ", " ", "Escape"):
        page.keyboard.press(key)
    expect(page.locator("#evidence-errors li")).to_have_count(1)


@state("practice/places")
def _practice_places(visitor: Visitor) -> None:
    page = practice(visitor, PLACES)
    for key in "123":
        page.keyboard.press(key)
    page.click("#check")
    expect(page.locator("#feedback")).to_contain_text("The second says nothing.")


def practice(visitor: Visitor, question: dict[str, Any]) -> Page:
    """Open a tutorial that asks a question of its instrument."""
    owner = user("bea")
    is_ranking = question is PLACES
    definition = studies.ranking() if is_ranking else every_kind()
    key = definitions.define(definition, owner_id=owner.pk).key
    content = tutorial(question, instrument=key)
    stored = definitions.store_tutorial(content, reference=key, owner_id=owner.pk)
    made = campaign(
        owner=owner,
        instrument=key,
        tutorial=True,
        tutorial_id=stored.pk,
        metrics=(),
        targets={"rank": 0.4} if is_ranking else {"quality": 5},
    )
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


@state("ranking/gold")
def _gold(visitor: Visitor) -> None:
    made = studies.study(owner=logged_in(visitor), is_open=False)
    visitor.goto(f"/campaigns/{made.public_id}/gold/")
