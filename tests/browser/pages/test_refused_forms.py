"""The session ends while somebody types: what was typed is sent again after the log-in."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.models import Ruling
from tests import reviewed
from tests.browser.researchers import PASSWORD
from tests.factories import user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TYPED = "Twelve of your edits\nchange nothing."


def log_in(page: Page) -> None:
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def test_a_log_in_in_a_new_tab_and_one_press_send_it(page: Page, live_server: Any) -> None:
    review = reviewed.case(user())
    names = [review.campaign.public_id, review.annotator.pseudonym]
    page.goto(live_server.url + reverse("annotate:review", args=names))
    log_in(page)
    page.get_by_role("radio", name="Exclude the work").check()
    page.get_by_label("Answer to the annotator").fill(TYPED)
    page.context.clear_cookies()
    page.get_by_role("button", name="Exclude 6 judgments").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your browser sent no cookie")
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your session has ended")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Log in, in a new tab").click()
    log_in(opened.value)
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("You are logged in")
    page.bring_to_front()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("status")).to_contain_text("6 judgments left the estimates.")
    assert Ruling.objects.get().reason.splitlines() == TYPED.splitlines()
