"""What was chosen in the second step of a new campaign stays, however late the server answers."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from annotate.campaigns import imports
from annotate.models import CampaignImport
from tests.browser.pages.test_researcher import ada  # noqa: F401  (a fixture)
from tests.factories import plan

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def begun() -> CampaignImport:
    """A new campaign whose file no worker has read, of the researcher who has logged in."""
    rows = [
        {"item": str(n), "system": name, "output": f"{name} {n}", "judge": n / 7}
        for n in range(8)
        for name in ("alpha", "beta")
    ]
    file = SimpleUploadedFile("outputs.jsonl", "\n".join(map(json.dumps, rows)).encode())
    owner = User.objects.get(username="ada")
    asked = plan(metrics=("repetition",), tutorial=True)
    return imports.receive(asked, file, owner_id=owner.pk, key="k", steps_done=1)


def test_it_stays(ada: Page, live_server: Any) -> None:  # noqa: F811
    of = begun()
    ada.goto(live_server.url + reverse("annotate:import-step", args=[of.public_id, "questions"]))
    expect(ada.locator("#of-file")).to_contain_text("is being read")
    ada.get_by_text("Other metrics").click()
    ada.locator("input[value=length]").check()
    ada.locator("input[value=repetition]").uncheck()
    imports.run_due()
    expect(ada.locator("#of-file")).to_contain_text("2 systems")
    expect(ada.locator("input[value=length]")).to_be_checked()
    expect(ada.locator("input[value=repetition]")).not_to_be_checked()

    late: list[Route] = []
    ada.route("**/tutorial/**", lambda route: late.append(route))
    ada.get_by_label("What people are asked").select_option("preference")
    ada.get_by_label("Tutorial before the first task").select_option("none")
    ada.wait_for_timeout(100)
    late[0].continue_()
    expect(ada.locator("#tutorial-field")).to_contain_text("preference", ignore_case=True)
    expect(ada.get_by_label("Tutorial before the first task")).to_have_value("none")

    ada.unroute("**/tutorial/**")
    ada.get_by_label("Title for annotators").fill("Rate the news")
    ada.reload()
    expect(ada.get_by_label("What people are asked")).to_have_value("preference")
    expect(ada.locator("#tutorial-field")).to_contain_text("preference", ignore_case=True)
    expect(ada.get_by_label("Tutorial before the first task")).to_have_value("none")
    expect(ada.get_by_label("Title for annotators")).to_have_value("Rate the news")
    expect(ada.locator("input[value=length]")).to_be_checked()
    ada.get_by_role("button", name="Next: plan").click()
    expect(ada.get_by_role("heading", name="How precise should the results be?")).to_be_visible()
    of.refresh_from_db()
    assert (of.plan["metrics"], of.plan["instrument"]) == (["length"], "preference")
    assert (of.plan["public_title"], of.plan["tutorial"]) == ("Rate the news", False)
