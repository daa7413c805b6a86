"""Reviewers and annotators are told what is so: who looked, who is notified, who is flagged."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.models import Participation, Review, Ruling
from annotate.review import choices, effects, evidence_views, reviews, rulings
from annotate.review import queries as review_queries
from annotate.review.rulings import NOT_OPENED
from annotate.screening.base import LISTED, PAUSED, Verdict
from tests import reviewed
from tests.annotate.review.test_ruling_together import ask, confirm, key, statuses
from tests.factories import campaign, judge, person
from tests.reviewed import at, own_page, text

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def owner() -> User:
    return User.objects.get(username="ada")


@pytest.fixture
def three(ada: Client) -> list[Review]:
    made = campaign(owner=owner())
    return [flagged(person(made, f"s{i}"), ("too_fast", PAUSED)) for i in range(3)]


def flag(who: Participation, *screens: tuple[str, str]) -> None:
    for screen, tier in screens:
        fired = Verdict(screen, who.annotator_id, True, 0.08, 0.01, 0.2, 1.0, 6, True, {}, tier)
        reviews.flag(who.campaign_id, who.annotator_id, [fired])


def flagged(who: Participation, *screens: tuple[str, str]) -> Review:
    judge(who)
    flag(who, *screens)
    return Review.objects.get(annotator=who.annotator_id)


# ---- who looked ------------------------------------------------------------------------------


def test_several_cases_that_nobody_opened_are_asked_for(ada: Client, three: list[Review]) -> None:
    ada.get(at(three[0]))
    asked = ask(ada, three)
    assert "You have opened 1 of 3 cases" in text(asked)
    again = confirm(ada, asked, **{f"reason-{key(three[1])}": "Typed by hand.", "unopened": ""})
    assert again.status_code == 422
    assert "Typed by hand." in text(again)
    assert statuses(three) == ["open"] * 3
    confirm(ada, again)
    assert statuses(three) == ["excluded"] * 3
    assert list(Ruling.objects.order_by("pk").values_list("opened", flat=True)) == [
        True,
        False,
        False,
    ]
    assert effects.ruling_statistics_of(three[0].campaign_id).unopened == 2


def test_only_who_opened_the_case_is_said_to_have_looked(ada: Client, three: list[Review]) -> None:
    ada.get(at(three[0]))
    confirm(ada, ask(ada, three))
    assert "A person looked at your work and decided about it." in own_page(three[0])
    unseen = own_page(three[1])
    assert "A person decided about your work." in unseen
    assert "looked at your work" not in unseen


def test_a_flag_after_the_look_asks_for_another_look(ada: Client, three: list[Review]) -> None:
    ada.get(at(three[0]))
    who = Participation.objects.get(annotator=three[0].annotator_id)
    flag(who, ("low_agreement", PAUSED))
    assert "You have opened 0 of 1 case" in text(ask(ada, three[:1]))


def test_the_api_asks_too(ada: Client, three: list[Review]) -> None:
    def send(**more: Any) -> list[Any]:
        people = [
            {
                "campaign": one.campaign.public_id,
                "annotator": one.annotator.pseudonym,
                "reason": "So it is.",
            }
            for one in three
        ]
        body = {"acts": ["exclude"], "people": people, "confirmed": True} | more
        answer = ada.post("/api/v1/reviews/together/", body, content_type="application/json")
        assert answer.status_code == 200, answer.content
        return [one["problem"] for one in answer.json()["people"]]

    first = three[0]
    ada.get(f"/api/v1/campaigns/{first.campaign.public_id}/reviews/{first.annotator.pseudonym}/")
    assert send() == ["", NOT_OPENED, NOT_OPENED]
    assert send(unopened=True) == ["", "", ""]


def test_all_campaigns_of_a_person_are_asked_for_too(ada: Client, three: list[Review]) -> None:
    page = reverse("annotate:review-everywhere", args=[three[0].annotator.pseudonym])
    given = {
        "campaign": three[0].campaign.public_id,
        "choice": "exclude",
        "reason": "So it is.",
        f"seen-{three[0].campaign.public_id}": "0",
    }
    assert "You have not opened every case" in text(ada.post(page, given))
    assert not Ruling.objects.exists()
    ada.post(page, given | {"unopened": "1"})
    assert Ruling.objects.get().opened is False


def test_no_draft_says_that_somebody_looked(ada: Client, three: list[Review]) -> None:
    (one,) = effects.cases_of(owner().pk, [review_queries.CaseKey(*key(three[0]).split("/"))])
    for language in ("en", "de"):
        one.campaign.language = language
        drafts = [choices.draft(choice, one) for choice in choices.CHOICES]
        assert not [draft for draft in drafts if re.search("looked|angesehen", draft)]


# ---- who is notified -------------------------------------------------------------------------


def test_by_link_nobody_is_said_to_be_notified(ada: Client, three: list[Review]) -> None:
    page = text(ada.get(at(three[0])))
    assert "No message is sent: the annotator finds your answer on their own page" in page
    assert "notified" not in page


# ---- who is flagged, and by what -------------------------------------------------------------


@pytest.mark.slow
def test_a_listed_person_is_not_called_flagged(ada: Client) -> None:
    made = reviewed.study(owner())
    review = flagged(reviewed.spammer(made), ("too_fast", LISTED), ("low_agreement", LISTED))
    page = text(ada.get(at(review)))
    assert "2 reasons to look" in page
    assert "flagged" not in page.replace("Flagged if", "")
    rulings.rule_on_person(
        review.campaign_id,
        review.annotator_id,
        [Ruling.Act.CLEAR],
        actor_id=owner().pk,
        reason="",
        seen=0,
    )
    assert "screens flagged" not in text(ada.get(at(review)))


def test_each_sign_is_named_and_counted_once(ada: Client) -> None:
    review = flagged(
        person(campaign(owner=owner())),
        ("too_fast", LISTED),
        ("several_signs", LISTED),
        ("too_fast", PAUSED),
    )
    fired = review.flags.order_by("pk")
    assert [title for title, _line in evidence_views.flags(fired)] == ["Too fast"]
    page = text(ada.get(at(review)))
    assert "1 screen flagged" in page
    drafts = re.findall(r'data-draft="([^"]*)"', page)
    assert [
        draft.count("less time than reading takes") for draft in drafts if "noticed" in draft
    ] == [1, 1]


def test_the_sum_of_signs_is_told_where_it_stands_alone(ada: Client) -> None:
    alone = flagged(person(campaign(owner=owner())), ("several_signs", LISTED))
    paused = flagged(person(campaign(), "p2"), ("too_fast", LISTED), ("several_signs", PAUSED))
    assert [one.screen for one in review_queries.signs(alone.flags.all())] == ["several_signs"]
    assert {one.screen for one in review_queries.signs(paused.flags.all())} == {
        "too_fast",
        "several_signs",
    }
