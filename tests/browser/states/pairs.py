"""What people see of a study that compares two systems side by side."""

from dataclasses import replace

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns.problems import Row
from annotate.models import Campaign, CampaignImport, Judgment
from estimation import refresh
from estimation.models import Estimate
from tests.annotate.comparing import PLAN, compared, judged
from tests.annotate.comparing import rows as plain
from tests.annotate.gold.study import planted
from tests.browser.researchers import estimated, step, through
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import asked, dashboard, logged_in
from tests.browser.states.reviews import show
from tests.browser.states.texts import rows
from tests.browser.states.work import at_work, landing
from tests.factories import campaign, person
from tests.reviewed import flagged


def study(**changes: object) -> Campaign:
    return campaign(
        instrument="preference",
        name="Side by side",
        **{**PLAN, "rows_": rows(), "double_share": 1.0, **changes},
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
    expect(page.locator("#questions input:checked")).to_have_count(1)


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
    refresh.refresh(made.pk)
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


@state("pairs/report")
def _report(visitor: Visitor) -> None:
    visitor.goto(reverse("estimation:report", args=[under_way(visitor).public_id]))


@state("pairs/strengths")
def _strengths(visitor: Visitor) -> None:
    made = study(owner=logged_in(visitor), rows_=three(), annotator_cap=None, double_share=0)
    judged(made, 11, people=3)
    refresh.refresh(made.pk)
    page = dashboard(visitor, made)
    expect(page.get_by_role("heading", name="Strength of the systems")).to_be_visible()


@state("pairs/six-systems")
def _six_systems(visitor: Visitor) -> None:
    """Fifteen pairs: a map of wins, and what people answered of each pair."""
    names = ("Linden", "Alder", "Rowan", "Beech", "Larch", "Lead sentences")
    made = compared(plain(4, names), owner=logged_in(visitor), name="Side by side")
    estimated(made, "preference", "preference_wins")
    for n, one in enumerate(Estimate.objects.filter(campaign=made)):
        one.detail["answers"] = [[-0.5, 4 + n], [0.0, 9], [1.0, 30 - n]]
        one.save(update_fields=["detail"])
    dashboard(visitor, made).locator(".wins").wait_for()


@state("pairs/gold")
def _gold(visitor: Visitor) -> None:
    made = study(owner=logged_in(visitor), rows_=three(), is_open=False)
    planted(made, pair=True)
    visitor.goto(reverse("annotate:gold", args=[made.public_id]))


def chosen(visitor: Visitor) -> Page:
    """The second step of a new campaign, with the built-in comparison and a metric."""
    page = asked(visitor)
    page.get_by_label("What people are asked").select_option("preference")
    page.get_by_label("comet", exact=True).check()
    return page


@state("pairs/new-plan")
def _plan(visitor: Visitor) -> None:
    page = chosen(visitor)
    step(page, "Next: plan")
    expect(page.locator("#id_width_preference")).to_be_visible()


@state("pairs/new-first-item")
def _first_item(visitor: Visitor) -> None:
    step(chosen(visitor), "Next: plan")
    of = CampaignImport.objects.get()
    page = visitor.goto(reverse("annotate:import-item", args=[of.public_id, 2]))
    expect(page.locator(".pair .read")).to_have_count(2)


@state("pairs/new-preview")
def _preview(visitor: Visitor) -> None:
    page = chosen(visitor)
    through(page)
    expect(page.get_by_text("pointer vs. seq2seq").first).to_be_visible()


def three() -> list[Row]:
    """The texts, with a third system that says little."""
    short = [
        replace(row, system="lead", output=row.output.partition(".")[0] + ".", metrics={})
        for row in rows()
        if row.system == "pointer"
    ]
    shorter = [replace(row, output=row.output[:60]) for row in short]
    return [*(replace(row, metrics={}) for row in rows()), *shorter]
