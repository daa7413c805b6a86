"""Lists of the API that are usually short: operations, gold items and people, subscriptions."""

import random
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from annotate.models import (
    Annotator,
    Campaign,
    GoldFinding,
    GoldItem,
    Operation,
    Subscription,
)
from annotate.models.crowds import StopPayload
from tests.annotate import market
from tests.annotate.gold.study import items, with_gold
from tests.annotate.lists import crowd
from tests.api.walks import Walked, at, some
from tests.crowds.operations import on_posting
from tests.factories import campaign

Status = Operation.Status


def operations(owner: User) -> Walked:
    """Some need a person, some wait, and each may change to the other or be over."""
    made = market.study(owner=owner)
    posting = market.posting(made)

    def add(n: int) -> None:
        made_op = on_posting(StopPayload(), posting, key=f"stop:{n}:{random.random()}")
        status = (Status.UNCLEAR, Status.REFUSED, Status.PENDING)[n % 3]
        _operation(made_op.pk).update(status=status, message="The crowd did not answer.")

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.3:
            add(choose.randrange(3))
            return set()
        one = some(Operation.objects.filter(campaign=made), choose)
        _operation(one.pk).update(status=choose.choice([Status.UNCLEAR, Status.SENT, Status.DONE]))
        return {one.pk}

    for n in range(17):
        add(n)
    return Walked(at(made, "operations"), change, name="id")


def _operation(pk: int) -> Any:
    return Operation.objects.filter(pk=pk)


def gold_items(owner: User) -> Walked:
    """Items of a draft come at the end, and go anywhere."""
    made = campaign(owner=owner, items=1, is_open=False)
    with_gold(made, n=17, is_open=False)
    taken = iter(range(1000))

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.5:
            last = GoldItem.objects.filter(campaign=made).latest("position").position
            given = items(1)[0]
            GoldItem.objects.create(
                campaign=made,
                position=last + 1,
                name=f"new-{next(taken)}",
                text=given.text,
                expected=given.expected,
            )
            return set()
        one = some(GoldItem.objects.filter(campaign=made), choose)
        one.delete()
        return {one.name}

    return Walked(at(made, "gold"), change, name="item", rows="items")


def gold_people(owner: User) -> Walked:
    """A worker looks again: somebody is listed, or not any more. Many have equal figures."""
    made = campaign(owner=owner, items=1)
    for one in crowd.people(made, 21):
        _found(made, one.annotator, listed=one.pk % 4 == 0, by_honest=one.pk % 3 / 3)

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.3:
            (new,) = crowd.people(made, 1)
            _found(made, new.annotator, listed=False, by_honest=choose.randrange(3) / 3)
            return set()
        one = some(GoldFinding.objects.filter(campaign=made).select_related("annotator"), choose)
        now = {"listed": choose.random() < 0.5, "by_honest": choose.randrange(3) / 3}
        GoldFinding.objects.filter(pk=one.pk).update(**now)
        return {one.annotator.pseudonym}

    return Walked(at(made, "gold/people"), change)


def _found(made: Campaign, who: Annotator, *, listed: bool, by_honest: float) -> None:
    GoldFinding.objects.create(
        campaign=made,
        annotator=who,
        answered=5,
        used=5,
        wrong=1,
        by_honest=by_honest,
        by_guess=0.5,
        listed=listed,
    )


def subscriptions(owner: User) -> Walked:
    made = campaign(owner=owner, items=1)

    def add() -> None:
        now = timezone.now()
        Subscription.objects.create(
            campaign=made,
            user=owner,
            channel="webhook",
            url="https://example.org/hook",
            events=["closed"],
            created_at=now,
            next_at=now,
        )

    def change(choose: random.Random) -> set[str]:
        if choose.random() < 0.4:
            add()
            return set()
        one = some(Subscription.objects.filter(campaign=made), choose)
        Subscription.objects.filter(pk=one.pk).update(ended_at=timezone.now())
        return {one.public_id}

    for _n in range(17):
        add()
    for one in list(Subscription.objects.filter(campaign=made))[::3]:
        Subscription.objects.filter(pk=one.pk).update(ended_at=timezone.now())
    return Walked(at(made, "notifications"), change, name="id")
