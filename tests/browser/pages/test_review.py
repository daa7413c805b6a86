"""Reviewing in a real browser: by keys, in two steps, there and back."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotate.campaigns import life
from annotate.common import audit, tokens
from annotate.models import Appeal, Membership, Participation, Review, Ruling
from annotate.review import appeals, rulings
from estimation import refresh
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


def test_keys_walk_the_queue_and_are_off_while_typing(
    ada: Page, review: Review, live_server: Any
) -> None:
    second = reviewed.flagged(reviewed.spammer(review.campaign, "second"))
    at(ada, live_server, review)
    heading = ada.get_by_role("heading", level=1)
    ada.get_by_label("Answer to the annotator").click()
    ada.keyboard.type("jk2?")
    expect(heading).to_contain_text(review.annotator.pseudonym)
    expect(ada.get_by_role("radio", name="Exclude the work")).not_to_be_checked()
    press(ada, "Escape")
    press(ada, "?")
    expect(ada.get_by_role("dialog", name="Keys")).to_be_visible()
    press(ada, "Escape")
    press(ada, "j")
    expect(heading).to_contain_text(second.annotator.pseudonym)
    press(ada, "k")
    expect(heading).to_contain_text(review.annotator.pseudonym)


def test_a_long_queue_is_searched_and_turned_by_keyboard(
    ada: Page, review: Review, live_server: Any
) -> None:
    reviewed.queue(review.campaign, 35, ruled=0)
    ada.goto(live_server.url + reverse("annotate:reviews"))
    expect(ada.get_by_role("heading", level=1)).to_have_text(
        "Review: 36 wait for a ruling or a look"
    )
    ada.get_by_role("link", name="Next page").focus()
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("Page 2 of 2")).to_be_visible()
    expect(ada.get_by_role("row")).to_have_count(12)  # the heading, and what the first page left
    ada.get_by_label("Annotator or campaign").focus()
    ada.keyboard.type(review.annotator.pseudonym)
    ada.keyboard.press("Enter")
    expect(ada.get_by_role("row")).to_have_count(2)
    press(ada, "j")
    press(ada, "Enter")
    expect(ada.get_by_role("heading", level=1)).to_contain_text("Annotator")


def test_all_activity_is_read_by_keyboard(ada: Page, review: Review, live_server: Any) -> None:
    for n in range(70):
        audit.record(f"thing_{n}", campaign_id=review.campaign_id, actor_id=owner_id(review))
    address = reverse("estimation:dashboard", args=[review.campaign.public_id])
    ada.goto(live_server.url + address)
    ada.get_by_role("link", name="All activity").focus()
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("thing 69")).to_be_visible()
    ada.get_by_role("link", name="Older").focus()
    ada.keyboard.press("Enter")
    expect(ada.get_by_text("thing 0", exact=False).first).to_be_visible()
    expect(ada.get_by_text("thing 69")).to_have_count(0)
    ada.get_by_label("Show").focus()
    ada.keyboard.type("Rev")
    ada.keyboard.press("Tab")
    ada.keyboard.press("Enter")
    expect(ada.get_by_role("listitem").filter(has_text="thing")).to_have_count(0)
    expect(ada.get_by_text("stopped an annotator for a review")).to_be_visible()


def owner_id(review: Review) -> int:
    return review.campaign.memberships.get(role="owner").user_id


def test_an_appeal_is_answered(ada: Page, review: Review, live_server: Any) -> None:
    appeals.make(review.campaign_id, review.annotator_id, text="I read fast.")
    at(ada, live_server, review)
    ada.get_by_text("Answer without changing the ruling").click()
    ada.get_by_label("Your answer").fill("We looked at all six.")
    ada.get_by_role("button", name="Dismiss the appeal").click()
    expect(ada.get_by_role("heading", name="Appeal, dismissed")).to_be_visible()
    expect(ada.get_by_text("We looked at all six.")).to_be_visible()
    assert Appeal.objects.get().upheld is False
    assert status() == "open"


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


def test_the_effect_comes_by_itself_once_the_campaign_is_closed(
    ada: Page, review: Review, live_server: Any
) -> None:
    owner = User.objects.get(username="ada")
    rulings.rule(review.pk, [rulings.Act.EXCLUDE], actor_id=owner.pk, reason="Fast.")
    refresh.refresh(review.campaign_id)
    life.close(review.campaign_id, review.campaign.Reason.HAND)
    life.finish(review.campaign_id)
    at(ada, live_server, review)
    expect(ada.locator("#effect")).to_contain_text("the estimates of 2 systems move by at most")
    ada.get_by_role("link", name="All estimates with and without").click()
    expect(ada.locator("#conduct")).to_contain_text("1 ruling has decided whether work counts")


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
