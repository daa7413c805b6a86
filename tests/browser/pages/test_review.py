"""Reviewing in a real browser: by keys, in two steps, there and back."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.common import tokens
from annotate.models import Membership, Participation, Review, Ruling
from annotate.review import rulings
from tests import reviewed
from tests.browser.researchers import sign_in
from tests.factories import user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def review() -> Review:
    return reviewed.case(user())


@pytest.fixture
def ada(page: Page, review: Review, live_server: Any) -> Page:
    sign_in(page, live_server.url, User.objects.get(username="ada"))
    page.goto(live_server.url)
    expect(page.get_by_role("link", name="Review (1)")).to_be_visible()
    return page


def at(page: Page, live_server: Any, review: Review) -> None:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    page.goto(live_server.url + reverse("annotate:review", args=names))


def press(page: Page, *keys: str) -> None:
    """Press keys once the page's script listens."""
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)


def status() -> str:
    return Review.objects.order_by("pk")[0].status


def test_a_ruling_in_two_keystrokes_and_back(ada: Page, review: Review) -> None:
    ada.get_by_role("link", name="Review (1)").click()
    expect(ada.get_by_role("heading", name="1 waits for a ruling")).to_be_visible()
    press(ada, "s")
    expect(ada.get_by_role("heading", level=1)).to_contain_text("1 screen flagged")
    press(ada, "2")
    expect(ada.get_by_role("radio", name="Exclude the work")).to_be_checked()
    expect(ada.get_by_label("Answer to the annotator")).to_have_value(
        "We noticed this: less time than reading takes. We leave your work out of our "
        "results. You are paid for it."
    )
    expect(ada.get_by_role("button", name="Exclude 6 judgments")).to_be_visible()
    press(ada, "Control+Enter")
    expect(ada.get_by_role("status")).to_contain_text("6 judgments left the estimates.")
    expect(ada.get_by_text("Hidden until the ruling is final")).to_be_visible()
    assert status() == "excluded"
    press(ada, "1")
    press(ada, "Control+Enter")
    expect(ada.get_by_role("status")).to_contain_text("6 judgments count again.")
    assert status() == "cleared"


def test_refusing_pay_takes_a_reason_and_a_second_press(
    ada: Page, review: Review, live_server: Any
) -> None:
    at(ada, live_server, review)
    press(ada, "3")
    press(ada, "Control+Enter")
    expect(ada.get_by_role("heading", name="Refuse $2.40")).to_be_visible()
    press(ada, "Control+Enter")
    ada.get_by_role("button", name="Refuse $2.40").click()  # the empty reason holds it back
    expect(ada.get_by_label("Reason, for the annotator")).to_be_focused()
    assert status() == "open"
    ada.keyboard.type("Every answer took three seconds.")
    ada.get_by_role("button", name="Refuse $2.40").click()
    expect(ada.get_by_role("status")).to_contain_text("$2.40 is withheld.")
    ada.get_by_role("radio", name="Restore the pay only").check()
    ada.get_by_role("button", name="Restore $2.40").click()
    expect(ada.get_by_role("status")).to_contain_text("$2.40 is due again.")
    assert not Review.objects.get().pay_refused


def test_what_was_typed_outlives_another_choice_and_another_reviewer(
    ada: Page, review: Review, live_server: Any
) -> None:
    at(ada, live_server, review)
    ada.get_by_label("Answer to the annotator").fill("My own words, with 2 and j in them.")
    ada.get_by_role("radio", name="Clear").check()
    expect(ada.get_by_label("Answer to the annotator")).to_have_value(
        "My own words, with 2 and j in them."
    )
    eve = User.objects.create_user("eve")
    rulings.rule(review.pk, [rulings.Act.EXCLUDE], actor_id=eve.pk, reason="Spam.")
    press(ada, "Control+Enter")
    expect(ada.get_by_role("alert")).to_contain_text("eve has ruled on this annotator meanwhile")
    expect(ada.get_by_label("Answer to the annotator")).to_have_value(
        "My own words, with 2 and j in them."
    )
    assert status() == "excluded"


# ---- blind reviewers, and who answers appeals --------------------------------------------------


def log_in(page: Page, live_server: Any, name: str) -> None:
    sign_in(page, live_server.url, User.objects.get(username=name))
    page.goto(live_server.url)
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()


def reviewer(review: Review, name: str = "eve") -> User:
    member = user(name)
    Membership.objects.create(campaign=review.campaign, user=member, role=Membership.Role.REVIEWER)
    return member


def test_a_reviewer_walks_from_the_list_to_a_blind_ruling(
    page: Page, review: Review, live_server: Any
) -> None:
    reviewer(review)
    log_in(page, live_server, "eve")
    expect(page.get_by_text("hidden until closed")).to_be_visible()
    page.get_by_role("link", name=review.campaign.name, exact=True).click()
    expect(page.locator("#hidden")).to_contain_text("Results are hidden from reviewers")
    expect(page.get_by_role("link", name="Export")).to_have_count(0)
    page.locator("#next-act").click()
    press(page, "s")
    expect(page.locator("#sight")).to_contain_text("your ruling counts as blind")
    press(page, "2")
    press(page, "Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("6 judgments left the estimates.")
    expect(page.get_by_text("Hidden until the ruling is final")).to_be_visible()
    assert Ruling.objects.get().blind


def test_an_appeal_against_a_block_goes_to_somebody_else_who_restores_and_lifts_it(
    page: Page, review: Review, live_server: Any
) -> None:
    eve = reviewer(review)
    acts = [rulings.Act.EXCLUDE, rulings.Act.BLOCK]
    rulings.rule(review.pk, acts, actor_id=eve.pk, reason="Three seconds for a page.")
    who = Participation.objects.get(campaign=review.campaign_id, annotator=review.annotator_id)
    own = live_server.url + reverse("annotate:me", args=[tokens.participation_token(who.pk)])
    page.goto(own)
    expect(page.locator("#appeal-next")).to_contain_text("Somebody other than the person who")
    page.locator("#appeal-text").fill("I read fast: it is my profession.")
    page.locator("#appeal-send").click()
    expect(page.locator("#appeal-received")).to_contain_text("has been received")
    log_in(page, live_server, "eve")
    at(page, live_server, review)
    expect(page.locator("#left-to-others")).to_contain_text("It can be answered by ada.")
    page.get_by_role("button", name="Log out").click()
    log_in(page, live_server, "ada")
    at(page, live_server, review)
    press(page, "1")
    expect(
        page.get_by_role("radio", name="Bring the work back, and lift the block")
    ).to_be_checked()
    press(page, "Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("The block is lifted.")
    page.goto(own)
    expect(page.locator("#looked-h")).to_have_text("Your work was looked at, and it counts")
    expect(page.get_by_text("Your appeal was upheld.")).to_be_visible()
