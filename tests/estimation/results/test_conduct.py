"""The report on exclusions: rulings, looking and undoing are counted, and told everywhere."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.campaigns import life
from annotate.models import Campaign, Membership, Review, Ruling
from annotate.review import effects, reviews, rulings
from annotate.review.effects import RulingStatistics
from tests import remembered
from tests.estimation.reviewed import by_hand, settle
from tests.factories import campaign, judge, person

pytestmark = [
    pytest.mark.orm,
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_screens"),
]

Act = Ruling.Act


@pytest.fixture
def made(ada: User, eve: User) -> Campaign:
    return remembered.again(_made, ada, eve)


def _made(ada: User, eve: User) -> Campaign:
    found = campaign(owner=ada, items=30, targets={"overall": 0.01}, double_share=0)
    Membership.objects.create(campaign=found, user=eve, role=Membership.Role.REVIEWER)
    for i in range(20):
        judge(person(found, f"p{i % 5}"))
    return settle(found)


def review_of(made: Campaign, name: str, actor: User) -> Review:
    return by_hand(person(made, name), actor)


def rule(review: Review, actor: User, *acts: Act) -> None:
    last = review.rulings.order_by("-pk").first()
    rulings.rule(review.pk, acts, actor_id=actor.pk, reason="Copied.", seen=last.pk if last else 0)


def told(made: Campaign) -> str:
    out = StringIO()
    call_command("sensitivity", made.public_id, stdout=out)
    return out.getvalue()


def test_blind_rulings_and_others_are_counted(made: Campaign, ada: User, eve: User) -> None:
    rule(review_of(made, "p0", eve), eve, Act.EXCLUDE)
    rule(review_of(made, "p1", eve), eve, Act.CLEAR)
    rule(review_of(made, "p2", ada), ada, Act.EXCLUDE, Act.BLOCK)
    found = effects.ruling_statistics_of(made.pk)
    assert (found.rulings, found.blind, found.not_blind, found.looks) == (3, 2, 1, 0)
    said = told(made)
    assert (
        "3 rulings have decided whether work counts: 2 of them blind, 1 by people who could see "
        "results or had seen them." in said
    )
    assert "looked" not in said


def test_exclude_look_restore_is_counted_each_time(made: Campaign, ada: User) -> None:
    """What the report is for: trying out what an exclusion does."""
    client = Client()
    client.force_login(ada)
    review = review_of(made, "p0", ada)
    for _ in range(3):
        rule(review, ada, Act.EXCLUDE)
        client.get(reverse("estimation:dashboard", args=[made.public_id]))
        rule(review, ada, Act.RESTORE)
    rule(review, ada, Act.EXCLUDE)
    found = effects.ruling_statistics_of(made.pk)
    assert found == RulingStatistics(
        rulings=7, looked=6, looks=3, undone=3, undone_looked=3, undone_late=0, again=3, unopened=7
    )
    assert "7 rulings were made without opening the annotator’s case." in told(made)
    said = told(made)
    assert "looked at results 3 times, counted once between two rulings; 6 rulings followed" in said
    assert (
        "3 exclusions were undone: 3 by a reviewer who had looked at results since the exclusion, "
        "0 after it was final." in said
    )
    assert "3 exclusions were of an annotator who had been excluded before." in said


def test_a_look_before_an_exclusion_is_none_since(made: Campaign, ada: User) -> None:
    reviews.record_results_seen(made.pk, ada.pk)
    review = review_of(made, "p0", ada)
    rule(review, ada, Act.EXCLUDE)
    rule(review, ada, Act.RESTORE)
    found = effects.ruling_statistics_of(made.pk)
    assert (found.looked, found.looks, found.undone, found.undone_looked) == (2, 1, 1, 0)


def test_whoever_does_not_rule_may_look(made: Campaign, ada: User, eve: User) -> None:
    reviews.record_results_seen(made.pk, ada.pk)
    review = review_of(made, "p0", eve)
    rule(review, eve, Act.EXCLUDE)
    reviews.record_results_seen(made.pk, ada.pk)
    rule(review, eve, Act.RESTORE)
    found = effects.ruling_statistics_of(made.pk)
    assert (found.looks, found.looked, found.undone, found.undone_looked) == (0, 0, 1, 0)


def test_undoing_after_the_end_is_late(made: Campaign, ada: User) -> None:
    review = review_of(made, "p0", ada)
    rule(review, ada, Act.EXCLUDE)
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    rule(review, ada, Act.RESTORE)
    assert effects.ruling_statistics_of(made.pk).undone_late == 1
    assert "1 exclusion was undone: 0 by a reviewer" in told(made)


def test_the_dashboard_the_api_and_the_command_say_the_same(made: Campaign, ada: User) -> None:
    rule(review_of(made, "p0", ada), ada, Act.EXCLUDE)
    settle(made)
    client = Client()
    client.force_login(ada)
    page = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert 'id="conduct"' in page.content.decode()
    sentences = page.context["board"].sensitivity.rulings
    for sentence in sentences:
        assert sentence in told(made)
        assert sentence in " ".join(page.content.decode().split())
    api = APIClient()
    api.force_login(ada)
    data = api.get(f"/api/v1/campaigns/{made.public_id}/sensitivity/").json()["rulings"]
    out = StringIO()
    call_command("sensitivity", made.public_id, "--json", stdout=out)
    assert json.loads(out.getvalue())["rulings"] == data
    assert (data["rulings"], data["blind"], data["looks"]) == (1, 0, 1)


def test_other_campaigns_are_not_counted(made: Campaign, ada: User) -> None:
    other = campaign(owner=ada)
    judge(person(other, "x"))
    rule(review_of(other, "x", ada), ada, Act.EXCLUDE)
    reviews.record_results_seen(other.pk, ada.pk)
    assert effects.ruling_statistics_of(made.pk) == RulingStatistics()
