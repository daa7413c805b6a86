"""Gold and signals, whom they list, the list of campaigns, and the plan of a ranking."""

from datetime import timedelta
from unittest.mock import patch

from django.contrib.auth.models import User
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotate.campaigns import lists as campaigns_lists
from annotate.models import Campaign, ChangeMark
from annotate.review import gold
from annotate.tasks import look_at_gold, look_at_signals
from config import requests
from tests import reviewed
from tests.annotate.gold.study import items, planted, with_gold
from tests.annotate.gold.test_gold_sources import district_rows
from tests.annotate.lists.test_attention import ORDER, brought
from tests.annotate.review.test_listed_people import careless
from tests.annotate.review.test_page_signals import ON, pasting
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in
from tests.factories import campaign, judge, person


def drafted(visitor: Visitor) -> Campaign:
    owner = logged_in(visitor)
    return campaign(owner=owner, is_open=False, rows_=district_rows(12), name="News in short")


def page(visitor: Visitor, name: str, made: Campaign) -> None:
    visitor.goto(reverse(f"annotate:{name}", args=[made.public_id]))


@state("gold/draft-empty")
def _empty(visitor: Visitor) -> None:
    page(visitor, "gold", drafted(visitor))


@state("gold/draft")
def _draft(visitor: Visitor) -> None:
    made = drafted(visitor)
    gold.set_share(made.pk, 5, actor_id=None)
    gold.add(made.pk, items(2), actor_id=None)
    planted(made)
    page(visitor, "gold", made)


@state("gold/refused")
def _refused(visitor: Visitor) -> None:
    page(visitor, "gold", drafted(visitor))
    here = visitor.page
    here.get_by_label("Or its text").fill('[{"item": "x", "output": "A text", "expected": {}}]')
    here.get_by_role("button", name="Add the items").click()
    expect(here.get_by_role("alert")).to_be_visible()


def listed(visitor: Visitor) -> Campaign:
    """Two people whom gold lists and does not, one of signals, and one whom a screen has paused."""
    owner: User = logged_in(visitor)
    made = campaign(
        owner=owner,
        is_open=False,
        items=60,
        annotator_cap=None,
        screening=ON,
        name="News in short, autumn",
    )
    with_gold(made)
    careless(made)
    careless(made, "careful", is_right=True)
    pasting(made)
    reviewed.flagged(person(made, "flagged"), "too_fast")
    look_at_gold()
    look_at_signals()
    return made


@state("gold/open")
def _open(visitor: Visitor) -> None:
    page(visitor, "gold", listed(visitor))


@state("reviews/queue-listed")
def _queue(visitor: Visitor) -> None:
    listed(visitor)
    visitor.goto(reverse("annotate:reviews"))


@state("reviews/queue-narrowed")
def _narrowed(visitor: Visitor) -> None:
    listed(visitor)
    visitor.goto(reverse("annotate:reviews") + "?screen=signals&tier=list")


def case(visitor: Visitor, reason: str) -> None:
    listed(visitor)
    here = visitor.goto(f"{reverse('annotate:reviews')}?screen={reason}")
    here.locator("[data-row-link]").first.click()


@state("reviews/case-gold")
def _gold(visitor: Visitor) -> None:
    case(visitor, "gold")
    expect(visitor.page.get_by_role("heading", name="Gold items", exact=True)).to_be_visible()


@state("reviews/case-signals")
def _signals(visitor: Visitor) -> None:
    case(visitor, "signals")
    expect(visitor.page.get_by_role("button", name="Put aside")).to_be_visible()


def together(visitor: Visitor) -> None:
    listed(visitor)
    here = visitor.goto(reverse("annotate:reviews"))
    here.get_by_label("Choose all on this page").check()
    here.get_by_label("Ruling for all ticked").select_option("exclude")
    here.get_by_role("button", name="See what it does").click()
    expect(here.get_by_role("heading", name="Exclude the work")).to_be_visible()


@state("reviews/together")
def _together(visitor: Visitor) -> None:
    together(visitor)


@state("reviews/together-unopened")
def _unopened(visitor: Visitor) -> None:
    together(visitor)
    visitor.page.get_by_role("button", name="Exclude the work").click()
    expect(visitor.page.get_by_text("You have not opened every case")).to_be_visible()


@state("reviews/together-done")
def _done(visitor: Visitor) -> None:
    together(visitor)
    visitor.page.get_by_label("Rule also on people whose case I have not opened").check()
    visitor.page.get_by_role("button", name="Exclude the work").click()
    expect(visitor.page.locator(".results").first).to_be_visible()


@state("reviews/screens")
def _screens(visitor: Visitor) -> None:
    page(visitor, "screens", drafted(visitor))


@state("reviews/screens-open")
def _screens_open(visitor: Visitor) -> None:
    page(visitor, "screens", listed(visitor))


@state("lists/campaigns-attention")
def _attention(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    for name in sorted(ORDER):
        brought(owner, name)
    page = visitor.goto("/")
    expect(page.get_by_role("link", name="An appeal waits for an answer")).to_be_visible()


@state("lists/plan-pairs")
def _pairs(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/plan/")
    page.get_by_label("Target width").fill("")
    page.get_by_label("margin of a ranking").fill("0.3")
    page.get_by_label("Systems", exact=True).fill("3")
    page.get_by_label("Outputs of each system").fill("200")
    page.get_by_label("A ranking is made from").select_option("pairs")
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator("#ranking")).to_be_visible()


def behind(visitor: Visitor) -> Campaign:
    """A campaign whose judgments have waited for their estimates for some minutes."""
    made = campaign(owner=logged_in(visitor), name="Summaries of autumn")
    judge(person(made))
    ChangeMark.objects.update(at=timezone.now() - timedelta(minutes=4))
    return made


@state("campaigns/list-behind")
def _list_behind(visitor: Visitor) -> None:
    behind(visitor)
    visitor.goto(reverse("annotate:campaigns"))
    expect(visitor.page.get_by_text("Estimates are behind: is the worker running?")).to_be_visible()


@state("estimates/dashboard-behind")
def _dashboard_behind(visitor: Visitor) -> None:
    visitor.goto(reverse("estimation:dashboard", args=[behind(visitor).public_id]))
    expect(visitor.page.get_by_text("have waited for their estimates for")).to_be_visible()


@state("errors/busy")
def _busy(visitor: Visitor) -> None:
    logged_in(visitor)
    locked = OperationalError("canceling statement due to lock timeout")
    locked.__cause__ = Exception()
    locked.__cause__.pgcode = requests.LOCKED  # type: ignore[attr-defined]
    visitor.staying.enter_context(patch.object(campaigns_lists, "listed", side_effect=locked))
    visitor.goto(reverse("annotate:campaigns"))
    expect(visitor.page.get_by_role("heading", name="being changed right now")).to_be_visible()
