"""The effect of an exclusion: hidden until it is final, then without systems; and late undoing."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import life
from annotate.common.errors import Invalid
from annotate.models import AuditEntry, Campaign, Membership, Review, Ruling
from annotate.review import appeals, eligibility, rulings
from estimation import read, stopping
from tests import remembered
from tests.estimation.reviewed import by_hand, exclude, settle, take_turns
from tests.factories import campaign, judge, person, user

pytestmark = [
    pytest.mark.orm,
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_screens"),
]

Act = Ruling.Act
HIDDEN = "so that no ruling aims at a result"


@pytest.fixture
def made(ada: User, eve: User) -> Campaign:
    """Two systems; 40 judgments by 6 people, and somebody who finds everything perfect."""
    return remembered.again(_made, ada, eve)


def _made(ada: User, eve: User) -> Campaign:
    found = campaign(
        owner=ada, items=60, targets={"overall": 0.01}, double_share=0, annotator_cap=None
    )
    Membership.objects.create(campaign=found, user=eve, role=Membership.Role.REVIEWER)
    take_turns([person(found, f"p{i}") for i in range(6)], 40)
    for _ in range(8):
        judge(person(found, "other"))
    return settle(found)


@pytest.fixture
def review(made: Campaign, eve: User) -> Review:
    found = exclude(person(made, "other"), eve)
    settle(made)
    return found


def browser(who: User) -> Client:
    client = Client()
    client.force_login(who)
    return client


def shown(who: User, review: Review) -> tuple[str, dict[str, Any]]:
    """Return the text of the fragment, and the API's answer."""
    names = [review.campaign.public_id, review.annotator.pseudonym]
    fragment = browser(who).get(
        reverse("estimation:effect", args=names), headers={"HX-Request": "true"}
    )
    assert fragment.status_code == 200
    api = APIClient()
    api.force_login(who)
    address = f"/api/v1/campaigns/{names[0]}/reviews/{names[1]}/effect/"
    return " ".join(fragment.content.decode().split()), api.get(address).json()


def later(monkeypatch: pytest.MonkeyPatch, **by: float) -> None:
    moved = timezone.now() + timedelta(**by)
    monkeypatch.setattr(timezone, "now", lambda: moved)


def over(made: Campaign) -> None:
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)


def rule(review: Review, actor: User, *acts: Act, reason: str = "") -> list[Ruling]:
    last = review.rulings.order_by("-pk").first()
    return rulings.rule(
        review.pk, acts, actor_id=actor.pk, reason=reason, seen=last.pk if last else 0
    )


# ---- what it is ------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_what_the_report_says_where_one_person_is_excluded(
    made: Campaign, review: Review
) -> None:
    (found,) = stopping.measure(made.pk, review.annotator_id)
    rows = [row for row in read.newest([made.pk]) if row.criterion == "overall"]
    shifts = [abs(row.estimate - row.detail["with_excluded"]["estimate"]) for row in rows]
    shares = [shift / (row.width / 2) for shift, row in zip(shifts, rows, strict=True) if row.width]
    assert (found.criterion, found.estimates, found.lost) == ("overall", 2, 0)
    assert found.shift == pytest.approx(max(shifts))
    assert found.share == pytest.approx(max(shares))
    assert found.shift > 0.05


@pytest.mark.slow
def test_estimates_of_which_nothing_is_left_are_counted(
    monkeypatch: pytest.MonkeyPatch, ada: User
) -> None:
    made = campaign(owner=ada, items=20, targets={"overall": 0.01}, double_share=0)
    for _ in range(10):
        judge(person(made, "alone"))
    settle(made)
    review = exclude(person(made, "alone"), ada)
    later(monkeypatch, days=eligibility.TO_APPEAL.days, seconds=1)
    (found,) = stopping.measure(made.pk, review.annotator_id)
    assert (found.estimates, found.lost, found.shift, found.share) == (2, 2, None, None)
    assert "No judgments are left for 2 of 2 estimates." in shown(ada, review)[0]


# ---- when it is shown ------------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_hidden_from_everybody_until_the_ruling_is_final(
    monkeypatch: pytest.MonkeyPatch, made: Campaign, review: Review, ada: User, eve: User
) -> None:
    for who in (ada, eve):
        fragment, data = shown(who, review)
        assert HIDDEN in fragment
        assert not re.search(r"0\.\d", fragment)
        assert data["effects"] is None
        assert data["final_from"] is not None
    later(monkeypatch, days=eligibility.TO_APPEAL.days, seconds=-60)
    assert HIDDEN in shown(eve, review)[0]
    later(monkeypatch, seconds=61)
    for who in (ada, eve):
        fragment, data = shown(who, review)
        assert "the estimates of 2 systems move by at most 0." in fragment
        assert [one["criterion"] for one in data["effects"]] == ["overall"]
        assert "alpha" not in fragment + str(data)
        assert "beta" not in fragment + str(data)
    assert "Systems and estimates stay hidden" in shown(eve, review)[0]
    assert "with and without excluded work</a>" in shown(ada, review)[0]


@pytest.mark.slow
def test_the_case_fetches_it_once_it_is_final(
    monkeypatch: pytest.MonkeyPatch, review: Review, eve: User
) -> None:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    page = browser(eve).get(reverse("annotate:review", args=names)).content.decode()
    assert HIDDEN in page
    assert "hx-get" not in page
    later(monkeypatch, days=eligibility.TO_APPEAL.days, seconds=1)
    page = browser(eve).get(reverse("annotate:review", args=names)).content.decode()
    assert f'hx-get="{reverse("estimation:effect", args=names)}"' in page


@pytest.mark.slow
def test_an_appeal_in_time_holds_it_back_until_it_is_answered(
    monkeypatch: pytest.MonkeyPatch, review: Review, ada: User, eve: User
) -> None:
    appeals.make(review.campaign_id, review.annotator_id, text="Please look.")
    later(monkeypatch, days=eligibility.TO_APPEAL.days + 1)
    assert "Hidden until the appeal is answered" in shown(eve, review)[0]
    assert shown(ada, review)[1] == {"final_from": None, "effects": None}
    appeals.dismiss(review.pk, actor_id=ada.pk, answer="We looked.")
    assert shown(eve, review)[1]["effects"] is not None


@pytest.mark.slow
def test_the_closing_of_a_campaign_makes_it_final_and_a_reopening_does_not(
    made: Campaign, review: Review, ada: User, eve: User
) -> None:
    appeals.make(review.campaign_id, review.annotator_id, text="Please look.")
    over(made)
    fragment, data = shown(eve, review)
    assert "move by at most" in fragment
    assert "with and without excluded work</a>" in fragment
    assert data["effects"]
    life.reopen(made.pk, actor_id=ada.pk, why="More.")
    assert HIDDEN in shown(eve, review)[0]


@pytest.mark.slow
def test_of_work_that_is_not_excluded_nothing_is_shown(
    made: Campaign, review: Review, ada: User, eve: User
) -> None:
    rule(review, ada, Act.RESTORE)
    over(made)
    assert "None of this annotator’s work is excluded." in shown(eve, review)[0]
    assert shown(eve, review)[1]["effects"] is None
    other = by_hand(person(made, "p1"), ada)
    assert shown(eve, other)[1] == {"final_from": None, "effects": None}


def test_strangers_learn_nothing_of_it(review: Review) -> None:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    answer = browser(user("stranger")).get(reverse("estimation:effect", args=names))
    assert answer.status_code == 404
    missing = browser(User.objects.get(username="ada")).get(
        reverse("estimation:effect", args=[names[0], "nobody"])
    )
    assert missing.status_code == 404


@given(appealed=st.none() | st.integers(-40, 40), closed=st.none() | st.integers(-40, 40))
def test_it_is_final_at_the_limit_or_the_closing_and_an_appeal_in_time_alone_holds_it(
    appealed: int | None, closed: int | None
) -> None:
    """Hours after the limit. A block can be appealed later: that hides nothing again."""
    since = timezone.now()
    limit = since + eligibility.TO_APPEAL

    def at(hours: int | None) -> datetime | None:
        return None if hours is None else limit + timedelta(hours=hours)

    found = eligibility.final_from(since=since, closed_at=at(closed), appealed_at=at(appealed))
    if closed is not None:
        assert found == at(closed)
    else:
        assert found == (None if appealed is not None and appealed <= 0 else limit)


def test_a_closing_before_the_ruling_makes_it_final_from_its_own_time() -> None:
    since = timezone.now()
    earlier = since - timedelta(days=1)
    assert eligibility.final_from(since=since, closed_at=earlier, appealed_at=None) == since


# ---- undoing what was final ------------------------------------------------------------------


def test_what_was_final_is_undone_with_a_reason_and_marked(
    monkeypatch: pytest.MonkeyPatch, review: Review, ada: User
) -> None:
    later(monkeypatch, days=eligibility.TO_APPEAL.days, seconds=1)
    with pytest.raises(Invalid, match="final"):
        rule(review, ada, Act.RESTORE, reason="  ")
    assert Review.objects.get(pk=review.pk).status == "excluded"
    (made_,) = rule(review, ada, Act.RESTORE, reason="The clock of their browser was wrong.")
    assert made_.late
    assert AuditEntry.objects.get(verb="restore").detail["late"] is True


def test_within_the_limit_it_is_undone_without_more(review: Review, ada: User) -> None:
    (made_,) = rule(review, ada, Act.RESTORE)
    assert not made_.late


def test_after_the_closing_every_undoing_is_late(made: Campaign, review: Review, ada: User) -> None:
    over(made)
    review.refresh_from_db()
    assert eligibility.is_final(Review.objects.select_related("campaign").get(pk=review.pk))
    with pytest.raises(Invalid):
        rule(review, ada, Act.RESTORE)
    assert rule(review, ada, Act.RESTORE, reason="Why.")[0].late


def test_an_upheld_appeal_is_not_late(
    monkeypatch: pytest.MonkeyPatch, review: Review, ada: User
) -> None:
    appeals.make(review.campaign_id, review.annotator_id, text="Please look.")
    later(monkeypatch, days=eligibility.TO_APPEAL.days + 5)
    assert not rule(review, ada, Act.RESTORE)[0].late
