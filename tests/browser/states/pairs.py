"""What people see of a study that compares two systems side by side."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Campaign, Judgment
from estimation.services import estimating
from tests.annotate.comparing import PLAN, judged
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.browser.states.reviews import show
from tests.browser.states.texts import rows
from tests.browser.states.work import at_work, landing
from tests.factories import campaign, person
from tests.reviewed import flagged


def study(**changes: object) -> Campaign:
    return campaign(
        instrument="preference",
        rows_=rows(),
        name="Side by side",
        **{**PLAN, "double_share": 1.0, **changes},
    )


def task(visitor: Visitor) -> Page:
    page = visitor.goto(at_work(person(study())))
    expect(page.locator("[data-current]")).to_be_visible()
    return page


@state("pairs/join")
def _join(visitor: Visitor) -> None:
    visitor.goto(landing(study()))


@state("pairs/task")
def _task(visitor: Visitor) -> None:
    task(visitor)


@state("pairs/task-answered")
def _answered(visitor: Visitor) -> None:
    page = task(visitor)
    page.keyboard.press("4")
    expect(page.locator("input:checked")).to_have_count(1)


@state("pairs/task-missing")
def _missing(visitor: Visitor) -> None:
    page = task(visitor)
    page.click("#submit")
    expect(page.locator("#missing")).to_contain_text("Preference")


@state("pairs/instructions")
def _instructions(visitor: Visitor) -> None:
    page = task(visitor)
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_be_visible()


def under_way(visitor: Visitor) -> Campaign:
    made = study(owner=logged_in(visitor))
    judged(made, 8)
    estimating.refresh(made.pk)
    return made


@state("pairs/dashboard")
def _dashboard(visitor: Visitor) -> None:
    dashboard(visitor, under_way(visitor))


@state("pairs/item")
def _item(visitor: Visitor) -> None:
    visitor.goto(reverse("annotate:item", args=[under_way(visitor).public_id, 1]))


@state("pairs/items")
def _items(visitor: Visitor) -> None:
    visitor.goto(reverse("annotate:items", args=[under_way(visitor).public_id]))


@state("pairs/case")
def _case(visitor: Visitor) -> None:
    made = under_way(visitor)
    who = Judgment.objects.filter(campaign=made).first().assignment.participation
    show(visitor, flagged(who, "low_agreement"))
