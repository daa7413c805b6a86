"""Who sees results, whose rulings count as blind, and what is written down of looking."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import life
from annotate.common import access
from annotate.common.access import Blinding
from annotate.models import (
    AuditEntry,
    Campaign,
    Membership,
    ResultsSeen,
    Review,
    Ruling,
)
from annotate.review import evidence, reviews
from tests import reviewed
from tests.annotate.researcher import owner_of
from tests.factories import campaign, judge, person, user
from tests.reviewed import joined, logged_in, text

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act, Role = Ruling.Act, Membership.Role


@pytest.fixture
def review(ada: Client) -> Review:
    return reviewed.case(owner_of(ada))


def rule(review: Review, actor: User, *acts: Act) -> Ruling:
    return reviewed.rule(review, actor, *acts)[0]


def over(made: Campaign) -> None:
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)


# ---- who sees results ------------------------------------------------------------------------


@given(role=st.sampled_from(Role.values), closed=st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_rule_says_the_same_of_one_member_and_of_many(
    django_db_blocker: Any, role: str, closed: bool
) -> None:
    made = campaign()
    at = timezone.now() if closed else None
    Campaign.objects.filter(pk=made.pk).update(closed_at=at)
    found = Membership.objects.create(
        campaign=made, user=User.objects.create(username=f"u{made.pk}"), role=role
    )
    listed = Membership.objects.filter(access.results_visible(), pk=found.pk).exists()
    assert access.role_sees_results(role, at) == listed == (role != Role.REVIEWER or closed)
    assert not access.role_sees_results(None, at)


@pytest.mark.slow
def test_a_reviewer_sees_results_from_the_closing_until_a_reopening(ada: Client) -> None:
    made = campaign(owner=owner_of(ada))
    eve = logged_in(joined(made))
    address = reverse("estimation:dashboard", args=[made.public_id])
    for act in (None, life.pause, life.open_, "close"):
        if act == "close":
            life.close(made.pk, Campaign.Reason.HAND)
        elif act:
            act(made.pk)
        assert 'id="hidden"' in text(eve.get(address))
    life.finish(made.pk)
    assert "Export</a>" in text(eve.get(address))
    life.archive(made.pk, actor_id=owner_of(ada).pk)
    assert "Export</a>" in text(eve.get(address))
    other = campaign(owner=owner_of(ada), is_open=False)
    life.archive(other.pk, actor_id=owner_of(ada).pk)
    Membership.objects.create(
        campaign=other, user=User.objects.get(username="eve"), role="reviewer"
    )
    page = eve.get(reverse("estimation:dashboard", args=[other.public_id]))
    assert 'id="hidden"' in text(page), "it was never closed"


def test_the_list_of_campaigns_counts_no_interval_for_a_reviewer(ada: Client) -> None:
    made, closed = (campaign(owner=owner_of(ada)) for _ in range(2))
    over(closed)
    eve = logged_in(joined(made))
    Membership.objects.create(
        campaign=closed, user=User.objects.get(username="eve"), role="reviewer"
    )
    both = {"campaign": [made.public_id, closed.public_id]}
    listed, counted = eve.get("/"), eve.get(reverse("estimation:at-target"), both)
    for made_, shown in ((made, False), (closed, True)):
        assert (f'id="at-{made_.public_id}"' in text(listed)) == shown
        assert (f'id="at-{made_.public_id}"' in text(counted)) == shown
    assert text(listed).count("hidden until closed") == 1
    assert text(ada.get(reverse("estimation:at-target"), both)).count("id=") == 2


def test_the_api_names_neither_systems_nor_why_it_is_closing(ada: Client) -> None:
    made = campaign(owner=owner_of(ada))
    life.close(made.pk, Campaign.Reason.TARGET)
    eve = APIClient()
    eve.force_login(joined(made))
    address = f"/api/v1/campaigns/{made.public_id}/"
    for row in (eve.get(address).json(), eve.get("/api/v1/campaigns/").json()["results"][0]):
        hidden = {name: row[name] for name in ("systems", "seed", "close_reason", "status")}
        assert hidden == {"systems": None, "seed": None, "close_reason": "", "status": "closing"}
    refused = eve.get(f"{address}estimates/")
    assert (refused.status_code, refused.json()["error"]) == (403, "hidden")
    assert "until it is closed" in refused.json()["message"]
    row = ada.get(address).json()
    assert (row["systems"], row["seed"]) == (["alpha", "beta"], 1)
    assert row["close_reason"] == "target"


def test_a_reviewers_page_says_what_to_do(ada: Client, review: Review) -> None:
    eve = logged_in(joined(review.campaign))
    address = reverse("estimation:dashboard", args=[review.campaign.public_id])
    page = text(eve.get(address))
    assert "Rule on 1 annotator<" in page
    assert f'/reviews/?campaign={review.campaign.public_id}"' in page
    rule(review, owner_of(ada), Act.CLEAR)
    assert "Nothing: no ruling is due" in text(eve.get(address))


# ---- what gives systems away -----------------------------------------------------------------


@pytest.mark.slow
def test_outputs_come_under_names_and_in_an_order_that_tell_nothing_of_systems(
    ada: Client,
) -> None:
    made = campaign(owner=owner_of(ada), items=20, double_share=0, annotator_cap=None)
    who = person(made)
    for _ in range(40):
        judge(who)
    found = evidence.work(made, who.annotator_id).all
    order = [one.mine.output_id for one in found]
    assert order != sorted(order), "nor in which they were stored or judged"
    api = ada.get(f"/api/v1/campaigns/{made.public_id}/reviews/{who.annotator.pseudonym}/").json()
    names = [one["output"] for one in api["beside"]]
    assert names == [one.name for one in found]
    assert len(set(names)) == 40
    assert not {str(pk) for pk in order} & set(names)
    assert names == sorted(names), "where all are equally far, by a name that says nothing"


# ---- whose ruling is blind -------------------------------------------------------------------


def test_a_ruling_knows_whether_it_was_blind(ada: Client, review: Review) -> None:
    eve = joined(review.campaign)
    assert access.sight(eve.pk, review.campaign) == Blinding.BLIND
    assert rule(review, eve, Act.EXCLUDE).blind
    assert not rule(review, owner_of(ada), Act.RESTORE).blind, "an owner sees results elsewhere"
    assert AuditEntry.objects.filter(verb="exclude").get().detail["blind"] is True
    over(review.campaign)
    review.campaign.refresh_from_db()
    assert access.sight(eve.pk, review.campaign) == Blinding.CLOSED
    assert not rule(review, eve, Act.EXCLUDE).blind
    stranger = user("stranger")
    assert access.sight(stranger.pk, review.campaign) == Blinding.STRANGER
    assert not rule(review, stranger, Act.RESTORE).blind


@pytest.mark.slow
def test_who_has_seen_results_does_not_rule_blind_after_a_reopening(
    ada: Client, review: Review
) -> None:
    eve, bob = joined(review.campaign), joined(review.campaign, "bob")
    over(review.campaign)
    logged_in(eve).get(reverse("estimation:dashboard", args=[review.campaign.public_id]))
    life.reopen(review.campaign_id, actor_id=owner_of(ada).pk, why="More.")
    review.campaign.refresh_from_db()
    assert access.sight(eve.pk, review.campaign) == Blinding.SEEN
    assert access.sight(bob.pk, review.campaign) == Blinding.BLIND
    case = reverse("annotate:review", args=[review.campaign.public_id, review.annotator.pseudonym])
    assert "You have seen results of this campaign, or could" in text(logged_in(eve).get(case))
    api = f"/api/v1/campaigns/{review.campaign.public_id}/reviews/{review.annotator.pseudonym}/"
    sights = [logged_in(who).get(api).json()["sight"] for who in (eve, bob, owner_of(ada))]
    assert sights == ["seen", "blind", "owner"]
    assert "so your ruling counts as blind" in text(logged_in(bob).get(case))
    assert "but you can see them elsewhere" in text(ada.get(case))
    assert not rule(review, eve, Act.EXCLUDE).blind
    assert rule(review, bob, Act.RESTORE).blind


# ---- looking ---------------------------------------------------------------------------------

LOOKS = ("page", "numbers", "export", "estimates", "judgments", "sensitivity", "agreement")


def look(client: Client, made: Campaign, how: str) -> None:
    address = {
        "page": reverse("estimation:dashboard", args=[made.public_id]),
        "numbers": reverse("estimation:numbers", args=[made.public_id]),
        "export": reverse("annotate:export", args=[made.public_id]),
    }.get(how, f"/api/v1/campaigns/{made.public_id}/{how}/")
    assert client.get(address).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("how", LOOKS)
def test_every_way_to_results_is_a_look_counted_once_between_two_rulings(
    ada: Client, review: Review, how: str
) -> None:
    owner = owner_of(ada)
    for _ in range(3):
        look(ada, review.campaign, how)
    assert list(ResultsSeen.objects.values_list("user", "after_ruling")) == [(owner.pk, 0)]
    made = rule(review, owner, Act.EXCLUDE)
    look(ada, review.campaign, how)
    look(ada, review.campaign, "page")
    assert list(ResultsSeen.objects.values_list("after_ruling", flat=True)) == [0, made.pk]


@pytest.mark.slow
def test_pages_of_review_and_refusals_are_no_look(ada: Client, review: Review) -> None:
    eve = logged_in(joined(review.campaign))
    names = [review.campaign.public_id, review.annotator.pseudonym]
    for client in (ada, eve):
        client.get("/")
        client.get(reverse("annotate:review", args=names))
        client.get(reverse("estimation:effect", args=names))
        client.get(reverse("annotate:people", args=names[:1]))
    eve.get(reverse("estimation:dashboard", args=names[:1]))
    assert eve.get(reverse("annotate:export", args=names[:1])).status_code == 403
    assert not ResultsSeen.objects.exists()


def test_looking_again_costs_one_query_and_writes_nothing(review: Review) -> None:
    owner = review.campaign.memberships.get().user_id
    reviews.record_results_seen(review.campaign_id, owner)
    with CaptureQueriesContext(connection) as captured:
        reviews.record_results_seen(review.campaign_id, owner)
    assert len(captured) == 1
    assert ResultsSeen.objects.count() == 1
    assert ResultsSeen.objects.get().at <= timezone.now() + timedelta(seconds=1)
