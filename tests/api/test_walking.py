"""Whatever happens between two pages of a list: rows that stay as they are come once, in order."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotate.models import crowds
from annotate.pay import payouts
from annotate.pay.api import ORDERS as ACCOUNTS
from annotate.review import items
from annotate.review import queries as review_queries
from annotate.review.items_views import ORDERS as ITEMS
from tests.annotate.lists import crowd
from tests.api import walks
from tests.api.walks import Walked
from tests.factories import campaign
from tests.seeds import walks as seeds

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
World = Callable[[User], Walked]


def both_ways(names: Any) -> list[str]:
    """Each order once, every second one backwards."""
    return [f"-{name}" if place % 2 else name for place, name in enumerate(names)]


LISTS: list[tuple[World, str]] = [
    *((walks.reviews, f"sort={sort}") for sort in both_ways(review_queries.SORTS)),
    *((walks.reviews, f"show={show}") for show in (review_queries.APPEALED, review_queries.RULED)),
    *((walks.accounts, f"sort={sort}") for sort in both_ways(ACCOUNTS)),
    (walks.accounts, "show=due&sort=due"),
    (walks.accounts, "q=person"),
    (walks.lists, ""),
    (walks.lines, ""),
    (walks.lines, "q=person"),
    (walks.batches, ""),
    (walks.batches, "show=running"),
    (walks.units_in_doubt, ""),
    *((walks.items, f"sort={sort}") for sort in both_ways(ITEMS)),
    *(
        (walks.items, f"sort={sort}&show={show}")
        for sort in both_ways(items.PLAIN)
        for show in (items.JUDGED, items.UNJUDGED)
    ),
    (walks.items, "sort=-worst&q=1"),
]


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize(
    ("world", "query"), LISTS, ids=[f"{world.__name__}?{query}" for world, query in LISTS]
)
def test_what_stays_comes_once_there_and_back(
    world: World, query: str, seed: int, ada: User, api: APIClient
) -> None:
    here, choose = world(ada), random.Random(seed)
    before = here.whole(api, query)
    assert before
    assert len(before) == len(set(before))

    def between() -> None:
        here.touched |= here.change(choose)

    sized = f"{query}&page_size={choose.randrange(1, 6)}"
    there = list(here.pages(api, sized, between=between))
    steady(here, before, here.whole(api, query), here.names(*there))
    last = there[-1]["previous"]
    if last is None:
        return
    here.touched, before = set(), here.names(*there[-1:])
    whole = here.whole(api, query)
    back = list(here.pages(api, last, "previous", between))[::-1]
    steady(
        here, [one for one in whole if one not in before], here.whole(api, query), here.names(*back)
    )


def steady(here: Walked, before: list[str], after: list[str], seen: list[str]) -> None:
    """See that rows that were there all the time, unchanged, were shown once each, in order."""
    stayed = set(before) & set(after) - here.touched
    assert [one for one in seen if one in stayed] == [one for one in before if one in stayed]
    assert all(Counter(seen)[one] == 1 for one in stayed)


@pytest.mark.parametrize(
    ("world", "query"), [(walks.reviews, ""), (walks.accounts, "sort=due"), (walks.items, "")]
)
def test_without_changes_the_way_back_is_the_same_pages(
    world: World, query: str, ada: User, api: APIClient
) -> None:
    here = world(ada)
    there = list(here.pages(api, f"{query}&page_size=3"))
    assert len(there) > 2
    back = list(here.pages(api, there[-1]["previous"], "previous"))
    assert back[::-1] == there[:-1]
    assert {page["count"] for page in there} == {len(here.names(*there))}


@pytest.mark.parametrize(
    "world",
    [
        walks.reviews,
        walks.accounts,
        walks.batches,
        walks.units_in_doubt,
        walks.items,
    ],
)
def test_each_page_costs_the_same(world: World, ada: User, api: APIClient) -> None:
    here = world(ada)
    costs = []
    for page in here.pages(api, "page_size=4"):
        if page["next"]:
            with CaptureQueriesContext(connection) as seen:
                api.get(page["next"])
            costs.append(len(seen))
            assert not any("OFFSET" in one["sql"] for one in seen)
    assert len(costs) > 1
    assert max(costs) - min(costs) <= 1, "the last page may have nothing to look up"


def test_an_empty_page_leads_back(ada: User, api: APIClient) -> None:
    """The rows of a page may all be gone before it is asked for."""
    here = walks.batches(ada)
    first, second, *_rest = here.pages(api, "page_size=5")
    for one in crowds.Batch.objects.filter(public_id__in=here.names(second)):
        one.postings.all().delete()
        one.delete()
    empty = api.get(first["next"]).json()
    assert (empty["results"], empty["next"]) == ([], None)
    assert here.names(api.get(empty["previous"]).json()) == here.names(first)


BAD = ["", "x", "a:b", "W10:1a2b", "é", "cD0x", "9" * 3000]


@pytest.mark.parametrize("cursor", BAD)
def test_a_bad_cursor_is_a_problem(ada: User, api: APIClient, cursor: str) -> None:
    here = walks.batches(ada)
    answer = api.get(f"{here.address}?cursor={cursor}")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_cursor")
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("cursor", ["é", "cD1h", "bz0teA==", "x"])
@pytest.mark.parametrize("path", ["campaigns/", "imports/"])
def test_a_bad_cursor_of_a_list_by_id_is_a_problem(api: APIClient, path: str, cursor: str) -> None:
    answer = api.get(f"/api/v1/{path}?cursor={cursor}")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_cursor")


def test_a_cursor_belongs_to_its_list_and_order(ada: User, api: APIClient) -> None:
    here, other = walks.accounts(ada), walks.accounts(ada)
    found = api.get(f"{here.address}?sort=due&page_size=2").json()["next"]
    query = found.partition("?")[2]
    assert api.get(f"{here.address}?{query}").status_code == 200
    assert (
        api.get(f"{here.address}?{query.replace('page_size=2', 'page_size=9')}").status_code == 200
    )
    for address in (
        f"{other.address}?{query}",
        f"{here.address}?{query.replace('sort=due', 'sort=name')}",
        f"{here.address}?{query}&show=due",
    ):
        assert api.get(address).json()["error"] == "bad_cursor"


def test_pages_have_no_numbers(ada: User, api: APIClient) -> None:
    answer = api.get(f"{walks.accounts(ada).address}?page=2")
    assert (answer.status_code, answer.json()["error"]) == (400, "numbered")
    assert "follow `next`" in answer.json()["detail"]


def test_an_act_is_no_page(ada: User, api: APIClient) -> None:
    """It is done, whatever cursor stands in its address, and answers with the first page."""
    made = campaign(owner=ada, items=1)
    crowd.people(made, 17)
    listed = payouts.prepare(made.pk, actor_id=ada.pk)
    here = Walked(walks.at(made, f"payouts/{listed.public_id}"), lambda _: set(), rows="lines")
    body = api.post(f"{here.address}paid/?page_size=5&cursor=x&page=3").json()
    assert body["paid"] == str(listed.amount)
    pages = [body, *here.pages(api, body["next"])]
    assert here.names(*pages) == here.whole(api, "")
