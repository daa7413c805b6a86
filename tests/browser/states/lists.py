"""The list of campaigns with every reason for a place, and the plan of a ranking."""

from playwright.sync_api import expect

from tests.annotate.lists.test_attention import ORDER, brought
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in


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
