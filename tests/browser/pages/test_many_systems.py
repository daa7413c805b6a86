"""A dashboard of many systems in a real browser: its height, its order by keys, and a phone."""

from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Campaign
from estimation.models import Comparison, Estimate
from tests.annotate.comparing import compared, rows
from tests.browser.researchers import estimated, sign_in
from tests.browser.viewport import resize
from tests.estimation.ranked import pair
from tests.factories import campaign, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEMS = tuple(f"system-{n:02}" for n in range(1, 21))
TARGETS = {"overall": 0.5, "fluency": 0.5, "redundancy": 0.6, "edit": 0.4}
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def study() -> Campaign:
    """Twenty systems on four criteria, with all their differences."""
    made = campaign(owner=user(), items=4, systems=SYSTEMS, targets=TARGETS, metrics=())
    estimated(made, *TARGETS)
    for place, (first, second) in enumerate(combinations(SYSTEMS, 2)):
        pair(made, first, second, 0.1 * (place % 4))
    compared_on = list(Comparison.objects.filter(campaign=made, criterion="overall"))
    for name in ("fluency", "redundancy", "edit"):
        for one in compared_on:
            one.pk, one.criterion = None, name
        Comparison.objects.bulk_create(compared_on)
    return made


def opened(page: Page, live_server: Any, made: Campaign) -> Page:
    sign_in(page, live_server.url, made.memberships.get().user)
    page.goto(f"{live_server.url}/campaigns/{made.public_id}/")
    return page


def bottom(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return float(box["y"] + box["height"])


def systems(page: Page) -> list[str]:
    return page.locator(".heat tbody th").all_inner_texts()


def best(made: Campaign, criterion: str) -> list[str]:
    found = Estimate.objects.filter(campaign=made, criterion=criterion)
    return list(found.order_by("-estimate").values_list("system__name", flat=True))


def test_what_decides_is_on_the_first_two_screens(page: Page, live_server: Any) -> None:
    resize(page, width=1280, height=900)
    opened(page, live_server, study())
    assert len(systems(page)) == 20
    assert page.locator(".heat tbody td").count() == 80
    assert bottom(page, ".heat") <= 1800
    assert page.evaluate(WIDER) <= 0
    assert page.get_by_role("region", name="Differences on").count() == 4
    assert page.evaluate("document.documentElement.scrollHeight") <= 4000


def test_a_column_is_sorted_by_keys(page: Page, live_server: Any) -> None:
    made = study()
    opened(page, live_server, made)
    assert systems(page) == best(made, "overall")
    page.get_by_role("link", name="Overall", exact=False).first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Fluency", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?sort=fluency#estimates-h")
    assert systems(page) == best(made, "fluency")
    heading = page.get_by_role("columnheader", name="Fluency")
    expect(heading).to_have_attribute("aria-sort", "descending")
    heading.get_by_role("link").press("Enter")
    page.wait_for_url("**/?sort=-fluency#estimates-h")
    assert systems(page) == best(made, "fluency")[::-1]


def test_new_numbers_come_in_the_same_order_and_leave_the_focus(
    page: Page, live_server: Any
) -> None:
    made = study()
    opened(page, live_server, made)
    page.get_by_role("columnheader", name="System").get_by_role("link").click()
    page.wait_for_url("**/?sort=system*")
    link = page.get_by_role("link", name="Edit", exact=True)
    link.focus()
    Estimate.objects.filter(system__name="system-03", criterion="overall").update(estimate=0.55)
    page.evaluate("htmx.trigger(document.querySelector('[data-live]'), 'refresh')")
    expect(page.locator(".heat tbody tr").nth(2)).to_contain_text("0.55")
    assert systems(page) == list(SYSTEMS)
    expect(page.get_by_role("link", name="Edit", exact=True)).to_be_focused()


def test_a_narrow_phone_scrolls_the_table_and_not_the_page(page: Page, live_server: Any) -> None:
    resize(page, width=320, height=700)
    opened(page, live_server, study())
    region = page.get_by_role("region", name="Estimates of all systems")
    region.focus()
    assert region.evaluate("one => one.scrollWidth > one.clientWidth")
    region.evaluate("one => { one.scrollLeft = one.scrollWidth; }")
    name, cell = (page.locator(f".heat tbody {one}").first.bounding_box() for one in ("th", "td"))
    assert name is not None
    assert cell is not None
    assert 0 <= name["x"] < 320, "the systems' names stay in sight"
    assert cell["x"] < 0
    assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("width", [320, 1280])
def test_a_comparison_of_six_systems_fits(page: Page, live_server: Any, width: int) -> None:
    resize(page, width=width, height=900)
    made = compared(rows(4, "ABCDEF"), owner=user())
    estimated(made, "preference", "preference_wins")
    Estimate.objects.update(detail={"answers": [[-1.0, 10], [0.0, 5], [0.5, 25]]})
    opened(page, live_server, made)
    assert page.locator(".wins tbody td").count() == 36
    assert page.locator(".heat .shares").count() == 15
    said = page.locator(".heat tbody tr").first.inner_text().split("too wide")[1]
    assert [part.strip() for part in said.split("·")][1:] == [
        "no difference:\n12\xa0%",
        "D:\n25\xa0%",
    ]
    assert page.evaluate(WIDER) <= 0
    if width == 1280:
        assert bottom(page, ".heat") <= 1800


def test_the_plots_of_two_systems_have_room(page: Page, live_server: Any) -> None:
    made = campaign(owner=user(), items=4, systems=("alpha", "beta"), targets=TARGETS, metrics=())
    estimated(made, *TARGETS)
    pair(made, "alpha", "beta", 0.2)
    resize(page, width=1280, height=900)
    opened(page, live_server, made)
    plot = page.locator(".differences .strip svg").first.bounding_box()
    assert plot is not None
    assert plot["width"] > 150
    assert plot["height"] > 12
