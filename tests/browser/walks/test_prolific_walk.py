"""Somebody from Prolific in a real browser: arrival, tutorial, work, the way back, pay.

With PICTURES set to a folder, a picture of each stage.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotate.crowds import outbox, reconciling
from annotate.models import Campaign, Participation, Posting
from annotate.work import tutorial_queries
from tests import chromium
from tests.browser.annotators.tasks import answer_all, learn, see_task
from tests.browser.researchers import PASSWORD
from tests.crowds.clock import Clock
from tests.crowds.prolific.far_side import TOKEN, ProlificFarSide, prolific_far_side
from tests.factories import campaign, user

pytestmark = [pytest.mark.demos, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TASKS, PHONE = 2, {"width": 390, "height": 844}
PICTURES = os.environ.get("PICTURES", "")
Status = Participation.Status


@pytest.fixture
def far(settings: Any, live_server: Any) -> Iterator[ProlificFarSide]:
    with prolific_far_side() as far_side:
        settings.PROLIFIC_BASE_URL, settings.PROLIFIC_API_TOKEN = far_side.server.url, TOKEN
        settings.PUBLIC_URL = live_server.url
        settings.CROWD_CALLS_PER_SECOND = 1000
        yield far_side


@pytest.fixture
def ada() -> User:
    return user()


@dataclass
class Walk:
    """One study at the stand-in, and the browsers of a researcher and of a participant."""

    far: ProlificFarSide
    clock: Clock
    study: Campaign
    url: str
    researcher: Page
    participant: Page
    n: int = 0

    def picture(self, page: Page, name: str) -> None:
        self.n += 1
        if PICTURES:
            page.screenshot(path=Path(PICTURES) / f"prolific-{self.n:02d}-{name}.png")

    def worker(self) -> None:
        for _ in range(2):
            outbox.carry_out_due()
            reconciling.reconcile_all(all_=True)

    def arrive(self, person: str) -> str:
        """They take a place there; Prolific fills its ids into the address of the study."""
        (listing,) = self.far.postings()
        unit = self.far.accept(listing, person)
        self.far.world.logged_in = person
        ids = {"PROLIFIC_PID": person, "STUDY_ID": listing, "SESSION_ID": unit}
        address = str(self.far.world.studies[listing]["external_study_url"])
        for name, value in ids.items():
            address = address.replace(f"{{{{%{name}%}}}}", value)
        assert "{{" not in address
        self.participant.goto(address)
        return unit

    def of(self, unit: str) -> Participation:
        return Participation.objects.select_related("annotator").get(external_key=unit)


def _page(browser: Browser, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    context.set_default_timeout(chromium.PATIENCE)
    return context


@pytest.fixture
def walk(
    browser: Browser, live_server: Any, far: ProlificFarSide, clock: Clock, ada: User
) -> Iterator[Walk]:
    study = campaign(
        owner=ada,
        items=20,
        crowd="prolific",
        reward=Decimal("0.60"),
        tutorial=True,
        tutorial_bonus=Decimal("0.75"),
        bonus_after=TASKS,
        budget=Decimal(100),
        contact="ada@example.org",
    )
    desk, phone = _page(browser), _page(browser, viewport=PHONE)
    yield Walk(far, clock, study, live_server.url, desk.new_page(), phone.new_page())
    desk.close()
    phone.close()


def test_from_the_study_to_the_bonus(walk: Walk) -> None:
    _launch(walk)
    person = walk.far.person(7)
    unit = walk.arrive(person)
    assert walk.of(unit).verified_at is not None
    _learn(walk, unit)
    _work(walk, unit)

    who = walk.of(unit)
    code = Posting.objects.get().code
    assert walk.participant.url == f"{walk.far.server.url}/submissions/complete?cc={code}"
    assert walk.far.world.submission(unit)["status"] == "AWAITING REVIEW"
    assert who.status == Status.HANDED_IN
    assert walk.far.paid() == {}

    walk.worker()
    assert walk.of(unit).status == Status.CONFIRMED
    assert walk.far.bonuses() == [(person, unit, Decimal("0.75"))]  # the tutorial's, once
    walk.far.move_clock(timedelta(hours=1))
    walk.clock.move(hours=1)
    walk.worker()
    assert walk.of(unit).status == Status.APPROVED
    assert walk.far.paid() == {unit: Decimal("1.20")}
    assert len(walk.far.bonuses()) == 1
    _batches(walk)


def test_an_address_that_prolific_does_not_know_lets_nobody_in(walk: Walk) -> None:
    _launch(walk)
    (listing,) = walk.far.postings()
    address = str(walk.far.world.studies[listing]["external_study_url"]).split("?")[0]
    page = walk.participant
    ids = {"PROLIFIC_PID": walk.far.person(1), "STUDY_ID": listing, "SESSION_ID": "0" * 24}
    page.goto(f"{address}?" + "&".join(f"{name}={value}" for name, value in ids.items()))
    expect(page.get_by_text("Open the study from Prolific again")).to_be_visible()
    page.goto(address)
    expect(page.get_by_text("This link is not complete")).to_be_visible()
    assert not Participation.objects.exists()


def _launch(walk: Walk) -> None:
    """By the pages alone."""
    page = walk.researcher
    page.goto(f"{walk.url}/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    page.goto(walk.url + reverse("annotate:batch-new", args=[walk.study.public_id]))
    page.get_by_label("Tasks in a submission").fill(str(TASKS))
    page.get_by_label("Minutes a submission takes").fill("6")
    page.get_by_label("Places", exact=True).fill("3")
    page.get_by_label("Hours for reviewers").fill("0.5")
    page.get_by_label("Approved submissions at least").fill("")
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_role("row", name=re.compile("Tutorial bonuses"))).to_contain_text("£2.25")
    expect(page.get_by_text("Prolific says that it charges £7.80 in all")).to_be_visible()
    walk.picture(page, "fee")
    page.get_by_role("button", name=re.compile(r"^Calculate with 33\.33 %")).click()
    walk.picture(page, "offer")
    page.get_by_role("button", name=re.compile(r"^Launch .*£7\.80")).click()
    expect(page.get_by_role("status")).to_contain_text("Launched")
    walk.worker()


def _learn(walk: Walk, unit: str) -> None:
    page = walk.participant
    expect(page.locator("#check")).to_be_visible()
    walk.picture(page, "tutorial")
    status = tutorial_queries.status(walk.of(unit).pk)
    assert status is not None
    learn(page, status.questions, promise="£0.75")
    page.locator("#start").click()


def _work(walk: Walk, unit: str) -> None:
    """The last task leads back to Prolific."""
    page = walk.participant
    for number in range(1, TASKS + 1):
        see_task(page, number)
        answer_all(page)
        walk.picture(page, f"task-{number}")
        page.locator("#submit").click()
    page.locator("#hand-in-now").press("Enter")
    expect(page.get_by_role("heading", name="Submission received")).to_be_visible()
    walk.picture(page, "handed-in")


def _batches(walk: Walk) -> None:
    page = walk.researcher
    page.goto(walk.url + reverse("annotate:batches", args=[walk.study.public_id]))
    for name, value in {"Free": "2", "Approved": "1", "Paid to people": "£1.95"}.items():
        term = page.locator(".counts div", has=page.get_by_text(name, exact=True))
        expect(term.locator("dd")).to_have_text(value)
    walk.picture(page, "batches")
