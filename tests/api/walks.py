"""Lists of the API, each with changes that may happen between two of its pages."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.models import (
    Batch,
    Campaign,
    Item,
    ItemOrder,
    LedgerEntry,
    Participation,
    Payout,
    PayoutList,
    Review,
)
from annotate.models.base import ItemMeasure
from annotate.review import items as review_items
from tests import reviewed
from tests.annotate import market
from tests.annotate.lists import crowd
from tests.factories import campaign

CHANGES = 25  # rows that come faster than they are read have no end
Change = Callable[[random.Random], set[str]]


@dataclass
class Walked:
    """A list, and what may happen to it. change: returns the names of the rows that it changes."""

    address: str
    change: Change
    name: str = "annotator"  # of the field that tells rows apart
    rows: str = "results"
    touched: set[str] = field(default_factory=set)

    def pages(
        self,
        api: APIClient,
        query: str,
        link: str = "next",
        between: Callable[[], None] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield the pages, one after the other. query: or the address of the first one."""
        address = query if query.startswith("http") else f"{self.address}?{query}"
        for page in range(500):
            body = api.get(address).json()
            yield body
            if not body[link]:
                return
            if between and page < CHANGES:
                between()
            address = body[link]
        raise AssertionError("the pages never end")

    def names(self, *pages: dict[str, Any]) -> list[str]:
        return [row[self.name] for page in pages for row in page[self.rows]]

    def whole(self, api: APIClient, query: str) -> list[str]:
        return self.names(*self.pages(api, f"{query}&page_size=1000"))


def at(made: Campaign, part: str) -> str:
    return f"/api/v1/campaigns/{made.public_id}/{part}/"


def some(rows: Any, choose: random.Random) -> Any:
    return choose.choice(list(rows))


# ---------------------------------------------------------------- reviews


def reviews(owner: User) -> Walked:
    made = campaign(owner=owner, items=1)
    reviewed.queue(made, 24, seed=1)

    def change(choose: random.Random) -> set[str]:
        act = choose.randrange(4)
        if act == 0:
            # In a campaign of its own: it says anew when all of one were ruled on.
            more = campaign(owner=owner, items=1)
            reviewed.queue(more, choose.randrange(1, 4), seed=choose.randrange(10**9))
            return set()
        one = some(Review.objects.filter(campaign=made).select_related("annotator"), choose)
        if act == 1:
            moved = timezone.now() - timedelta(hours=choose.randrange(6))
            Review.objects.filter(pk=one.pk).update(opened_at=moved)
        elif act == 2:
            Review.objects.filter(pk=one.pk).update(status="cleared", ruled_at=timezone.now())
        else:
            one.appeals.all().delete()
        return {one.annotator.pseudonym}

    return Walked("/api/v1/reviews/", change)


# ---------------------------------------------------------------- money


def accounts(owner: User) -> Walked:
    made = campaign(owner=owner, items=1)
    crowd.people(made, 24)

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.3:
            crowd.people(made, choose.randrange(1, 3), name=f"Person {choose.random()} {{i}}")
            return set()
        one = some(made.participations.select_related("annotator"), choose)
        amount, key = Decimal(choose.randrange(1, 90)) / 100, f"walk:{choose.random()}"
        if choose.random() < 0.5:
            _given(made, one, amount, key)
        else:
            Payout.objects.create(participation=one, amount=amount, key=key)
        return {one.annotator.pseudonym}

    return Walked(at(made, "accounts"), change, rows="accounts")


def _given(made: Campaign, to: Participation, amount: Decimal, key: str) -> None:
    LedgerEntry.objects.create(
        campaign=made, participation=to, kind="bonus", amount=amount, fee=0, key=key
    )


def lists(owner: User) -> Walked:
    made = campaign(owner=owner, items=1)

    def add(_choose: random.Random | None = None) -> set[str]:
        PayoutList.objects.create(campaign=made, rows=[], seen=0, actor=owner)
        return set()

    for _n in range(13):
        add()
    return Walked(at(made, "payouts"), add, name="id")


def lines(owner: User) -> Walked:
    """A list's lines are fixed; what is recorded of them changes."""
    made = campaign(owner=owner, items=1)
    came = crowd.people(made, 17)
    rows = [[one.pk, "0.10"] for one in came]
    listed = PayoutList.objects.create(campaign=made, rows=rows, seen=0, actor=owner)

    def change(choose: random.Random) -> set[str]:
        one, key = choose.choice(came), f"walk:{choose.random()}"
        Payout.objects.create(participation=one, amount=Decimal("0.10"), key=key, listed=listed)
        crowd.people(made, 1)
        return set()

    return Walked(at(made, f"payouts/{listed.public_id}"), change, rows="lines")


# ---------------------------------------------------------------- the crowd


def batches(owner: User) -> Walked:
    made = market.study(owner=owner)
    for n in range(9):
        market.posting(made, listing=f"HIT{n}")

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.6:
            market.posting(made, listing=f"HIT{choose.random()}")
            return set()
        one = some(Batch.objects.filter(campaign=made), choose)
        one.postings.all().delete()
        one.delete()
        return {one.public_id}

    return Walked(at(made, "batches"), change, name="id")


def units_in_doubt(owner: User) -> Walked:
    """Some of them have no time at which they were handed in."""
    made = market.study(owner=owner)
    posting = market.posting(made)

    def add(choose: random.Random, n: int) -> None:
        for one in crowd.people(made, n):
            _mine(one).update(
                posting=posting, status="confirmed", problem="Odd.", submitted_at=_moment(choose)
            )

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.4:
            add(choose, choose.randrange(1, 3))
            return set()
        one = some(made.participations.select_related("annotator"), choose)
        if choose.random() < 0.5:
            _mine(one).update(submitted_at=_moment(choose))
        else:
            _mine(one).update(problem="")
        return {one.annotator.pseudonym}

    add(random.Random(1), 24)
    return Walked(at(made, "units-in-doubt"), change)


def _mine(one: Participation) -> Any:
    return Participation.objects.filter(pk=one.pk)


def _moment(choose: random.Random) -> Any:
    """Return one of few moments, so that many rows share it, or none."""
    hours = choose.randrange(4)
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(hours=hours) if hours else None


# ---------------------------------------------------------------- items


def items(owner: User) -> Walked:
    """Figures change when a worker orders the items again; the items themselves never do."""
    made = campaign(owner=owner, items=30)
    for one in Item.objects.filter(campaign=made):
        Item.objects.filter(pk=one.pk).update(words=one.position % 4)
    figures = {one: float(one % 5) / 3 for one in range(24)}
    _ordered(made, figures)
    names = dict(Item.objects.filter(campaign=made).values_list("position", "key"))

    def change(choose: random.Random) -> set[str]:
        one = choose.randrange(30)
        if one in figures and choose.random() < 0.4:
            del figures[one]
        else:
            figures[one] = choose.randrange(5) / 3
        _ordered(made, figures)
        return {names[one]}

    return Walked(at(made, "items/listed"), change, name="item")


def _ordered(made: Campaign, figures: dict[int, float]) -> None:
    """Store the orders of these figures, by position, as the worker does."""
    places = np.array(sorted(figures))
    values = np.array([figures[one] for one in places.tolist()]).astype(np.float32)
    review_items.store(
        made.pk,
        [_order(measure, places, values.astype(float)) for measure in ItemMeasure],
        judgments=1,
    )


def _order(measure: ItemMeasure, places: Any, values: Any) -> ItemOrder:
    by = np.argsort(review_items.sort_keys(measure, values, higher_is_better=True), kind="stable")
    return review_items.new_order(None, "overall", measure, places[by], values[by])
