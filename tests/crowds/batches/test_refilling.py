"""Gaps of a closing campaign are offered to new people, within what was confirmed."""

import pytest

from annotate.campaigns import life
from annotate.crowds import outbox, reconciling
from annotate.models import Batch, Campaign, Operation, Posting, Slot
from annotate.models.base import CloseReason
from tests.crowds.batches.launching import came, launched
from tests.crowds.scripted import Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind, OpStatus, Stage = Operation.Kind, Operation.Status, Posting.Status


def closing(made: Campaign, *, gaps: int = 3, places: int = 20) -> Batch:
    """A campaign that is closing with so many free wanted places and nobody at work."""
    batch = launched(made, places=places)
    outbox.carry_out_due()
    life.close(made.pk, CloseReason.HAND)
    made.systems.update(stop_position=gaps // 2 + 1)
    wanted = list(Slot.objects.filter(campaign=made, position__lt=gaps // 2 + 1))
    Slot.objects.filter(pk__in=[slot.pk for slot in wanted[gaps:]]).delete()
    outbox.carry_out_due()
    return batch


def drained() -> None:
    Posting.objects.filter(status=Stage.DRAINING).update(status=Stage.CLOSED)


def test_gaps_are_offered_to_new_people(made: Campaign, scripted: Scripted):
    closing(made, gaps=3)
    posting = reconciling.refill(made.pk)
    assert posting is not None
    assert posting.places == 2  # of two tasks each
    assert reconciling.refill(made.pk) is None  # one at a time
    outbox.carry_out_due()
    posting.refresh_from_db()
    assert posting.status == Stage.OPEN


def test_people_at_work_fill_gaps_first(made: Campaign, scripted: Scripted):
    batch = closing(made, gaps=3)
    who = came(batch.postings.all()[0], "a")
    posting = reconciling.refill(made.pk)
    assert posting is not None
    assert posting.places == 1
    Operation.objects.filter(posting=posting).delete()
    posting.delete()
    came(batch.postings.all()[0], "b")
    assert reconciling.refill(made.pk) is None
    who.delete()
    assert reconciling.refill(made.pk) is not None


def test_a_gap_is_offered_twice_at_most(made: Campaign, scripted: Scripted):
    closing(made, gaps=2)
    for _ in range(2):
        posting = reconciling.refill(made.pk)
        assert posting is not None
        Posting.objects.filter(pk=posting.pk).update(status=Stage.CLOSED)
    assert reconciling.refill(made.pk) is None


def test_gaps_cost_no_more_units_than_were_confirmed(made: Campaign, scripted: Scripted):
    batch = closing(made, gaps=6, places=3)
    came(batch.postings.all()[0], "a", status="approved")
    came(batch.postings.all()[0], "b", status="left")
    posting = reconciling.refill(made.pk)
    assert posting is not None
    assert posting.places == 2


def test_only_a_closing_campaign_is_refilled(made: Campaign, scripted: Scripted):
    launched(made)
    drained()
    assert reconciling.refill(made.pk) is None
    closed = campaign(crowd="mturk")
    life.close(closed.pk, CloseReason.HAND)
    assert reconciling.refill(closed.pk) is None  # never had a batch


def test_finishing_stops_a_refill(made: Campaign, scripted: Scripted):
    closing(made)
    posting = reconciling.refill(made.pk)
    assert posting is not None
    outbox.carry_out_due()
    life.finish(made.pk)
    outbox.carry_out_due()
    posting.refresh_from_db()
    assert posting.status == Stage.DRAINING
