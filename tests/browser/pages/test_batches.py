"""A batch in a real browser, at the stand-in for MTurk: offered, tried, launched, followed."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotate.crowds import outbox, reconciling
from annotate.models import Batch, Campaign, Posting
from tests.browser.states import Visitor
from tests.browser.states.researcher import logged_in
from tests.browser.viewport import resize
from tests.crowds.batches.launching import launched
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.factories import campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def far(settings: Any, live_server: Any) -> Iterator[MTurkFarSide]:
    """The stand-in, which the settings name; it shows our pages in its frame."""
    with mturk_far_side() as far_side:
        settings.MTURK_ENDPOINT_URL = far_side.url
        settings.PUBLIC_URL = live_server.url
        settings.CROWD_CALLS_PER_SECOND = 1000  # nothing here waits for its turn
        yield far_side


@pytest.fixture
def made(page: Page, live_server: Any, far: MTurkFarSide) -> Campaign:
    owner = logged_in(Visitor(page, live_server.url))
    return campaign(owner=owner, crowd="mturk", reward=Decimal("0.50"), items=20)


def state(page: Page) -> Locator:
    return page.locator(".batch header .state")


def worker() -> None:
    """What the worker process does when it is asked."""
    outbox.carry_out_due()
    reconciling.reconcile_all(all_=True)


def test_from_the_advice_to_a_batch_under_way(
    page: Page, live_server: Any, far: MTurkFarSide, made: Campaign
) -> None:
    page.goto(live_server.url + reverse("estimation:dashboard", args=[made.public_id]))
    page.get_by_role("link", name="Prepare a batch").click()
    page.get_by_label("Places").fill("2")
    page.get_by_label("Approved at least, in %").fill("")
    page.get_by_label("Approved submissions at least").fill("")
    page.get_by_role("button", name="See it and its cost").click()

    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("This is an example.")).to_be_visible()
    expect(frame.get_by_text("This work holds 5 tasks and pays $2.50.")).to_be_visible()
    frame.get_by_role("radio").first.check()
    expect(frame.get_by_role("radio").first).to_be_checked()
    assert not Batch.objects.exists()

    world = far.adapter().environment
    expect(page.get_by_text(f"{world}: not Amazon Mechanical Turk itself")).to_be_visible()
    page.get_by_role("button", name=f"Launch on {world} for $6.00").click()
    expect(state(page)).to_have_text("Being published")

    worker()
    expect(state(page)).to_have_text("Open")
    posting = Posting.objects.get()
    page.locator("summary", has_text="1 posting").click()
    link = page.get_by_role("link", name=posting.external_id)
    expect(link).to_have_attribute("href", posting.url)

    page.get_by_role("link", name="Extend").click()
    page.get_by_label("Further places").fill("1")
    page.get_by_role("button", name="See what it costs").click()
    page.get_by_role("button", name=f"Extend on {world} for $3.00").click()
    expect(page.get_by_text("1 further place is being published")).to_be_visible()
    page.get_by_role("button", name="Look at the crowd now").click()
    expect(page.get_by_text("The crowd is being asked")).to_be_visible()
    worker()
    assert len(far.postings()) == 2

    page.get_by_role("link", name="Stop").click()
    page.get_by_role("button", name="Stop the batch").click()
    expect(page.get_by_text("no one new can enter")).to_be_visible()
    worker()
    expect(state(page)).to_have_text("Over")


def test_return_in_a_field_never_launches(
    page: Page, live_server: Any, far: MTurkFarSide, made: Campaign
) -> None:
    page.goto(live_server.url + reverse("annotate:batch-new", args=[made.public_id]))
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_role("button", name="Launch on")).to_be_visible()
    with page.expect_navigation():
        page.get_by_label("Places", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Launch on")).to_be_visible()
    assert not Batch.objects.exists()

    launched(made, places=2)
    batch = Batch.objects.get()
    address = reverse("annotate:batch-extend", args=[made.public_id, batch.public_id])
    page.goto(live_server.url + address)
    page.get_by_role("button", name="See what it costs").click()
    expect(page.get_by_role("button", name="Extend on")).to_be_visible()
    with page.expect_navigation():
        page.get_by_label("Further places").press("Enter")
    expect(page.get_by_role("button", name="Extend on")).to_be_visible()
    batch.refresh_from_db()
    assert batch.places == 2


def test_an_empty_account_is_seen_before_anything_is_published(
    page: Page, live_server: Any, far: MTurkFarSide, made: Campaign
) -> None:
    far.balance = Decimal("1.00")
    page.goto(live_server.url + reverse("annotate:batch-new", args=[made.public_id]))
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_text("Top it up")).to_be_visible()
    expect(page.get_by_role("button", name="Launch")).to_have_count(0)
    assert not far.postings()


def test_a_phone_of_320_pixels_has_room(
    page: Page, live_server: Any, far: MTurkFarSide, made: Campaign
) -> None:
    resize(page, 320, 640)
    page.goto(live_server.url + reverse("annotate:batch-new", args=[made.public_id]))
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.frame_locator("iframe").get_by_text("This is an example.")).to_be_visible()
    assert _overflow(page) <= 0
    page.get_by_role("button", name="Launch on").click()
    worker()
    expect(state(page)).to_have_text("Open")
    assert _overflow(page) <= 0


def _overflow(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))
