"""The newest pages by keyboard alone: every control is reached, and the focus is always seen."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.common import audit
from annotate.models import InstrumentDefinition
from tests.annotate.lists.test_attention import ORDER, brought
from tests.browser.hands import Keyboard
from tests.browser.pages.test_instrument_form import WORDS
from tests.browser.states import STATES, Visitor, amended, listed, looking, numbers, pairs
from tests.browser.states.researcher import logged_in, study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROOMS = (amended, listed, looking, numbers, pairs)  # importing them fills STATES
WAYS: dict[str, Callable[[Visitor], None]] = {one.name: one.reach for one in STATES}
MOST = 150  # stops


@pytest.fixture
def visitor(page: Page, live_server) -> Visitor:
    return Visitor(page, live_server.url)


def stops(hand: Keyboard) -> list[str]:
    """Press Tab from the top to the end of the page; each stop of the focus must be seen."""
    hand.page.evaluate(
        "() => { const { body } = document; body.tabIndex = -1; body.focus();"
        " body.removeAttribute('tabindex'); scrollTo(0, 0); }"
    )
    found: list[str] = []
    while len(found) < MOST:
        hand.page.keyboard.press("Tab")
        name = hand._look()
        if name == "the end of the page":
            return found
        found.append(name)
    raise AssertionError(f"the page has more than {MOST} stops: {found[-20:]}")


@pytest.mark.parametrize(
    "state",
    [
        "lists/campaigns-attention",
        "lists/plan-pairs",
        "researcher/texts-amended",
        "activity/all",
        "looking/items",
        "looking/item",
        "numbers/report",
        "numbers/report-tutorial",
        "pairs/dashboard",
        "pairs/items",
        "pairs/report",
    ],
)
def test_the_focus_is_seen_wherever_it_stops(visitor: Visitor, state: str) -> None:
    WAYS[state](visitor)
    found = stops(Keyboard(visitor.page))
    assert len(found) > 5


def test_what_waits_is_reached_from_the_list(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    for name in ORDER:
        brought(owner, name)
    visitor.goto("/")
    hand = Keyboard(visitor.page)
    hand.press("link", "An appeal waits for an answer in appeal")
    expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Review")


def test_texts_are_amended(visitor: Visitor) -> None:
    made = study(logged_in(visitor))
    page = visitor.goto(reverse("annotate:texts", args=[made.public_id]))
    hand = Keyboard(page)
    hand.write("Title for annotators", "News about a bridge")
    page.keyboard.press("Enter")  # the form is sent without a reason
    expect(page.get_by_role("alert")).to_contain_text("Nothing was changed")
    hand.write("Why", "A shorter title.")
    hand.press("button", "Amend")
    expect(page.get_by_text("A shorter title.")).to_be_visible()
    made.refresh_from_db()
    assert made.public_title == "News about a bridge"


def test_the_activity_is_narrowed_and_followed(visitor: Visitor) -> None:
    made = study(logged_in(visitor))
    for n in range(120):
        audit.record(("pause", "look")[n % 2], campaign_id=made.pk, actor_id=None, n=n)
    page = visitor.goto(reverse("estimation:activity", args=[made.public_id]))
    hand = Keyboard(page)
    hand.reach(page.get_by_label("Show", exact=True))
    page.keyboard.type("Crowd")
    hand.press("button", "Show")
    expect(page.get_by_text("compared its postings with the crowd")).to_be_visible()
    expect(page.get_by_text("paused it")).to_have_count(0)


def test_an_instrument_is_defined_by_tab_alone(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/instruments/form/")
    hand = Keyboard(page)
    for name, said in WORDS.items():
        hand.reach(page.locator(f"[id='{name}']"))
        page.keyboard.type(said)
    page.keyboard.press("Enter")
    expect(page.get_by_text("“Politeness”, version 1, is defined.")).to_be_visible()
    assert InstrumentDefinition.objects.count() == 1


def test_a_ranking_of_pairs_is_planned(visitor: Visitor) -> None:
    logged_in(visitor)
    page = visitor.goto("/plan/")
    hand = Keyboard(page)
    hand.write("Target width", "", role="spinbutton")
    page.keyboard.press("Delete")
    hand.write("Or the margin of a ranking", "0.3", role="spinbutton")
    hand.write("Outputs of each system", "100", role="spinbutton")
    hand.write("Systems", "3", role="spinbutton")
    hand.reach(page.get_by_label("A ranking is made from"))
    page.keyboard.press("ArrowDown")
    hand.press("button", "Calculate")
    expect(page.locator("#ranking")).to_contain_text("Pairs that are alike")
