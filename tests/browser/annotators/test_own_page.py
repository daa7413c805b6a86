"""From a unit that nobody has confirmed yet, a browser leads back to the page of one that is."""

import pytest
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Participation
from annotate.work import participations
from annotate.work.participations import move
from tests.annotate.market import arrive, posting
from tests.browser.viewport import resize
from tests.factories import judge
from tests.reviewed import flagged

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Unit = Participation.Status


def at(live_server, who: Participation, page: str = "") -> str:
    return f"{live_server.url}/work/p/{tokens.participation_token(who.pk)}/{page}"


@pytest.mark.parametrize("page_of", ["", "me/"])
def test_who_handed_in_here_finds_what_was_noticed(page: Page, live_server, page_of: str) -> None:
    to = posting(tasks=1)
    who = arrive(to)
    judge(who)
    participations.hand_in(who.pk)
    page.goto(at(live_server, who))
    expect(page.get_by_role("button", name="Hand in your work")).to_be_visible()
    move(who.pk, Unit.CONFIRMED, sources=[Unit.HANDED_IN])
    flagged(who)
    page.goto(at(live_server, arrive(to, unit="U2"), page_of))
    way = page.get_by_role("link", name="Open your page of earlier work")
    expect(way).to_be_visible()
    resize(page, 320, 700)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    way.click()
    expect(page.locator("#looked-h")).to_have_text("A person is looking at your work")


def test_another_browser_or_another_person_finds_no_way(page: Page, live_server, browser) -> None:
    to = posting(tasks=1)
    who = arrive(to)
    judge(who)
    participations.hand_in(who.pk)
    page.goto(at(live_server, who))
    flagged(who)
    later = at(live_server, arrive(to, unit="U2"), "me/")
    stranger = at(live_server, arrive(to, "AW2", "U3"), "me/")
    context = browser.new_context()
    for visitor, address in ((page, stranger), (context.new_page(), later)):
        visitor.goto(address)
        expect(visitor.get_by_text("it could be anybody")).to_be_visible()
        expect(visitor.locator("#earlier")).to_be_hidden()
    context.close()
