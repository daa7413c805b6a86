"""Long lists by keyboard: search, order and pages, on a wide screen and on a phone."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.annotate.lists import crowd
from tests.browser.researchers import sign_in
from tests.browser.viewport import resize
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def pay(page: Page, live_server: Any) -> Page:
    """The page of pay of a campaign with 120 people, for its owner."""
    made = campaign(owner=user(), items=2)
    crowd.people(made, 120, name="Person {i:03d}")
    sign_in(page, live_server.url, User.objects.get())
    page.goto(f"{live_server.url}{reverse('annotate:pay', args=[made.public_id])}")
    expect(page.get_by_role("heading", name="Accounts 120")).to_be_visible()
    return page


def rows(page: Page) -> Any:
    return page.locator("section[aria-labelledby=accounts-h] tbody tr")


def press(page: Page, role: Any, name: str) -> None:
    control = page.get_by_role(role, name=name, exact=True)
    control.focus()
    page.keyboard.press("Enter")


def test_every_page_is_reached_by_keyboard(pay: Page) -> None:
    expect(rows(pay)).to_have_count(50)
    press(pay, "link", "Name or code")
    expect(rows(pay).first).to_contain_text("Person 000")
    header = pay.get_by_role("columnheader", name="Name or code")
    expect(header).to_have_attribute("aria-sort", "ascending")
    press(pay, "link", "Next page")
    expect(rows(pay).first).to_contain_text("Person 050")
    press(pay, "link", "Next page")
    expect(rows(pay)).to_have_count(20)
    expect(pay.get_by_text("101–120 of 120")).to_be_visible()
    expect(pay.get_by_role("link", name="Next page")).to_have_count(0)
    pay.reload()
    expect(rows(pay).first).to_contain_text("Person 100")
    pay.go_back()
    expect(rows(pay).first).to_contain_text("Person 050")


def test_searching_keeps_the_order_and_leads_back(pay: Page) -> None:
    pay.get_by_label("Order").select_option("Name or code")
    search = pay.get_by_label("Annotator, name or code")
    search.focus()
    pay.keyboard.type("person 11")
    pay.keyboard.press("Enter")
    expect(rows(pay)).to_have_count(10)
    expect(rows(pay).first).to_contain_text("Person 110")
    expect(pay.get_by_label("Order")).to_have_value("name")
    search.fill("nobody")
    pay.keyboard.press("Enter")
    expect(pay.get_by_text("No account matches “nobody”")).to_be_visible()
    pay.get_by_role("link", name="Show all").first.focus()
    pay.keyboard.press("Enter")
    expect(rows(pay)).to_have_count(50)


def test_extra_pay_begins_at_the_account(pay: Page) -> None:
    link = rows(pay).nth(3).get_by_role("link")
    name = rows(pay).nth(3).get_by_role("rowheader").inner_text()
    link.focus()
    pay.keyboard.press("Enter")
    expect(pay.get_by_label("To whom")).to_have_value(name)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_shows_it_without_a_barrier(pay: Page, theme: Any) -> None:
    resize(pay, 390, 844)
    pay.emulate_media(color_scheme=theme)
    assert pay.evaluate("document.documentElement.scrollWidth") <= 390
    found = Axe().run(pay)
    assert not found.response["violations"], found.generate_report()
    expect(pay.get_by_label("Order")).to_be_visible()


def test_on_a_phone_numbers_stand_beside_each_other(pay: Page) -> None:
    resize(pay, width=390, height=844)
    row = rows(pay).first
    earned, refused = (row.locator(f"[data-label={name}]").bounding_box() for name in LABELS)
    assert earned
    assert refused
    assert earned["y"] == refused["y"]
    assert earned["x"] < refused["x"]


LABELS = ("Earned", "Refused")


def test_the_order_of_a_list_is_read_whole(pay: Page) -> None:
    select = pay.get_by_label("Show")
    assert select.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (390, False)])
def test_a_text_stands_beside_its_judgments(
    page: Page, live_server: Any, width: int, beside: bool
) -> None:
    made = campaign(owner=user(), items=2)
    judge(person(made))
    sign_in(page, live_server.url, User.objects.get())
    page.goto(f"{live_server.url}{reverse('annotate:item', args=[made.public_id, 1])}")
    article = page.locator("article.output", has=page.locator("table")).first
    expect(article).to_be_visible()
    resize(page, width=width, height=800)
    text, table = (article.locator(one).bounding_box() for one in (".judged", "table"))
    assert text
    assert table
    assert (table["x"] >= text["x"] + text["width"]) is beside
    assert (table["y"] >= text["y"] + text["height"]) is not beside
