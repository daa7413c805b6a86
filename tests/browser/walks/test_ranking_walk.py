"""A ranking from the form to its stop, in a real browser; people judge through the services.

With PICTURES set to a folder, a picture of each stage.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.campaigns import imports
from annotate.models import Campaign
from annotate.review import reviews
from estimation.models import Decision
from tests.browser.researchers import PASSWORD, step
from tests.browser.viewport import resize
from tests.estimation.ranked import QUALITY, crowd, judge
from tests.factories import user

pytestmark = [pytest.mark.demos, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PICTURES = os.environ.get("PICTURES", "")


def picture(page: Page, name: str) -> None:
    if not PICTURES:
        return
    for scheme in ("light", "dark"):
        for width in (1280, 390):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            resize(page, width, 900)
            page.wait_for_timeout(200)
            page.screenshot(
                path=Path(PICTURES) / f"ranking-{name}-{scheme}-{width}.png", full_page=True
            )
    page.emulate_media(color_scheme="light")
    resize(page, 1280, 900)


def fits_a_phone(page: Page) -> None:
    resize(page, 390, 844)
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("#numbers *")]
            .filter((one) => one.getBoundingClientRect().right > 391 && !one.closest(".scroll"))
            .map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, beyond
    resize(page, 1280, 900)


def outputs(folder: Path) -> Path:
    rows = [
        {"item": f"i{i:03}", "system": system, "output": f"{system} on district {i}."}
        for i in range(150)
        for system in QUALITY
    ]
    path = folder / "outputs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_a_ranking_from_the_form_to_its_stop(
    page: Page, live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "screen_all", lambda *_asked: [])  # simulated people are quick
    user()
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    made = planned(page, tmp_path)

    people = crowd(made)
    judge(made, people, 60, every=30)
    page.reload()
    expect(page.get_by_text("0 of 6", exact=True)).to_be_visible()
    expect(page.locator("#settles")).to_contain_text("30 items of each system")
    picture(page, "2-early")

    judge(made, people, 90, every=30, seed=2)
    page.reload()
    expect(page.locator("table.heat tbody tr").first).to_contain_text("good")
    picture(page, "3-half")

    judge(made, people, 2000, every=30, seed=3)
    made.refresh_from_db()
    assert (made.status, made.close_reason) == ("closed", "ranked")
    page.reload()
    expect(page.get_by_role("heading", name="Read the results")).to_be_visible()
    places = page.locator("table.heat tbody td:nth-child(2) .place").all_text_contents()
    assert [one.removeprefix("place ") for one in places] == ["1", "2–3", "2–3", "4"]
    who = page.locator("table.heat tbody th").all_text_contents()
    assert (who[0], set(who[1:3]), who[3]) == ("good", {"fair", "alike"}, "poor")
    expect(page.get_by_text("good is better").first).to_be_visible()
    expect(page.get_by_text("they differ by less than 0.5")).to_be_visible()
    expect(page.locator("#settles")).to_have_count(0)
    picture(page, "4-closed")
    fits_a_phone(page)
    left = {one.name: one.stop_position for one in made.systems.all()}
    assert max(left["good"], left["poor"]) < min(left["fair"], left["alike"])
    assert Decision.objects.filter(verb="close").get().comparisons.count() == 6
    page.get_by_role("link", name="Campaigns").first.click()
    expect(page.get_by_text("6 of 6 pairs decided")).to_be_visible()


def planned(page: Page, folder: Path) -> Campaign:
    """Go through the steps, look at the preview, create the campaign and open it."""
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Outputs: one file or several").set_input_files(outputs(folder))
    page.get_by_label("Name", exact=True).fill("Which summary is better")
    page.get_by_role("button", name="Next: questions and metrics").click()
    expect(page.get_by_role("heading", name="Reading the file")).to_be_visible()
    imports.run_due()
    page.get_by_label("Tutorial before the first task").select_option("none")
    page.get_by_label("None: the plain mean of the judgments").check()
    step(page, "Next: plan")
    expect(page.get_by_label("Planned items of each system")).to_be_hidden()
    page.get_by_label("Which system is better.").check()
    margins = page.get_by_role("group", name="Margin of the ranking")
    margins.get_by_label("overall").fill("0.5")
    page.get_by_label("Items judged by several people, in %").fill("10")
    picture(page, "0-form")
    step(page, "Next: people and money")
    step(page, "Preview")
    expect(page.get_by_text("A ranking of 4 systems: 6 pairs")).to_be_visible()
    picture(page, "1-preview")
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.get_by_role("heading", name="Creating the campaign")).to_be_visible()
    imports.run_due()
    expect(page.get_by_role("heading", name="Open the campaign")).to_be_visible()
    page.get_by_role("button", name="Open for judgments").click()
    expect(page.get_by_role("heading", name="Invite people")).to_be_visible()
    made = Campaign.objects.get()
    assert (made.stop_mode, made.targets.get().margin) == ("ranking", 0.5)
    assert made.planned_items > 0
    return made
