"""What researchers and annotators see of an instrument that a researcher defined."""

import json
from dataclasses import replace

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.studies import definitions, tutorials
from tests import reviewed
from tests.annotate.own import HELPFUL, every_kind, helpful, marked, side_by_side
from tests.annotate.side_by_side import studies
from tests.browser.researchers import draft, step
from tests.browser.states import Visitor, state
from tests.browser.states.pairs import three
from tests.browser.states.researcher import logged_in
from tests.browser.states.reviews import show
from tests.browser.states.texts import OUTPUTS, rows
from tests.browser.states.work import at_work, choose, landing
from tests.factories import campaign, person, user

QUESTION = "When does the museum open again, and what does it cost?"


def own(**changes: object):
    """A campaign that asks with an instrument of its owner's."""
    owner = user("bea")
    made = definitions.define(marked(), owner_id=owner.pk)
    return campaign(
        owner=owner,
        instrument=made.key,
        targets={"helpful": 0.4},
        name="Help, autumn",
        rows_=[replace(row, input=QUESTION) for row in rows()],
        **changes,
    )


def task(visitor: Visitor) -> Page:
    page = visitor.goto(at_work(person(own())))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("own/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(own()))


@state("own/task")
def _task(visitor: Visitor) -> None:
    task(visitor)


@state("own/task-missing")
def _missing(visitor: Visitor) -> None:
    page = task(visitor)
    choose(page, helpful=4, invented=1)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("highlights for")


@state("own/task-highlighted")
def _highlighted(visitor: Visitor) -> None:
    page = task(visitor)
    choose(page, helpful=0, invented=1)
    page.keyboard.press("h")
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in (" ", "ArrowRight", "ArrowRight", " ", "Escape"):
        page.keyboard.press(key)
    expect(page.locator("#evidence-invented li")).to_have_count(1)


def kinds(visitor: Visitor) -> Page:
    owner = user("bea")
    definitions.define(every_kind(), owner_id=owner.pk)
    made = campaign(owner=owner, instrument="kinds", targets={"quality": 5})
    page = visitor.goto(at_work(person(made)))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("own/kinds")
def _kinds(visitor: Visitor) -> None:
    kinds(visitor)


@state("own/kinds-answered")
def _kinds_answered(visitor: Visitor) -> None:
    page = kinds(visitor)
    page.keyboard.press("h")
    expect(page.locator("[data-highlighting=on]")).to_be_focused()
    for key in (" ", "ArrowRight", " ", "ArrowRight", " ", " ", "Escape"):
        page.keyboard.press(key)
    expect(page.locator("#evidence-errors li")).to_have_count(2)
    page.locator("[data-of=category]").first.select_option("omission")
    page.locator("input[name=helpful][value='0']").check()
    page.locator("input[name=flaws][value=vague]").check()
    page.locator("input[name=quality]").fill("70")
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("Reason")


@state("own/instructions")
def _instructions(visitor: Visitor) -> None:
    page = task(visitor)
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()


@state("researcher/instruments")
def _list(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    definitions.define(HELPFUL, owner_id=owner.pk)
    definitions.define(helpful(hint="Other"), owner_id=owner.pk)
    own()
    visitor.goto("/instruments/")


@state("researcher/instrument-new")
def _define(visitor: Visitor) -> None:
    logged_in(visitor)
    visitor.goto("/instruments/new/?from=language_quality")


@state("researcher/instrument-errors")
def _errors(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/new/")
    whole = helpful(key="Bad Key", titel="x")
    whole["criteria"][0]["levels"][0]["cue"] = ""
    page.get_by_label("Or its text").fill(json.dumps(whole, indent=2))
    page.get_by_role("button", name="Define it").click()
    expect(page.get_by_role("alert")).to_contain_text("3 problems")


@state("researcher/instrument-form-blank")
def _form_blank(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/")
    expect(page.get_by_role("status")).to_contain_text("appears here")


@state("researcher/instrument-form")
def _form(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/?from=language_quality")
    shown = page.frame_locator("#live-page")
    expect(shown.get_by_role("radiogroup").first).to_be_visible()


@state("researcher/instrument-form-kinds")
def _form_kinds(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/?from=ready:esa")
    page.get_by_role("button", name="Several choices").click()
    page.locator("[id='c2-o0-label']").fill("Rude")
    page.get_by_role("button", name="Remove question 2").click()
    expect(page.get_by_text("“Overall”, is removed")).to_be_visible()


@state("researcher/instrument-form-compares")
def _form_compares(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/?from=preference")
    expect(page.frame_locator("#live-page").get_by_role("radiogroup").first).to_be_visible()


@state("researcher/instrument-form-shows-others")
def _form_shows_others(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    definitions.define(side_by_side(), owner_id=owner.pk)
    page = visitor.goto("/instruments/form/?from=side_by_side@1")
    expect(page.frame_locator("#live-page").locator(".sheets .sheet")).to_have_count(2)


def beside(visitor: Visitor, texts: list[Row], **changes: object) -> Page:
    """Open the first task of a study that shows all texts of an item."""
    whole = side_by_side(**changes)
    made = definitions.define(whole, owner_id=user("bea").pk)
    study = campaign(
        instrument=made.key,
        targets={"helpful": 0.4},
        name="Help, winter",
        metrics=(),
        rows_=texts,
        double_share=0,
    )
    page = visitor.goto(at_work(person(study)))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("side-by-side/task")
def _side_by_side(visitor: Visitor) -> None:
    beside(visitor, three())


@state("side-by-side/last-text")
def _last_text(visitor: Visitor) -> None:
    page = beside(visitor, three())
    for number in (2, 3):
        page.keyboard.press("2")
        page.keyboard.press("1")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".rated h2")).to_contain_text(f"Text {number} of 3")


@state("side-by-side/edit-and-highlights")
def _edit_and_highlights(visitor: Visitor) -> None:
    page = beside(visitor, three(), criteria=marked()["criteria"])
    choose(page, helpful=4, invented=1)
    expect(page.locator("#edit-area")).to_be_visible()


@state("side-by-side/many-long-texts")
def _many(visitor: Visitor) -> None:
    page = beside(visitor, hostile())
    expect(page.locator(".sheets .sheet")).to_have_count(12)


@state("side-by-side/case")
def _case(visitor: Visitor) -> None:
    """A reviewer sees the texts of an item as this person saw them."""
    made = studies.study(texts=three(), owner=logged_in(visitor), double_share=1)
    for name in ("b", "a"):
        studies.work(who := person(made, name))
    page = show(visitor, reviewed.flagged(who))
    page.get_by_text("texts on this person’s page").first.click()
    expect(page.get_by_text("rated here").first).to_be_visible()


def hostile() -> list[Row]:
    """Twelve texts of one item: one of 20,000 characters, some in Hebrew, one of one long word."""
    texts = [f"{text} Text {n}." for n in range(3) for text in OUTPUTS["pointer"][:3]]
    texts += ["The ferry runs again. " * 900, "שלום עולם, המעבורת שבה לפעול. " * 9, "x" * 300]
    return [Row("item", f"system {n}", text) for n, text in enumerate(texts)]


@state("researcher/instrument-form-errors")
def _form_errors(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/")
    page.get_by_label("Name", exact=True).fill("Politeness")
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Question 1, level 1, label")


@state("researcher/new-own-instrument")
def _chosen(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    definitions.define(HELPFUL, owner_id=owner.pk)
    page = visitor.goto(reverse("annotate:import-step", args=[draft(owner).public_id, "questions"]))
    page.get_by_label("What people are asked").select_option("helpfulness@1")
    expect(page.get_by_text("None: there is no built-in one")).to_be_attached()
    step(page, "Next: plan")
    expect(page.locator("#id_width_invented")).to_be_visible()


@state("researcher/tutorials")
def _tutorials(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    content = json.loads(tutorials.tutorial_file("language_quality", "en")) | {
        "title": "Ours, shorter"
    }
    definitions.store_tutorial(content, reference="language_quality", owner_id=owner.pk)
    visitor.goto("/instruments/language_quality/tutorials/")


def tutorial_form(visitor: Visitor) -> Page:
    owner = logged_in(visitor)
    definitions.define(HELPFUL, owner_id=owner.pk)
    return visitor.goto("/instruments/helpfulness/tutorials/form/")


@state("researcher/tutorial-form")
def _tutorial_form(visitor: Visitor) -> None:
    tutorial_form(visitor)


@state("researcher/tutorial-form-errors")
def _tutorial_form_errors(visitor: Visitor) -> None:
    page = tutorial_form(visitor)
    page.get_by_label("Title").press("Enter")  # stores it
    expect(page.get_by_role("alert")).to_contain_text("Question 2, text")


def preview_of(visitor: Visitor, path: str) -> Page:
    logged_in(visitor)
    page = visitor.goto(f"/instruments/{path}")
    expect(page.locator("html[data-ready], [data-current]").first).to_be_attached()
    return page


@state("researcher/preview-task")
def _preview_task(visitor: Visitor) -> None:
    preview_of(visitor, "answer_correctness/1/preview/")


@state("researcher/preview-choice")
def _preview_choice(visitor: Visitor) -> None:
    page = preview_of(visitor, "language_quality/tutorials/en/preview/?question=2")
    page.locator("input[name=choice]").first.check()
    page.click("#check")
    expect(page.locator("#feedback")).to_be_visible()


@state("researcher/preview-edit")
def _preview_edit(visitor: Visitor) -> None:
    preview_of(visitor, "language_quality/tutorials/de/preview/?question=9")


@state("researcher/preview-evidence")
def _preview_evidence(visitor: Visitor) -> None:
    preview_of(visitor, "answer_correctness/tutorials/en/preview/?question=8")


@state("researcher/preview-draft")
def _preview_draft(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/language_quality/tutorials/")
    page.get_by_label("Or its text").fill(tutorials.tutorial_file("language_quality", "en"))
    page.evaluate("document.querySelector('[formtarget]').removeAttribute('formtarget')")
    page.get_by_role("button", name="Preview in a new tab").click()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.get_by_text("not stored yet")).to_be_visible()
