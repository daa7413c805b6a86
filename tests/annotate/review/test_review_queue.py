"""The queue page by page: searched, narrowed and sorted by the database."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import (
    Appeal,
    Campaign,
    Flag,
    Membership,
    Review,
    Ruling,
)
from annotate.review import queries as review_queries
from tests import reviewed
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


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


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["", "new", "-new", "old", "name", "-name", "-turn"])
@pytest.mark.parametrize("show", review_queries.PARTS)
def test_all_pages_together_show_each_case_once(ada: Client, show: str, sort: str) -> None:
    for n in (130, 7):
        reviewed.queue(campaign(owner=owner()), n, seed=n)
    reviewed.queue(campaign(owner=user("bob")), 10, seed=3)
    mine = review_queries.of_user(owner().pk)
    expected = {
        "waiting": mine.filter(review_queries.waits()),
        "appeals": mine.filter(appeals__answered_at=None, appeals__isnull=False),
        "ruled": mine.filter(status="cleared").exclude(review_queries.waits()),
    }[show]
    found = [one.review.pk for one in walk(ada, f"?show={show}&sort={sort}")]
    assert len(found) == len(set(found)) == expected.count() > 0
    assert set(found) == set(expected.values_list("pk", flat=True))


@pytest.mark.slow
def test_the_pages_are_the_queue_in_its_order(ada: Client) -> None:
    reviewed.queue(campaign(owner=owner()), 130)
    whole = [one.key for one in reviewed.waiting(owner().pk)]
    assert [one.key for one in walk(ada)] == whole
    left = review_queries.left_to_others(owner().pk)
    by_rule = sorted(
        reviewed.waiting(owner().pk),
        key=lambda one: (
            one.review.pk in left,
            one.appeal is None,
            one.appeal.due_at if one.appeal else one.review.opened_at,
            one.review.pk,
        ),
    )
    assert [one.key for one in by_rule] == whole


def test_walking_from_case_to_case_meets_each_of_them_once(ada: Client) -> None:
    made = campaign(owner=owner())
    reviewed.queue(made, 12)
    ruled_by_ada(made)
    left = review_queries.left_to_others(owner().pk)
    queue = [one for one in reviewed.waiting(owner().pk) if one.review.pk not in left]
    assert len(queue) < len(reviewed.waiting(owner().pk)), "one is left to another reviewer"
    for place, one in enumerate(queue):
        beside = review_queries.neighbours(
            owner().pk, one.review.pk, left, review_queries.asked({})
        )
        assert (beside.n_waiting, beside.place) == (len(queue), place + 1)
        assert beside.previous == (queue[place - 1].key if place else None)
        assert beside.following == (queue[place + 1].key if place + 1 < len(queue) else None)
    outside = review_queries.neighbours(owner().pk, None, left, review_queries.asked({}))
    assert (outside.place, outside.previous, outside.following) == (None, None, queue[0].key)


def ruled_by_ada(made: Campaign) -> None:
    """Let an appeal be against ada's own ruling, which another reviewer answers."""
    Membership.objects.create(campaign=made, user=user("bo"), role="reviewer")
    appealed = Review.objects.filter(appeals__isnull=False).first()
    assert appealed is not None
    Review.objects.filter(pk=appealed.pk).update(status="excluded")
    Ruling.objects.create(review=appealed, act="exclude", actor=owner(), at=timezone.now())


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["sort=-turn", "sort=-new", "sort=name", "show=ruled", "q=a"])
def test_walking_keeps_to_the_list_that_one_came_from(ada: Client, asked: str) -> None:
    reviewed.queue(campaign(owner=owner()), 9, ruled=0.5)
    rows = walk(ada, f"?{asked}")
    for place, one in enumerate(rows):
        page = ada.get(f"/reviews/{'/'.join(one.key)}/?{asked}").context
        assert page["place"] == place + 1
        assert page["next"] == (rows[place + 1].key if place + 1 < len(rows) else None)
        assert page["previous"] == (rows[place - 1].key if place else None)
        assert page["kept"] == asked


FILTERS = {
    "screen=too_fast": {"fast", "listed", "ruled"},
    "screen=low_agreement": {"both"},
    "screen=none": {"by hand"},
    "tier=pause": {"fast", "both", "ruled"},
    "tier=list": {"listed"},
    "crowd=link": {"fast", "listed", "both", "by hand", "ruled"},
    "crowd=mturk": set(),
    "by=me": {"ruled"},
    "by=others": {"both"},
    "screen=x&tier=x&crowd=x&by=x&rows=x": {"fast", "listed", "both", "by hand", "ruled"},
    "tier=pause&by=me&screen=too_fast&crowd=link": {"ruled"},
}


@pytest.mark.parametrize("asked", FILTERS)
def test_it_is_narrowed_by_screen_tier_crowd_and_ruler(ada: Client, asked: str) -> None:
    names = mixed()
    assert {names[one.review.pk] for one in walk(ada, f"?{asked}")} == FILTERS[asked]
    if FILTERS[asked] == set():
        assert "Show all" in ada.get(f"/reviews/?{asked}").content.decode()


def mixed() -> dict[int, str]:
    """Five reviews that wait: flagged in several ways, some ruled on before."""
    reviewed.queue(campaign(owner=owner()), 5, ruled=0)
    names = ["fast", "listed", "both", "by hand", "ruled"]
    every = dict(zip(names, Review.objects.all(), strict=True))
    flags = {name: one.flags.get() for name, one in every.items()}
    listed = Flag.objects.filter(pk=flags["listed"].pk)
    listed._raw_delete(listed.db)
    said = {"verdict": flags["listed"].verdict, "at": timezone.now()}
    Flag.objects.create(review=every["listed"], screen="too_fast", tier="list", **said)
    Flag.objects.filter(pk=flags["by hand"].pk)._raw_delete(listed.db)
    Flag.objects.filter(pk=flags["both"].pk)._raw_delete(listed.db)
    for screen, tier in (("low_agreement", "pause"), ("no_variation", "list")):
        Flag.objects.create(review=every["both"], screen=screen, tier=tier, **said)
    others = user("bo")
    for name, actors in (("ruled", (others, owner())), ("both", (owner(), others))):
        for actor in actors:
            Ruling.objects.create(review=every[name], act="clear", actor=actor, at=timezone.now())
    return {one.pk: name for name, one in every.items()}


@pytest.mark.slow
def test_a_ruling_leads_on_to_the_next_of_the_list(ada: Client) -> None:
    reviewed.queue(campaign(owner=owner()), 3, ruled=0)
    Appeal.objects.all().delete()
    rows = walk(ada, "?sort=name")
    for place, one in enumerate(rows):
        sent = {"choice": "clear", "seen": "0", "next": "1"}
        answer = ada.post(f"/reviews/{'/'.join(one.key)}/rule/?sort=name", sent)
        assert answer.status_code == 302
        last = place + 1 == len(rows)
        after = "" if last else f"{'/'.join(rows[place + 1].key)}/"
        assert answer["Location"] == f"/reviews/{after}?sort=name"
        assert f"{one.pseudonym}: Cleared" in ada.get(answer["Location"]).content.decode()


def test_it_is_searched_by_annotator_and_campaign(ada: Client) -> None:
    news, sports = (campaign(owner=owner(), name=name) for name in ("News", "Sports 100%_"))
    reviewed.queue(news, 3, ruled=0)
    reviewed.queue(sports, 4, ruled=0, seed=1)
    one = Review.objects.filter(campaign=news).select_related("annotator")[0]
    assert [row.review.pk for row in walk(ada, f"?q={one.annotator.pseudonym[1:-1].upper()}")] == [
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
    assert counts[0] == counts[1]
