"""Gold in a real browser: sent by its owner, done blind, seen by the reviewer."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, GoldAnswer, Judgment
from annotate.tasks import look_at_gold
from tests.annotate.gold.study import planted
from tests.annotate.gold.test_gold_sources import district_rows
from tests.browser.annotators.tasks import answer_all, open_task
from tests.browser.researchers import PASSWORD
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def log_in(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()


def no_barriers(page: Page) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found = Axe().run(page).response["violations"]
        assert not found, (theme, [(v["id"], v["nodes"][0]["html"]) for v in found])


def test_gold_from_the_owner_to_the_reviewer(page: Page, live_server: Any) -> None:
    study = campaign(owner=user(), is_open=False, rows_=district_rows(12))
    log_in(page, live_server)
    planted(study, 5)
    page.goto(f"{live_server.url}{reverse('estimation:dashboard', args=[study.public_id])}")
    page.get_by_role("link", name="Gold", exact=True).click()
    page.get_by_label("Gold items among 25 tasks").fill("12")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Look at these first")).to_be_visible()
    expect(page.locator("ins").first).to_be_visible()
    no_barriers(page)
    page.get_by_label("repeated_words-1").uncheck()
    page.get_by_role("button", name="Use the ticked items").click()
    expect(page.locator("tbody tr")).to_have_count(4)
    own = {"item": "mine", "output": "The the mayor spoke.", "expected": {"fluency": [-1, 0]}}
    file = {
        "name": "gold.json",
        "mimeType": "application/json",
        "buffer": json.dumps([own]).encode(),
    }
    page.get_by_label("File").set_input_files([file])
    page.get_by_role("button", name="Add the items").click()
    expect(page.locator("tbody tr")).to_have_count(5)
    life.open_(study.pk)

    who = person(study)
    address = reverse("annotate:work", args=[tokens.participation_token(who.pk)])
    number = 0
    while GoldAnswer.objects.count() < 3:
        number += 1
        open_task(page, f"{live_server.url}{address}", number)
        expect(page.locator("main")).not_to_contain_text("gold")
        answer_all(page, 0)  # the best level of everything
        page.locator("#submit").click()
        page.wait_for_function("n => document.title.startsWith(`Task ${n} `)", arg=number + 1)
    assert Judgment.objects.count() + GoldAnswer.objects.count() == number
    assert Assignment.objects.filter(gold__isnull=False).count() >= 3

    name = who.annotator.pseudonym
    assert look_at_gold() == 1
    page.goto(f"{live_server.url}{reverse('annotate:gold', args=[study.public_id])}")
    page.get_by_role("link", name="Review the 1 listed person").click()
    expect(page.get_by_text("3 of 3 tasks with a known answer missed")).to_be_visible()
    expect(page.get_by_text("Worth a look")).to_be_visible()
    page.wait_for_load_state()  # keys work once the scripts have started
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name=f"Annotator {name}")).to_be_visible()
    expect(page.get_by_text("0 of 3 right")).to_be_visible()
    expect(page.get_by_text("More missed than honest people miss")).to_be_visible()
    no_barriers(page)
