"""What stands behind the numbers: items by what people said, metrics beside judgments."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Campaign
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, person


def begun(visitor: Visitor) -> Campaign:
    """Two systems; six items judged twice by four people, as far as 20 judgments go."""
    made = campaign(
        owner=logged_in(visitor), items=12, double_share=1.0, name="News in short, autumn"
    )
    take_turns([person(made, f"p{i}") for i in range(4)], 20)
    return settle(made)


def opened(visitor: Visitor, page: str, *more: object, query: str = "") -> Page:
    address = reverse(page, args=[begun(visitor).public_id, *more])
    return visitor.goto(f"{address}?{query}")


@state("looking/items")
def _items(visitor: Visitor) -> None:
    page = opened(visitor, "annotate:items", query="sort=residual")
    expect(page.get_by_role("columnheader", name="Residual")).to_be_visible()


@state("looking/item")
def _item(visitor: Visitor) -> None:
    page = opened(visitor, "annotate:item", 1)
    expect(page.get_by_text("uploaded, used").first).to_be_visible()


@state("looking/systems")
def _systems(visitor: Visitor) -> None:
    page = opened(visitor, "estimation:systems")
    expect(page.get_by_role("heading", name="Metric low, people high")).to_be_visible()
    page.wait_for_load_state("networkidle")
    for picture in page.locator("figure img").all():
        assert picture.evaluate("one => one.naturalWidth") > 0
    page.get_by_label("System").select_option(label="beta")
    page.get_by_role("button", name="Show").click()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_label("System")).to_have_value(
        page.url.partition("system=")[2].split("&")[0]
    )
