"""A researcher's first campaign, from an empty account to the report: by mouse, and by keyboard.

The product's own processes do the work between the pages: a web server, a worker, beat. With
PICTURES set to a folder, the walk by mouse leaves a picture of each stage there.
"""

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from playwright.sync_api import Browser, Page, expect
from urllib3 import PoolManager
from urllib3.exceptions import HTTPError

from annotate.models import Assignment, Campaign, ChangeMark, Participation
from annotate.selectors.work import tutorial_runs
from annotate.services.work import judgments, leasing
from tests import chromium
from tests.annotate.passing import pass_tutorial
from tests.browser.annotators.tasks import EDITED, answer_all, learn, see_task
from tests.browser.hands import Keyboard, Mouse
from tests.browser.researchers import PASSWORD
from tests.browser.viewport import resize
from tests.estimation.exporting.exported import Unzipped
from tests.factories import person, user
from tests.processes import stack, wait_for
from tests.servers import free_port

pytestmark = [pytest.mark.demos, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PICTURES = os.environ.get("PICTURES", "")
HANDS = {"mouse": Mouse, "keyboard": Keyboard}
ITEMS = 40  # a campaign stops at its target after 30 of them at the earliest
PEOPLE = 12


@pytest.fixture
def base(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """The address of a web server with a worker and beat behind it, all on this test's database."""
    redis.Redis.from_url(settings.REDIS_URL).flushdb()  # messages of other tests
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    more = {"PUBLIC_URL": address, "PLUMBLINE_VAR": str(tmp_path / "var")}
    with stack(tmp_path, redis_url=settings.REDIS_URL, port=port, **more) as processes:
        processes.start("web", "worker", "beat")
        wait_for(lambda: _answers(f"{address}/healthz"))
        yield address


def _answers(address: str) -> bool:
    try:
        return PoolManager(retries=False).request("GET", address).status == 200
    except HTTPError:
        return False


def picture(page: Page, name: str) -> None:
    if not PICTURES:
        return
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        resize(page, width, 844)
        page.wait_for_timeout(300)
        page.screenshot(path=Path(PICTURES) / f"{name}-{scheme}-{width}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    resize(page, 1280, 800)


def outputs(folder: Path) -> Path:
    """Two systems, and a metric of one's own that agrees with people somewhat."""
    ending = {"careful": "All agreed.", "hasty": "All agreed. All agreed."}
    rows = [
        {
            "item": f"story-{i}",
            "system": system,
            "output": f"The council of district {i} met on Monday about the bridge. {ending[system]}",
            "fit": round(random.Random(f"{i}{system}").uniform(0, 1), 2),
        }
        for i in range(ITEMS)
        for system in ending
    ]
    path = folder / "bridge_news.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize("way", HANDS)
def test_from_an_empty_account_to_the_report(
    way: str, browser: Browser, page: Page, base: str, tmp_path: Path
) -> None:
    hand = HANDS[way](page)
    user()
    _log_in(hand, base)
    _choose_the_file(hand, outputs(tmp_path))
    _say_what_is_asked(hand)
    _plan(hand)
    _people_and_money(hand)
    _create_and_open(hand)
    link = _invite(hand)
    _judge(browser, link, by_page=way == "mouse")
    _see_it_close(hand)
    _take_everything_out(hand, tmp_path)
    _read_the_report(hand)


def heading(hand: Mouse, name: str) -> None:
    expect(hand.page.get_by_role("heading", name=name)).to_be_visible()


def _log_in(hand: Mouse, base: str) -> None:
    hand.page.goto(base)
    heading(hand, "Log in")
    picture(hand.page, "01-login")
    hand.write("User name", "ada")
    hand.write("Password", PASSWORD)
    hand.press("button", "Log in")
    heading(hand, "No campaign yet. Start with what your systems wrote")
    expect(hand.page.get_by_text("with a preview before the campaign is created")).to_be_visible()
    picture(hand.page, "02-empty")
    hand.press("link", "New campaign")


def _choose_the_file(hand: Mouse, file: Path) -> None:
    page = hand.page
    heading(hand, "What did the systems write?")
    picture(page, "03-file")
    hand.press("button", "Next: questions and metrics")
    heading(hand, "Some fields need correcting")
    expect(page.locator("#outcome")).to_be_focused()
    expect(page.get_by_text("Choose the file with the outputs.").first).to_be_visible()
    picture(page, "04-file-missing")
    hand.give("Outputs (JSON or CSV)", file)
    expect(page.get_by_label("Name", exact=True)).to_have_value("bridge news")
    hand.write("Name", "News about the bridge")
    picture(page, "05-file-chosen")
    hand.press("button", "Next: questions and metrics")


def _say_what_is_asked(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "What are people asked?")
    expect(page.get_by_text("2 systems, 40 items, 80 different outputs")).to_be_visible()
    picture(page, "06-questions")
    hand.tick("fit")
    picture(page, "07-questions-metric")
    hand.press("button", "Next: plan")


def _plan(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "How precise should the results be?")
    picture(page, "08-plan")
    hand.write("Overall", "0.05", role="spinbutton")
    expect(page.get_by_text("The narrowest width that 9 of 10 campaigns reach")).to_be_visible()
    picture(page, "09-plan-unreachable")
    hand.press("button", "Next: people and money")


def _people_and_money(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "Who judges, and what are they paid?")
    picture(page, "10-people")
    hand.write("Reward for one judgment", "0.10", role="spinbutton")
    hand.press("button", "Preview")


def _create_and_open(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "Preview: the campaign does not exist yet")
    picture(page, "11-preview-refused")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("a width of 0.05 cannot be reached with these items")
    expect(refused).to_contain_text("The narrowest that 9 of 10 campaigns reach is about 0.")
    hand.press("button", re.compile(r"^Use 0\.\d+$"))
    expect(refused).to_have_count(0)
    heading(hand, "Preview: the campaign does not exist yet")
    picture(page, "12-preview")
    hand.press("button", "Create the campaign")
    heading(hand, "Open the campaign")
    picture(page, "13-draft")
    hand.press("button", "Open for judgments")
    heading(hand, "Invite people")
    picture(page, "14-open")


def _invite(hand: Mouse) -> str:
    hand.press("link", "Get the link")
    heading(hand, "One link for everybody")
    picture(hand.page, "15-people-page")
    return hand.page.get_by_label("Invitation link").input_value()


def _judge(browser: Browser, link: str, *, by_page: bool) -> None:
    """One annotator at the page, then others, until the campaign stops by itself."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(chromium.PATIENCE)
    page = context.new_page()
    page.goto(link)
    picture(page, "16-join")
    page.get_by_label("Your name or a code").fill("ann")
    page.get_by_role("button", name="Start").click()
    who = Participation.objects.get()
    if by_page:
        picture(page, "17-tutorial")
        status = tutorial_runs.status(who.pk)
        assert status is not None
        learn(page, status.questions, promise="")
        picture(page, "18-tutorial-passed")
        page.locator("#start").click()
    else:
        pass_tutorial(who)
        page.reload()
    for number in (1, 2):
        see_task(page, number)
        picture(page, f"19-task-{number}")
        answer_all(page)
        page.locator("#submit").click()
    see_task(page, 3)
    _others(Campaign.objects.get())
    for number in (3, 4):  # the one on the page, and the one that was fetched in advance
        see_task(page, number)
        answer_all(page)
        page.locator("#submit").click()
    page.wait_for_timeout(2000)
    picture(page, "20-no-more-tasks")
    print(page.locator("main").aria_snapshot())
    context.close()


def _others(made: Campaign) -> None:
    """Others judge at a walking pace: the worker estimates while they do."""
    crowd, chance = [person(made, f"person {n:02}") for n in range(PEOPLE)], random.Random(1)
    for who in crowd:
        pass_tutorial(who)
    for turn in range(200):
        got = leasing.lease(crowd[turn % PEOPLE].pk)
        if isinstance(got, Assignment):
            level = chance.choice((1, 1, 0))
            raw = {"fluency": 1, "redundancy": level, "overall": level, "edit": None}
            if level < 1:
                raw["edit"] = EDITED
            judgments.submit(got.pk, participation_id=crowd[turn % PEOPLE].pk, raw=raw, active_seconds=40)
        if turn % 10 == 9:
            wait_for(lambda: not ChangeMark.objects.exists())
        made.refresh_from_db()
        if made.status != Campaign.Status.OPEN:
            return
    raise AssertionError("the campaign stays open")


def _see_it_close(hand: Mouse) -> None:
    page = hand.page
    hand.press("link", "News about the bridge")
    heading(hand, "Read the results")
    picture(page, "21-closed")
    print(page.locator("main").aria_snapshot())


def _take_everything_out(hand: Mouse, folder: Path) -> None:
    coming = hand.download("Export")
    expect(hand.page.locator("#export-standing")).to_contain_text("The export is complete")
    target = folder / "all.zip"
    coming.save_as(target)
    assert len(Unzipped(target.read_bytes()).objects("judgments.jsonl")) > 60
    picture(hand.page, "22-exported")


def _read_the_report(hand: Mouse) -> None:
    hand.press("link", "Report")
    heading(hand, "Report: News about the bridge")
    picture(hand.page, "23-report")
