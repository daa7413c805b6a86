"""The queue page by page: searched, narrowed and sorted by the database."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import (
    Campaign,
    Membership,
    Review,
    Ruling,
)
from annotate.selectors.review import appeal_rights, queues, reviews
from tests import reviewed
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


def owner() -> User:
    return User.objects.get(username="ada")


def walk(client: Client, asked: str = "") -> list[Any]:
    """Follow the links to the next pages; return all rows."""
    found: list[Any] = []
    address = f"/reviews/{asked}"
    for _page in range(30):
        answer = client.get(address)
        assert answer.status_code == 200
        found += [one for one, _flags in answer.context["rows"]]
        after = answer.context["listing"].after
        if not after:
            return found
        assert after.replace("&", "&amp;") in answer.content.decode()
        address = f"/reviews/{after}".split("#")[0]
    raise AssertionError("the pages never end")


@pytest.mark.parametrize("sort", ["", "new", "-new", "old", "name", "-name", "-turn"])
@pytest.mark.parametrize("show", queues.PARTS)
def test_all_pages_together_show_each_case_once(ada: Client, show: str, sort: str) -> None:
    for n in (130, 7):
        reviewed.queue(campaign(owner=owner()), n, seed=n)
    reviewed.queue(campaign(owner=user("bob")), 10, seed=3)
    mine = reviews.of_user(owner().pk)
    expected = {
        "waiting": mine.filter(reviews.waits()),
        "appeals": mine.filter(appeals__answered_at=None, appeals__isnull=False),
        "ruled": mine.filter(status="cleared").exclude(reviews.waits()),
    }[show]
    found = [one.review_id for one in walk(ada, f"?show={show}&sort={sort}")]
    assert len(found) == len(set(found)) == expected.count() > 0
    assert set(found) == set(expected.values_list("pk", flat=True))


def test_the_pages_are_the_queue_in_its_order(ada: Client) -> None:
    reviewed.queue(campaign(owner=owner()), 130)
    whole = [one.key for one in reviews.queue(owner().pk)]
    assert [one.key for one in walk(ada)] == whole
    by_rule = sorted(
        reviews.queue(owner().pk),
        key=lambda one: (
            one.others_answer,
            one.appeal_due is None,
            one.appeal_due or one.since,
            one.review_id,
        ),
    )
    assert [one.key for one in by_rule] == whole


def test_walking_from_case_to_case_meets_each_of_them_once(ada: Client) -> None:
    made = campaign(owner=owner())
    reviewed.queue(made, 12)
    ruled_by_ada(made)
    queue = [one for one in reviews.queue(owner().pk) if not one.others_answer]
    assert len(queue) < len(reviews.queue(owner().pk)), "one is left to another reviewer"
    left = appeal_rights.left_to_others(owner().pk)
    for place, one in enumerate(queue):
        beside = queues.neighbours(owner().pk, one.review_id, left)
        assert (beside.n_waiting, beside.place) == (len(queue), place + 1)
        assert beside.previous == (queue[place - 1].key if place else None)
        assert beside.following == (queue[place + 1].key if place + 1 < len(queue) else None)
    outside = queues.neighbours(owner().pk, None, left)
    assert (outside.place, outside.previous, outside.following) == (None, None, queue[0].key)


def ruled_by_ada(made: Campaign) -> None:
    """Let an appeal be against ada's own ruling, which another reviewer answers."""
    Membership.objects.create(campaign=made, user=user("bo"), role="reviewer")
    appealed = Review.objects.filter(appeals__isnull=False).first()
    assert appealed is not None
    Review.objects.filter(pk=appealed.pk).update(status="excluded")
    Ruling.objects.create(review=appealed, act="exclude", actor=owner(), at=timezone.now())


def test_it_is_searched_by_annotator_and_campaign(ada: Client) -> None:
    news, sports = (campaign(owner=owner(), name=name) for name in ("News", "Sports 100%_"))
    reviewed.queue(news, 3, ruled=0)
    reviewed.queue(sports, 4, ruled=0, seed=1)
    one = Review.objects.filter(campaign=news).select_related("annotator")[0]
    assert [row.review_id for row in walk(ada, f"?q={one.annotator.pseudonym[1:-1].upper()}")] == [
        one.pk
    ]
    assert len(walk(ada, "?q=sports")) == 4
    assert len(walk(ada, "?q=100%25_")) == 4, "no wildcards"
    assert walk(ada, "?q=nobody") == []
    assert "No review matches “nobody”" in ada.get("/reviews/?q=nobody").content.decode()
    kept = ada.get(f"/reviews/?campaign={news.public_id}&q=x").content.decode()
    assert f'<input type="hidden" name="campaign" value="{news.public_id}">' in kept
    assert len(walk(ada, f"?campaign={news.public_id}")) == 3


def test_a_long_queue_takes_as_many_queries(ada: Client) -> None:
    made = campaign(owner=owner())
    counts = []
    for n in (3, 297):
        reviewed.queue(made, n, seed=n)
        ada.get("/reviews/")
        with CaptureQueriesContext(connection) as queries:
            ada.get("/reviews/?page=1")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 18


@pytest.mark.parametrize("asked", ["page=-1", "page=1000000000", "page=abc", "page=²", "sort=x"])
@pytest.mark.parametrize("also", ["", "&show=x", "&q=%F0%9F%98%80", "&q=" + "a" * 500])
def test_an_odd_address_is_answered(ada: Client, asked: str, also: str) -> None:
    reviewed.queue(campaign(owner=owner()), 60)
    assert ada.get(f"/reviews/?{asked}{also}").status_code == 200


def test_a_nul_is_refused_in_words(ada: Client) -> None:
    assert ada.get("/reviews/?q=a%00b").status_code == 400


def test_a_page_that_is_gone_is_the_last(ada: Client) -> None:
    reviewed.queue(campaign(owner=owner()), 60, ruled=0)
    listing = ada.get("/reviews/?page=1000000000").context["listing"]
    assert (listing.number, listing.pages, listing.first, listing.last) == (3, 3, 51, 60)
