"""The worker's site of the stand-in for MTurk, in a real browser: the whole loop of a worker."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.extras.mturk_simulator.requester import QUESTION, client, hit

pytestmark = pytest.mark.browser

# A requester's page: it posts its form to where the address says.
TASK = """
<main><h1>A task</h1>
<form method="post"><label>Answer <input name="answer"></label>
<input type="hidden" name="assignmentId"><button>Hand in</button></form></main>
<script>
const said = new URLSearchParams(location.search);
document.forms[0].action = said.get("turkSubmitTo") + "/mturk/externalSubmit";
document.forms[0].assignmentId.value = said.get("assignmentId");
document.querySelector("h1").textContent = said.get("assignmentId");
</script>
"""


@pytest.fixture
def turk() -> Iterator[MTurkFarSide]:
    with mturk_far_side() as far_side:
        yield far_side


@pytest.fixture
def requester(turk: MTurkFarSide) -> Iterator[Any]:
    with client(turk.url) as made:
        yield made


@pytest.fixture
def two_hits(requester: Any, foreign_site: Callable[[str], str]) -> list[dict[str, Any]]:
    question = QUESTION.format(foreign_site(TASK))
    return [hit(requester, Question=question) for _ in range(2)]


@pytest.mark.parametrize("strict", [False, True], ids=["own origin", "no origin"])
def test_the_loop_of_a_worker(
    turk: MTurkFarSide, requester: Any, page: Page, two_hits: list[dict[str, Any]], strict: bool
) -> None:
    page.goto(turk.url)
    page.get_by_label("Your worker name").fill("ann")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Preview and accept").click()
    task = page.frame_locator("iframe")
    expect(task.get_by_role("heading")).to_have_text("ASSIGNMENT_ID_NOT_AVAILABLE")
    if strict:
        page.get_by_role("link", name="Frame it more strictly").click()
        expect(page.get_by_role("link", name="Frame it as usual")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("left")).to_be_visible()
    # The script takes over the time that the server wrote.
    expect(page.locator("[data-left]")).to_have_text(re.compile(r"^(60:00|59:\d\d)$"))
    task.get_by_label("Answer").fill("Seven")
    task.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("heading", name="Submitted")).to_be_visible()
    page.get_by_role("button", name="Accept the next one in this group").click()
    rights = page.locator("iframe").get_attribute("sandbox")
    assert ("allow-same-origin" in rights) is not strict
    page.get_by_role("button", name="Return").click()
    expect(page.get_by_role("heading", name="Returned")).to_be_visible()
    page.get_by_role("link", name="Back to the list").click()
    expect(page.get_by_text("1 HIT", exact=True)).to_be_visible()

    listed = requester.list_assignments_for_hit(HITId=two_hits[0]["HITId"])["Assignments"]
    assert "<FreeText>Seven</FreeText>" in listed[0]["Answer"]


def test_by_keyboard_alone(turk: MTurkFarSide, page: Page, two_hits: list[Any]) -> None:
    page.goto(f"{turk.url}/?worker=A1")
    link = page.get_by_role("link", name="Preview and accept")
    _tab_to(page, link)
    page.keyboard.press("Enter")
    _tab_to(page, page.get_by_role("button", name="Accept"))
    page.keyboard.press("Enter")
    _tab_to(page, page.get_by_role("button", name="Return"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Returned")).to_be_visible()


def _tab_to(page: Page, target: Any) -> None:
    expect(target).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("The keyboard does not get there.")


def test_when_the_time_runs_out_the_page_says_so(
    turk: MTurkFarSide, requester: Any, page: Page, foreign_site: Callable[[str], str]
) -> None:
    question = QUESTION.format(foreign_site(TASK))
    made = hit(requester, Question=question, AssignmentDurationInSeconds=30)
    unit = turk.accept(made["HITId"], "A1")
    page.clock.install()
    page.goto(f"{turk.url}/work/{unit}?worker=A1")
    turk.world.assignments[unit].deadline = turk.world.now()
    page.clock.run_for(31_000)
    expect(page.get_by_role("heading", name="Your time ran out")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    turk: MTurkFarSide, requester: Any, browser: Browser, two_hits: list[Any], scheme: str
) -> None:
    unit, worked = (turk.accept(made["HITId"], "A1") for made in two_hits)
    turk.submit(worked, receipt="r")
    requester.reject_assignment(AssignmentId=worked, RequesterFeedback="Copied.")
    group = two_hits[0]["HITGroupId"]
    paths = (
        "/",
        "/?worker=A2",
        f"/mturk/preview?groupId={group}&worker=A2",
        "/requester",
        "/no",
        f"/work/{unit}?worker=A1",
        f"/work/{worked}?worker=A1",
        "/earnings?worker=A1",
    )
    context = browser.new_context(
        viewport={"width": 320, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    for path in paths:
        page.goto(turk.url + path)
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    context.close()
