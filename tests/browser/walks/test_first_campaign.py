"""A researcher's first campaign, from an empty account to the report: by mouse, and by keyboard.

The product's own processes do the work between the pages: a web server, a worker, beat. With
PICTURES set to a folder, the walk by mouse leaves a picture of each stage there.
"""

import json
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

from tests import chromium
from tests.browser.hands import Keyboard, Mouse
from tests.browser.researchers import PASSWORD
from tests.browser.walks.annotators import judge_until_it_stops
from tests.browser.walks.pictures import picture
from tests.estimation.exporting.exported import Unzipped
from tests.factories import user
from tests.processes import stack, wait_for
from tests.servers import free_port

pytestmark = [pytest.mark.demos, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HANDS = {"mouse": Mouse, "keyboard": Keyboard}
ITEMS = 40  # a campaign stops at its target after 30 of them at the earliest
NAME = "News about the bridge"


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


def outputs(folder: Path) -> Path:
    """Two systems, and a metric of one's own that agrees with people somewhat."""
    ending = {"careful": "All agreed.", "hasty": "All agreed. All agreed."}
    rows = [
        {
            "item": f"story-{i}",
            "system": system,
            "output": f"The council of district {i} met about the bridge. {ending[system]}",
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
    judge_until_it_stops(browser, link, by_mouse=way == "mouse")
    _see_it_close(hand)
    _take_everything_out(hand, tmp_path)
    _read_the_report(hand)


def heading(hand: Mouse, name: str, *, patience: float = chromium.PATIENCE) -> None:
    expect(hand.page.get_by_role("heading", name=name)).to_be_visible(timeout=patience)


def says(page: Page, *sentences: str) -> None:
    for one in sentences:
        expect(page.get_by_text(one).first).to_be_visible()


def _log_in(hand: Mouse, base: str) -> None:
    page = hand.page
    page.goto(base)
    heading(hand, "Log in")
    picture(page, "01-login")
    hand.write("User name", "ada")
    hand.write("Password", PASSWORD)
    hand.press("button", "Log in")
    heading(hand, "No campaign yet. Start with what your systems wrote")
    heading(hand, "What the file looks like")
    start = page.get_by_role("link", name="New campaign").bounding_box()
    assert start
    assert start["y"] + start["height"] < 800  # nobody has to look for it
    picture(page, "02-empty")
    hand.press("link", "New campaign")


def _choose_the_file(hand: Mouse, file: Path) -> None:
    page = hand.page
    heading(hand, "What did the systems write?")
    picture(page, "03-file")
    hand.press("button", "Next: questions and metrics")
    heading(hand, "Some fields need correcting")
    expect(page.locator("#outcome")).to_be_focused()
    says(page, "Choose the file with the outputs.", "Give the campaign a name.")
    expect(page.locator("[aria-invalid=true]")).to_have_count(2)
    picture(page, "04-file-missing")
    hand.give("Outputs: one file or several", file)
    expect(page.get_by_label("Name", exact=True)).to_have_value("bridge news")
    expect(page.locator("[aria-invalid=true], .field .problem:not(:empty)")).to_have_count(0)
    hand.write("Name", NAME)
    picture(page, "05-file-chosen")
    hand.press("button", "Next: questions and metrics")


def _say_what_is_asked(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "What are people asked?")
    says(page, f"{NAME}: 2 systems, 40 items, 80 different outputs.")
    expect(page.get_by_label("What people are asked")).to_have_value("language_quality")
    measured = page.get_by_text("People’s answers give a score for each of:")
    for one in ("Fluency", "Redundancy", "Overall (from −1 to 1, higher is better)", "Edit"):
        expect(measured).to_contain_text(one)
    picture(page, "06-questions")
    expect(page.get_by_label("fit")).to_be_checked()  # the file's own number is proposed
    # Nobody loses the draft by one press on the way to the next step.
    expect(page.get_by_role("button", name="Discard this draft and its file")).to_be_hidden()
    hand.press("button", "Next: plan")


def _plan(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "How precise should the results be?")
    says(page, "Target width of the interval, by criterion", "A width of 0.2 means ±0.1")
    hand.pick("Exactly these annotators")
    hand.pick("People in general")
    hand.write("People you have", "60", role="spinbutton")
    hand.write("Overall", "0.05", role="spinbutton")
    takes = page.get_by_role("complementary", name="What it will take")
    expect(takes).to_contain_text("width 0.050")
    expect(takes).to_contain_text("reached in 0 %")
    expect(takes).to_contain_text("The narrowest width that 9 of 10 campaigns reach")
    picture(page, "07-plan-unreachable")
    hand.press("button", "Next: people and money")
    says(page, "a width of 0.050 is out of reach with these items and people")
    hand.press("button", "Go on without changing it")


def _people_and_money(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "Who judges, and what are they paid?")
    expect(page.get_by_role("radio", name="Invitation links")).to_be_checked()
    says(page, "Paid for each judgment; 0 if people are not paid.")
    hand.write("Reward for one judgment", "0.10", role="spinbutton")
    picture(page, "08-people")
    hand.press("button", "Preview")


def _create_and_open(hand: Mouse) -> None:
    page = hand.page
    heading(hand, "Preview: the campaign does not exist yet")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text(
        "a width of 0.050 cannot be reached with these items and people."
    )
    expect(refused).to_contain_text(
        "The narrowest that 9 of 10 campaigns reach with them is about 0."
    )
    expect(page.get_by_role("button", name="Create the campaign all the same")).to_be_visible()
    picture(page, "09-preview-refused")
    hand.press("button", re.compile(r"^Use 0\.\d+$"))
    expect(refused).to_have_count(0)
    says(page, "2 metrics: repetition, fit", "$0.10 a judgment.")
    picture(page, "10-preview")
    hand.press("button", re.compile("^Create the campaign$"))
    heading(hand, "Open the campaign")
    says(page, "The campaign is ready. Open it when you are.", "Metrics: repetition, fit.")
    picture(page, "11-draft")
    hand.press("button", "Open for judgments")
    heading(hand, "Invite people")
    says(page, "The campaign is open: everyone with its link can judge.")
    picture(page, "12-open")


def _invite(hand: Mouse) -> str:
    page = hand.page
    hand.press("link", "Get the link")
    heading(hand, "One link for everybody")
    picture(page, "13-people-page")
    hand.press("button", "Copy")
    expect(page.get_by_role("status")).to_have_text(re.compile("Copied|copy the marked text"))
    return page.get_by_label("Invitation link").input_value()


def _see_it_close(hand: Mouse) -> None:
    page = hand.page
    hand.press("link", NAME)
    # On a busy machine the worker does other work first: screens, agreement, a forecast.
    heading(hand, "Read the results", patience=5 * chromium.PATIENCE)
    says(page, "It closed because every interval reached its target width.")
    says(page, "Everything that was begun is finished; these estimates are final.")
    for system in ("careful", "hasty"):
        card = page.get_by_role("article", name=f"{system}, overall")
        expect(card).to_contain_text("at target")
        expect(card).to_contain_text(re.compile(r"0\.\d\d\s*\[−?0\.\d\d, [01]\.\d\d\]"))
    picture(page, "18-closed")


def _take_everything_out(hand: Mouse, folder: Path) -> None:
    coming = hand.download("Export")
    says(hand.page, "The export is complete:")
    target = folder / "all.zip"
    coming.save_as(target)
    given = Unzipped(target.read_bytes()).objects("judgments.jsonl")
    assert 60 <= len(given) < 100  # it stopped before the items ran out
    picture(hand.page, "19-exported")


def _read_the_report(hand: Mouse) -> None:
    page = hand.page
    hand.press("link", "Report")
    heading(hand, f"Report: {NAME}")
    says(page, "because every interval reached its target width", "careful and hasty")
    picture(page, "20-report")
    hand.press("link", "Campaigns")
    row = page.get_by_role("row", name=NAME)
    expect(row).to_contain_text("Closed")
    expect(row).to_contain_text("2 of 2")
