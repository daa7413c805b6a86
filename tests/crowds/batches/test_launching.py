"""Launching on real far sides: whatever breaks on the way, what was confirmed exists once."""

from decimal import Decimal

import pytest

from annotate.campaigns import life
from annotate.crowds import adapters, batches, outbox
from annotate.crowds.contract import Terms
from annotate.models import Batch, Operation, Posting
from annotate.models.base import CloseReason
from tests.crowds.batches.launching import stages
from tests.crowds.contract import faults, takes_nobody
from tests.crowds.far_side import FarSide, Fault
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
TERMS = Terms("Rate short texts", "Read each text and rate it.", tasks=3)
Stage = Posting.Status


@pytest.fixture
def here(far: FarSide, monkeypatch: pytest.MonkeyPatch) -> FarSide:
    """A far side that our settings name."""
    crowd = far.adapter()
    monkeypatch.setattr(adapters, "marketplace", lambda _crowd: crowd)
    far.balance = Decimal("1000.00")
    return far


def launched(far: FarSide, places: int = 20) -> Batch:
    made = campaign(crowd=far.adapter().key, reward=Decimal("0.50"), items=30)
    found = batches.offer(made.pk, TERMS, places=places)
    assert not found.problems, found.problems
    return batches.launch(
        made.pk, TERMS, places=places, actor_id=None, confirmed=found.total, key="k"
    )


def work(clock, minutes: int = 20) -> None:
    """Let the worker sweep until nothing is left to do."""
    for _ in range(minutes):
        outbox.carry_out_due(within=60)
        if not Operation.objects.filter(status__in=Operation.OPEN).exists():
            return
        clock.move(minutes=1)
    raise AssertionError(list(Operation.objects.values_list("kind", "status", "message")))


def places_there(far: FarSide) -> int:
    crowd = far.adapter()
    return sum(crowd.posting_level(listing).places for listing in far.postings())


@faults
def test_a_launch_interrupted_anywhere_is_there_once(here: FarSide, clock, fault: Fault):
    here.fail_next("publish", fault)
    launched(here, places=5)
    outbox.carry_out_due(within=60)
    here.heal()
    clock.move(minutes=1)
    work(clock)
    assert stages() == [Stage.OPEN]
    assert len(here.postings()) == 1
    assert places_there(here) == 5


@faults
def test_stopping_interrupted_anywhere_stops(here: FarSide, clock, fault: Fault):
    batch = launched(here, places=5)
    work(clock)
    here.fail_next("stop", fault)
    life.close(batch.campaign_id, CloseReason.HAND)
    outbox.carry_out_due(within=60)
    here.heal()
    work(clock)
    (listing,) = here.postings()
    assert stages() == [Stage.DRAINING]
    assert takes_nobody(here, listing)


def test_more_places_are_there_once(here: FarSide, clock):
    batch = launched(here, places=5)
    work(clock)
    total = batches.offer_more(batch.pk, places=4).total
    here.fail_next("add_places", Fault.AFTER)
    here.fail_next("publish", Fault.AFTER)
    batches.extend(batch.pk, 4, actor_id=None, confirmed=total, key="more")
    outbox.carry_out_due(within=60)
    here.heal()
    clock.move(minutes=1)
    work(clock)
    assert places_there(here) == 9
    assert sum(Posting.objects.values_list("places", flat=True)) == 9
