"""The whole loop on the local MTurk endpoint, in a real browser: launch, work, rule, pay, close.

With PICTURES set to a folder, a picture of each stage.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect

from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import Claim
from annotate.models import Campaign, Participation, Posting
from annotate.work import participations, tutorial_queries
from estimation import refresh
from extras.demo import crowds
from extras.mturk_simulator import hits, workers
from extras.mturk_simulator.world import AssignmentState, HitAssignment
from tests import chromium
from tests.annotate.passing import pass_tutorial
from tests.browser.annotators.tasks import EDITED, answer_all, learn, see_framed
from tests.browser.researchers import PASSWORD
from tests.crowds.clock import Clock
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.factories import campaign, judge, user
from tests.reviewed import flagged

pytestmark = [pytest.mark.demos, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TASKS = 4
PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
OTHERS = [f"A{n:013d}" for n in range(7)]  # with ann, enough people for an interval
REASON = "Every answer is the same, and was given before the text could be read."
PICTURES = os.environ.get("PICTURES", "")


@dataclass
class Walk:
    """One study at the stand-in, the browsers in which it is looked at, and the worker."""

    browser: Browser
    url: str
    turk: MTurkFarSide
    clock: Clock
    study: Campaign
    scheme: str
    contexts: list[BrowserContext] = field(default_factory=list)
    n: int = 0

    def page(self, size: dict[str, Any]) -> Page:
        """A browser of somebody's own: no cookie is shared."""
        context = self.browser.new_context(viewport=size, color_scheme=self.scheme)
        context.set_default_timeout(chromium.PATIENCE)
        self.contexts.append(context)
        return context.new_page()

    def picture(self, page: Page, name: str, *, whole: bool = True) -> None:
        self.n += 1
        if PICTURES:
            page.wait_for_timeout(300)
            path = Path(PICTURES) / f"walk-{self.n:02d}-{name}-{self.scheme}.png"
            page.screenshot(path=path, full_page=whole)

    def look(self) -> None:
        """What the worker does within seconds: carries out, looks at the crowd, estimates."""
        for _ in range(3):
            refresh.refresh(self.study.pk)
            outbox.carry_out_due()
            reconciling.reconcile_all(all_=True)

    def pass_time(self, **by: float) -> None:
        self.turk.move_clock(timedelta(**by))
        self.clock.move(**by)

    def of(self, name: str) -> Participation:
        named = Participation.objects.filter(annotator__external_id=workers.worker_id(name))
        return named.select_related("campaign", "annotator").get()

    def unit(self, name: str) -> HitAssignment:
        """What the stand-in knows of somebody's one assignment."""
        mine = workers.worker_id(name)
        (one,) = [one for one in self.turk.world.assignments.values() if one.worker == mine]
        return one

    def other(self, person: str) -> None:
        """Somebody who does a unit from end to end, without being looked at."""
        hit = workers.next_hit(self.turk.world, self.group(), person)
        assert hit is not None, "nothing is open to them"
        posting = Posting.objects.get(external_id=hit.id)
        unit = self.turk.accept(hit.id, person)
        claim = Claim(
            person=person,
            posting=posting.public_id,
            listing=hit.id,
            unit=unit,
            submit_to=self.turk.url,
        )
        who = participations.arrive(posting.public_id, claim, verified=False)
        pass_tutorial(who)
        for n in range(TASKS):
            judge(who, **({"overall": 0, "edit": EDITED} if (n + int(person[-1])) % 3 else {}))
        participations.hand_in(who.pk)
        self.turk.submit(unit, receipt=who.receipt)

    def group(self) -> str:
        return next(iter(self.turk.world.hit_types))


@pytest.fixture
def turk(settings: Any, live_server: Any) -> Iterator[MTurkFarSide]:
    with mturk_far_side() as far:
        settings.MTURK_ENVIRONMENT, settings.MTURK_WORKER_URL = "sandbox", ""
        settings.MTURK_ENDPOINT_URL = far.url
        settings.PUBLIC_URL = live_server.url
        settings.CROWD_CALLS_PER_SECOND = 1000
        yield far


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture(params=["light", "dark"])
def walk(
    request: Any, browser: Browser, live_server: Any, turk: MTurkFarSide, clock: Clock, ada: User
) -> Iterator[Walk]:
    study = campaign(
        owner=ada,
        items=60,
        systems=("alpha",),
        crowd="mturk",
        tutorial=True,
        double_share=0,
        targets={"overall": 9.0},
        budget=Decimal(200),
        contact="ada@example.org",
    )
    made = Walk(browser, live_server.url, turk, clock, study, request.param)
    yield made
    for context in made.contexts:
        context.close()


def test_from_the_launch_to_the_last_cent(walk: Walk) -> None:
    """ann works at a phone, ben at a desk; one of the two frames gives our page no origin."""
    strict = walk.scheme == "dark"
    researcher = _log_in(walk)
    _launch(walk, researcher)
    walk.look()
    _batches(walk, researcher, {"Places": 12, "Free": 12, "At work": 0})
    walk.picture(researcher, "published")

    ann = walk.page(PHONE)
    _accept(walk, ann, "ann", strict=strict)
    _learn(walk, ann)
    _work(walk, ann, "ann")
    ben = walk.page(WIDE)
    _accept(walk, ben, "ben", strict=not strict)
    pass_tutorial(walk.of("ben"))
    ben.reload()
    _work(walk, ben, "ben")
    _batches(walk, researcher, {"At work": 0, "Handed in": 2, "Confirmed": 0})

    walk.look()
    _batches(walk, researcher, {"Free": 10, "Handed in": 0, "Confirmed": 2, "Approved": 0})
    walk.picture(researcher, "confirmed")
    _refuse(walk, researcher, "ben")
    _clear(walk, researcher, "ann")
    walk.look()
    assert walk.unit("ben").state == AssignmentState.REJECTED
    assert walk.unit("ben").feedback == REASON
    assert walk.unit("ann").state == AssignmentState.SUBMITTED  # the reviewers' time is not over
    _earnings(walk, ben, "ben", "Rejected", REASON)

    walk.pass_time(minutes=7)
    walk.look()
    assert walk.unit("ann").state == AssignmentState.APPROVED
    _earnings(walk, ann, "ann", "Approved", "You have passed the tutorial")

    _end(walk, researcher)


def _log_in(walk: Walk) -> Page:
    page = walk.page(WIDE)
    page.goto(f"{walk.url}/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    return page


def _launch(walk: Walk, page: Page) -> None:
    """By the pages alone, from the campaign's dashboard on."""
    page.goto(walk.url + reverse("estimation:dashboard", args=[walk.study.public_id]))
    walk.picture(page, "dashboard-before")
    page.get_by_role("link", name="Prepare a batch").click()
    page.get_by_label("Tasks in a submission").fill(str(TASKS))
    page.get_by_label("Places", exact=True).fill("12")
    page.get_by_label("Hours for reviewers").fill("0.1")
    page.get_by_role("button", name="See it and its cost").click()
    expect(page.get_by_role("heading", name="nothing is published yet")).to_be_visible()
    expect(page.frame_locator("iframe").locator("#example")).to_contain_text("holds 4 tasks")
    walk.picture(page, "offer")
    page.get_by_role("button", name=re.compile(r"^Launch .*\$33.84")).click()
    expect(page.get_by_role("status")).to_contain_text("Launched")
    walk.picture(page, "launched")


def _batches(walk: Walk, page: Page, counts: dict[str, int]) -> None:
    page.goto(walk.url + reverse("annotate:batches", args=[walk.study.public_id]))
    for name, n in counts.items():
        term = page.locator(".counts div", has=page.get_by_text(name, exact=True))
        expect(term.locator("dd")).to_have_text(str(n))


def _accept(walk: Walk, page: Page, name: str, *, strict: bool) -> None:
    page.goto(walk.turk.url)
    page.get_by_label("Your worker name").fill(name)
    page.keyboard.press("Enter")
    walk.picture(page, f"{name}-list")
    page.get_by_role("link", name="Preview and accept").click()
    if strict:
        page.get_by_role("link", name="Frame it more strictly").click()
        expect(page.get_by_role("link", name="Frame it as usual")).to_be_visible()
    task = page.frame_locator("iframe")
    expect(task.locator("#example")).to_contain_text("holds 4 tasks and pays $1.60")
    walk.picture(page, f"{name}-preview", whole=False)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("left", exact=False)).to_be_visible()
    rights = page.locator("iframe").get_attribute("sandbox") or ""
    assert ("allow-same-origin" in rights) is not strict
    expect(task.locator("#check")).to_be_visible()  # the tutorial comes first


def _learn(walk: Walk, page: Page) -> None:
    """The whole tutorial, inside the frame."""
    who, task = walk.of("ann"), page.frame_locator("iframe")
    status = tutorial_queries.status(who.pk)
    assert status is not None
    walk.picture(page, "ann-tutorial", whole=False)
    assert status.asked == 11
    learn(task, status.questions)
    walk.picture(page, "ann-passed", whole=False)
    task.locator("#start").click()


def _work(walk: Walk, page: Page, name: str) -> None:
    """All tasks of the unit, which is then handed in without waiting for a correction."""
    task = page.frame_locator("iframe")
    for number in range(1, TASKS + 1):
        see_framed(task, number)
        expect(task.locator("#place")).to_have_text(f"Task {number} of {TASKS}")
        if number == 1:
            walk.picture(page, f"{name}-task", whole=False)
        _answer(task, poor=name == "ann" and number % 2 == 0)
        task.locator("#submit").click()
    walk.picture(page, f"{name}-done", whole=False)
    task.locator("#hand-in-now").press("Enter")
    expect(page.get_by_role("heading", name="Submitted")).to_be_visible()
    walk.picture(page, f"{name}-submitted")
    assert walk.of(name).status == Participation.Status.HANDED_IN
    assert walk.unit(name).state == AssignmentState.SUBMITTED


def _answer(task: FrameLocator, *, poor: bool) -> None:
    answer_all(task)
    if poor:
        task.locator("input[name=overall]").nth(1).check()
        task.locator("#edit").fill(EDITED)


def _refuse(walk: Walk, page: Page, name: str) -> None:
    """From the page of people to the case, with the second press and the reason."""
    page.goto(walk.url + reverse("annotate:people", args=[walk.study.public_id]))
    pseudonym = walk.of(name).annotator.pseudonym
    walk.picture(page, "people")
    page.get_by_role("link", name=f"Review {pseudonym}").click()
    walk.picture(page, f"{name}-case")
    page.get_by_role("radio", name="Exclude, and refuse pay…").check()
    page.get_by_role("button", name="Exclude, and refuse pay…").click()
    expect(page.get_by_role("heading", name="Refuse $1.60")).to_be_visible()
    page.get_by_label("Reason, for the annotator").fill(REASON)
    walk.picture(page, f"{name}-refuse")
    page.get_by_role("button", name="Refuse $1.60").click()
    expect(page.get_by_role("status")).to_contain_text("$1.60 is withheld")
    walk.picture(page, f"{name}-refused")


def _clear(walk: Walk, page: Page, name: str) -> None:
    """A screen has flagged them meanwhile; the queue leads to the case."""
    flagged(walk.of(name))
    page.get_by_role("link", name="Campaigns", exact=True).click()
    page.get_by_role("link", name="Review (1)").click()
    page.get_by_role("link", name="Start with the first").click()
    page.get_by_role("radio", name="Clear").check()
    walk.picture(page, f"{name}-case")
    page.get_by_role("button", name="Clear this annotator").click()
    expect(page.get_by_text("Cleared").first).to_be_visible()


def _earnings(walk: Walk, page: Page, name: str, state: str, said: str) -> None:
    """What the worker reads at the crowd."""
    page.goto(f"{walk.turk.url}/earnings?worker={name}")
    expect(page.get_by_role("cell", name=state, exact=True)).to_be_visible()
    expect(page.get_by_text(said).first).to_be_visible()
    walk.picture(page, f"{name}-earnings")


def _end(walk: Walk, page: Page) -> None:
    """The others' work reaches the target: the campaign closes, and both sides agree."""
    for person in OTHERS:
        walk.other(person)
    walk.look()
    walk.study.refresh_from_db()
    assert walk.study.status == "closed"
    assert walk.study.close_reason == "target"
    world = walk.turk.world
    assert [hits.status(world, hit) for hit in world.hits.values()] == ["Reviewable"] * 2
    now = world.now()
    assert any(hit.expires_at <= now for hit in world.hits.values())  # the other one was full
    assert workers.next_hit(world, walk.group(), "A9") is None
    walk.pass_time(minutes=7)
    walk.look()
    _batches(walk, page, {"Free": 0, "Confirmed": 0, "Approved": 8, "Rejected": 1})
    walk.picture(page, "over")
    page.goto(walk.url + reverse("estimation:dashboard", args=[walk.study.public_id]))
    walk.picture(page, "dashboard-after")
    page.goto(f"{walk.turk.url}/requester")
    walk.picture(page, "requester")
    assert crowds.compared(walk.study.pk, world) == {
        "hits": 2,
        "approved": 8,
        "rejected": 1,
        "bonuses": 9,
        "paid": "19.55",
        "ledger": "19.55",
        "waiting": "0.00",
        "agree": True,
    }
