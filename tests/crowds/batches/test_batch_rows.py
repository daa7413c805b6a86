"""What researchers see of their batches."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.crowds import batches, outbox, people
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import from_json
from annotate.crowds.queries import Units
from annotate.models import Campaign, LedgerEntry, Operation, Participation, Payout, Posting
from tests.crowds.batches.launching import STORED, came, launched
from tests.crowds.scripted import LOST, NO_MONEY, Scripted

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def test_units_are_counted_for_each_posting_and_in_sum(made: Campaign, scripted: Scripted):
    batch = launched(made, places=14)
    outbox.carry_out_due()
    first, second = batch.postings.all()
    for n, status in enumerate(("active", "handed_in", "confirmed", "approved", "approved")):
        came(first, f"a{n}", status)
    for n, status in enumerate(("rejected", "left", "left")):
        came(second, f"b{n}", status)
    (row,) = crowds_queries.of_campaign(made.pk)
    assert [posting.units for posting in row.postings] == [
        Units(7, 2, accepted=1, handed_in=1, confirmed=1, approved=2),
        Units(7, 6, rejected=1, left=2),
    ]
    assert row.units == Units(14, 8, 1, 1, 1, 2, 1, 2)
    terms = people.applied(STORED, made)
    assert from_json(row.batch.terms) == terms
    Posting.objects.filter(pk=first.pk).update(available=5)  # the crowd knows better
    assert crowds_queries.of_campaign(made.pk)[0].units.available == 11
    Posting.objects.filter(pk=first.pk).update(status="closed")  # so nobody is at it there
    (closed, _second) = crowds_queries.of_campaign(made.pk)[0].postings
    assert (closed.units.accepted, closed.units.left) == (0, 1)


def test_stopped_postings_have_nothing_available(made: Campaign, scripted: Scripted):
    batch = launched(made, places=5)
    outbox.carry_out_due()
    batches.stop(batch.pk, actor_id=None)
    outbox.carry_out_due()
    (row,) = crowds_queries.of_campaign(made.pk)
    assert (row.units.available, row.batch.stopped_at is None, row.is_over) == (0, False, False)
    Posting.objects.update(status=Posting.Status.CLOSED)
    assert crowds_queries.of_campaign(made.pk)[0].is_over


def test_what_is_stuck_comes_with_what_to_do(made: Campaign, scripted: Scripted):
    scripted.will("publish", LOST, NO_MONEY)
    launched(made, places=14)
    outbox.carry_out_due()
    (row,) = crowds_queries.of_campaign(made.pk)
    refused, sent = crowds_queries.operations_told(made.pk)
    assert (refused.status, refused.code, refused.needs_a_person) == ("refused", "funds", True)
    assert refused.remedy.startswith("Top up")
    assert refused.posting == row.postings[1].posting
    assert (sent.status, sent.needs_a_person) == ("sent", False)
    assert "checks whether it happened" in sent.remedy
    Operation.objects.filter(pk=sent.pk).update(status="unclear", code="unclear")
    assert "say so" in crowds_queries.operation(made.pk, sent.pk).remedy


def test_money_is_what_was_confirmed_what_is_paid_and_what_is_due(
    made: Campaign, scripted: Scripted
):
    batch = launched(made, places=5)  # 5 × 1.00 + 20 %
    total = batches.offer_more(batch.pk, places=2).total
    batches.extend(batch.pk, 2, actor_id=None, confirmed=total, key="more")
    who = came(batch.postings.all()[0], "a", "approved")
    for key, amount in (("1", "0.50"), ("2", "0.50")):
        LedgerEntry.objects.create(
            campaign=made, participation=who, kind="reward", amount=amount, fee="0.10", key=key
        )
    Payout.objects.create(participation=who, amount="0.75", key="approve")
    (row,) = crowds_queries.of_campaign(made.pk)
    assert (row.confirmed, row.paid, row.due) == (Decimal("8.40"), Decimal("0.75"), Decimal("0.25"))


def test_the_next_deadline_is_of_work_that_nobody_has_decided_about(
    made: Campaign, scripted: Scripted
):
    batch, now = launched(made, places=5), timezone.now()
    for name, status, days in (("a", "confirmed", 5), ("b", "confirmed", 3), ("c", "approved", 1)):
        who = came(batch.postings.all()[0], name, status)
        Participation.objects.filter(pk=who.pk).update(auto_approval_at=now + timedelta(days=days))
    assert crowds_queries.of_campaign(made.pk)[0].next_auto_approval == now + timedelta(days=3)
