"""Batches: what is shown is what is spent, once, and stopping is part of leaving `open`."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from annotate.campaigns import life
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.crowds import batches, outbox, people
from annotate.crowds.contract import Effect, Outcome, from_json
from annotate.models import AuditEntry, Batch, Campaign, Operation, Posting
from annotate.models.base import CloseReason
from tests.annotate.work.storms import at_once
from tests.crowds.batches.launching import STORED, TERMS, launched, stages
from tests.crowds.scripted import LOST, NO_MONEY, Scripted
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind, OpStatus, Stage = Operation.Kind, Operation.Status, Posting.Status


def test_a_launch_writes_postings_and_intents_and_then_they_are_published(
    made: Campaign, scripted: Scripted
):
    ada = user()
    total = batches.offer(made.pk, TERMS, places=20).total
    batch = batches.launch(made.pk, TERMS, places=20, actor_id=ada.pk, confirmed=total, key="k")
    assert (batch.places, batch.reward, batch.tasks) == (20, Decimal("1.00"), 2)
    assert from_json(batch.terms) == people.applied(STORED, made)
    assert stages() == [Stage.PLANNED] * 3
    assert not scripted.calls  # nothing happens inside
    assert outbox.carry_out_due() == 3
    assert stages() == [Stage.OPEN] * 3
    assert sorted(spec.places for spec in scripted.published.values()) == [6, 7, 7]
    entry = AuditEntry.objects.get(verb="launch")
    assert (entry.actor_id, entry.detail["cost"]) == (ada.pk, "24.00")


def test_a_repetition_publishes_the_very_same(made: Campaign, scripted: Scripted, clock):
    """A crowd takes a known key only with the same request; the address's signature has a time."""
    scripted.will("publish", LOST)
    launched(made, places=3)
    specs: list[Any] = []
    publish = scripted.publish
    scripted.publish = lambda spec, key: (specs.append((spec, key)), publish(spec, key))[1]  # type: ignore[method-assign]
    outbox.carry_out_due()
    clock.move(minutes=5)
    outbox.carry_out_due()
    assert len(specs) == 2
    assert specs[0] == specs[1]


@pytest.mark.django_db(transaction=True)
def test_pressed_at_once_it_is_made_once(scripted: Scripted):
    made = campaign(crowd="mturk", items=32)
    results = at_once([lambda: launched(made).pk] * 6)
    assert len(set(results)) == 1
    assert (Batch.objects.count(), Operation.objects.count()) == (1, 3)


def test_a_key_is_asked_for_and_belongs_to_one_campaign(made: Campaign, scripted: Scripted):
    launched(made)
    with pytest.raises(Conflict, match="another campaign"):
        launched(campaign(crowd="mturk"))
    with pytest.raises(Invalid, match="key"):
        launched(made, key="")


@pytest.mark.parametrize("confirmed", ["23.99", "24.01", "0"])
def test_only_what_was_shown_is_spent(made: Campaign, confirmed: str):
    with pytest.raises(Conflict, match=r"may cost \$24.00 now") as refused:
        batches.launch(
            made.pk, TERMS, places=20, actor_id=None, confirmed=Decimal(confirmed), key="k"
        )
    assert refused.value.code == "cost"
    assert not Batch.objects.exists()


def test_what_changes_between_the_offer_and_the_lock_is_seen(made: Campaign, scripted: Scripted):
    """The crowd is asked before the lock; our own rows are read again behind it."""

    def closes() -> Decimal:
        life.pause(made.pk)
        return Decimal(1000)

    total = batches.offer(made.pk, TERMS, places=20).total
    local = batches.local
    seen: list[int] = []

    def paused_meanwhile(found: Campaign, shown: batches.Offer) -> Any:
        problems = list(local(found, shown))
        if not seen:
            seen.append(1)
            closes()
        return problems

    batches.local = paused_meanwhile  # type: ignore[assignment]
    try:
        with pytest.raises(Invalid, match="paused"):
            batches.launch(made.pk, TERMS, places=20, actor_id=None, confirmed=total, key="k")
    finally:
        batches.local = local
    assert not Batch.objects.exists()


# ---------------------------------------------------------------- more places


def more(batch: Batch, places: int, key: str = "more") -> None:
    total = batches.offer_more(batch.pk, places=places).total
    batches.extend(batch.pk, places, actor_id=None, confirmed=total, key=key)


def test_more_places_are_more_postings_where_postings_are_small(made: Campaign, scripted: Scripted):
    batch = launched(made, places=9)
    more(batch, 10)
    more(batch, 10)
    outbox.carry_out_due()
    batch.refresh_from_db()
    assert batch.places == 19
    assert sorted(spec.places for spec in scripted.published.values()) == [5, 5, 9]


def test_more_places_grow_a_posting_where_it_can(made: Campaign, scripted: Scripted):
    scripted.can = Scripted(places_at_most=None).can
    batch = launched(made, places=20)
    outbox.carry_out_due()
    more(batch, 10)
    more(batch, 5, key="again")
    outbox.carry_out_due()
    posting = Posting.objects.get()
    assert (posting.places, sum(scripted.extended.values())) == (35, 15)


def test_more_places_are_confirmed_too(made: Campaign):
    batch = launched(made, places=9)
    with pytest.raises(Conflict, match="now"):
        batches.extend(batch.pk, 10, actor_id=None, confirmed=Decimal(1), key="more")
    batches.stop(batch.pk, actor_id=None)
    with pytest.raises(Invalid, match="stopped"):
        more(batch, 1)
    with pytest.raises(NotFound):
        batches.offer_more(batch.pk + 1, places=1)


# ---------------------------------------------------------------- stopping


def test_what_was_not_sent_is_never_published(made: Campaign, scripted: Scripted):
    batch = launched(made)
    batches.stop(batch.pk, actor_id=None)
    assert stages() == [Stage.CLOSED] * 3
    assert outbox.carry_out_due() == 0
    assert not scripted.calls


def test_what_was_refused_is_not_published_later(made: Campaign, scripted: Scripted):
    scripted.will("publish", NO_MONEY)
    batch = launched(made, places=5)
    outbox.carry_out_due()
    batches.stop(batch.pk, actor_id=None)
    op = Operation.objects.get()
    assert (op.status, stages()) == (OpStatus.DROPPED, [Stage.CLOSED])
    with pytest.raises(Conflict):
        outbox.retry(op.pk, actor_id=1)


def test_what_may_have_been_published_is_stopped_afterwards(
    made: Campaign, scripted: Scripted, clock
):
    scripted.will("publish", LOST)
    batch = launched(made, places=5)
    outbox.carry_out_due()
    batches.stop(batch.pk, actor_id=None)
    outbox.carry_out_due()
    assert stages() == [Stage.PLANNED]
    clock.move(minutes=1)
    outbox.carry_out_due()
    clock.move(seconds=1)
    outbox.carry_out_due()
    assert stages() == [Stage.DRAINING]


@pytest.mark.parametrize(
    "leave",
    [
        life.pause,
        lambda pk: life.close(pk, CloseReason.HAND),
        lambda pk: (life.close(pk, CloseReason.TARGET), life.finish(pk)),
    ],
    ids=["pause", "close", "finish"],
)
def test_leaving_open_stops_every_posting_in_the_same_transaction(
    made: Campaign, scripted: Scripted, leave: Any
):
    launched(made)
    outbox.carry_out_due()
    with transaction.atomic():
        leave(made.pk)
        transaction.set_rollback(True)
    assert not Operation.objects.filter(kind=Kind.STOP).exists()
    leave(made.pk)
    assert Operation.objects.filter(kind=Kind.STOP).count() == 3
    assert Batch.objects.get().stopped_at is not None
    outbox.carry_out_due()
    assert stages() == [Stage.DRAINING] * 3


def test_a_stop_that_the_crowd_refuses_is_told(made: Campaign, scripted: Scripted):
    batch = launched(made, places=5)
    outbox.carry_out_due()
    scripted.will("stop", Outcome(Effect.REFUSED, "x", "No such HIT."))
    batches.stop(batch.pk, actor_id=None)
    outbox.carry_out_due()
    assert Posting.objects.get().problem == "No such HIT."


def test_extensions_of_a_posting_come_one_after_the_other(
    made: Campaign, scripted: Scripted, clock
):
    """Only so does the number of places tell whether one that was interrupted has happened."""
    scripted.can = Scripted(places_at_most=None, token_life=None).can
    batch = launched(made, places=20)
    outbox.carry_out_due()
    scripted.will("add_places", LOST)
    more(batch, 10)
    more(batch, 5, key="again")
    outbox.carry_out_due()
    assert scripted.calls.count("add_places") == 1  # the second waits
    for _ in range(3):
        clock.move(minutes=1)
        outbox.carry_out_due()
    assert (Posting.objects.get().places, sum(scripted.extended.values())) == (35, 15)


def test_when_its_time_is_over_a_posting_is_stopped(made: Campaign, scripted: Scripted, clock):
    launched(made, places=5)
    outbox.carry_out_due()
    assert life.stop_expired() == 0
    clock.move(days=3, minutes=1)
    assert life.stop_expired() == 1
    outbox.carry_out_due()
    assert stages() == [Stage.DRAINING]
    assert life.stop_expired() == 0


# ---------------------------------------------------------------- trying again


def refused(made: Campaign, scripted: Scripted, places: int = 5) -> Operation:
    scripted.will("publish", NO_MONEY)
    launched(made, places=places)
    outbox.carry_out_due()
    return Operation.objects.get(status=OpStatus.REFUSED)


def test_a_budget_that_was_promised_elsewhere_meanwhile_is_not_spent_twice(
    made: Campaign, scripted: Scripted
):
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal("8.00"), fee_rate=Decimal("0.2"))
    op = refused(made, scripted)  # 6.00
    launched(made, places=5, key="other")
    outbox.carry_out_due()
    with pytest.raises(Conflict, match=r"may cost \$6.00, but only \$2.00"):
        outbox.retry(op.pk, actor_id=user().pk)
    op.refresh_from_db()
    assert (op.status, scripted.calls.count("publish")) == (OpStatus.REFUSED, 2)
    assert sorted(stages()) == [Stage.FAILED, Stage.OPEN]


def test_a_refused_extension_is_asked_for_again_only_within_the_budget(
    made: Campaign, scripted: Scripted
):
    scripted.can, ada = Scripted(places_at_most=None).can, user()
    batch = launched(made, places=5)
    outbox.carry_out_due()
    scripted.will("add_places", NO_MONEY)
    more(batch, 5)
    outbox.carry_out_due()
    op = Operation.objects.get(status=OpStatus.REFUSED)
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal("9.00"), fee_rate=Decimal("0.2"))
    with pytest.raises(Conflict, match="budget"):
        outbox.retry(op.pk, actor_id=ada.pk)
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal("12.00"))
    outbox.retry(op.pk, actor_id=ada.pk)
    outbox.carry_out_due()
    assert Posting.objects.get().places == 10
