"""A browser that translates the page: what is judged stays as it is, and the page says so."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from tests.browser.answers import PARAGRAPHS, Desk, participant
from tests.factories import campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# As Chrome does it: <font> elements in the place of texts, and a class of the page.
TRANSLATE = """heedless => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    for (const node of found) {
        const kept = node.parentElement.closest("[translate=no], script, style, template");
        if (!node.data.trim() || (kept && !(heedless && kept.matches(".read")))) continue;
        const font = document.createElement("font");
        font.textContent = `¿${node.data}?`;
        node.replaceWith(font);
    }
    document.documentElement.classList.add("translated-ltr");
}"""
TOLD = "Your browser has translated this page."


@pytest.fixture
def desk(page: Page, live_server) -> Iterator[Desk]:
    made = Desk(page, live_server.url, participant())
    made.open()
    yield made
    made.leave()


def text(page: Page, n: int) -> str:
    return page.locator(f"#paragraph-{n} .text").evaluate("element => element.textContent")


def test_what_is_judged_is_not_translated_and_the_rest_is_told(desk):
    expect(desk.page.locator("#translated")).to_be_hidden()
    desk.page.evaluate(TRANSLATE, False)
    expect(desk.page.locator("#translated")).to_contain_text(TOLD)
    assert desk.page.locator("#text dd font").count() == 0
    assert text(desk.page, 1) == PARAGRAPHS[0]
    desk.drag(1, "drawn", "Ada")
    assert desk.highlights(1) == ["drawn by Ada"]


def test_a_text_that_is_translated_all_the_same_is_restored_and_told(desk):
    desk.drag(1, "drawn", "Ada")
    desk.page.evaluate(TRANSLATE, True)
    expect(desk.page.locator("#translated")).to_contain_text(TOLD)
    expect(desk.page.locator("#paragraph-1 .text font")).to_have_count(0)
    assert text(desk.page, 1) == PARAGRAPHS[0]
    assert desk.highlights(1) == ["drawn by Ada"]
    desk.drag(1, "square", "The")
    assert desk.highlights(1)[1:] == ["drawn by Ada"]


@pytest.mark.parametrize(
    "change",
    ["document.documentElement.lang = 'hi'", "document.body.setAttribute('_msttexthash', 1)"],
)
def test_other_browsers_are_noticed_too(page: Page, live_server, change: str) -> None:
    who = person(campaign())
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    expect(page.locator("#text .read")).to_have_attribute("translate", "no")
    expect(page.locator("#edit")).to_have_attribute("translate", "no")
    page.evaluate(change)
    expect(page.locator("#translated")).to_contain_text(TOLD)


def test_the_tutorial_notices_it_and_has_the_instructions(page: Page, live_server) -> None:
    who = person(campaign(tutorial=True))
    page.goto(f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/")
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.click("[data-opens=instructions]")
    expect(page.locator("#instructions")).to_contain_text("Fluency: does it read as natural")
    page.keyboard.press("Escape")
    page.evaluate(TRANSLATE, False)
    expect(page.locator("#translated")).to_contain_text(TOLD)
    assert page.locator(".read font").count() == 0
