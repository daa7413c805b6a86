"""Rows that are added and changed by statements that are written once: as the ORM would."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Assignment, ChangeMark, Judgment, LedgerEntry, Slot
from annotate.models.base import ImmutableError
from annotate.services import written_rows
from annotate.services.work import assignment_states, slots
from annotate.services.written_rows import RowChange
from tests.factories import campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Status = Assignment.Status


def stored(row: Any) -> dict[str, Any]:
    """Return all columns of a row but for its key, as the database has them."""
    return type(row).objects.filter(pk=row.pk).values().get() | {"id": None}


RESPONSE = {
    "overall": 1,
    "edit": "„it’s“ 100 % \\ 'so' \x1f 😀",
    "none": None,
    "deep": [{"a": [1.5]}],
}


def of_judgment() -> Judgment:
    done = Judgment.objects.latest("pk")
    task = leased(person(done.campaign, "other"))
    return Judgment(
        assignment=task,
        campaign=done.campaign,
        output=task.output,
        annotator=task.annotator,
        instrument=done.instrument,
        instrument_version="1",
        response=RESPONSE,
        submitted_at=done.submitted_at,
        elapsed_seconds=12.25,
        active_seconds=None,
    )


def of_ledger() -> LedgerEntry:
    row = LedgerEntry.objects.latest("pk")
    return LedgerEntry(
        campaign=row.campaign,
        participation=row.participation,
        kind=LedgerEntry.Kind.BONUS,
        amount=Decimal("1234567.89"),
        fee=Decimal("0.05"),
        key="bonus:%s",
        reason="100 % 'yes'; DROP TABLE --",
        at=row.at,
    )


# What differs because the rows of the test are made anew after the rollback.
ANEW = {"assignment_id", "annotator_id", "at"}


@pytest.mark.parametrize("make", [of_judgment, of_ledger])
def test_a_row_is_stored_as_by_the_orm(make):
    judge(person(campaign(items=4)))
    with transaction.atomic():
        row = make()
        row.save()
        expected = stored(row)
        transaction.set_rollback(True)
    again = make()
    assert written_rows.add(again) is again
    mine = stored(again)
    assert mine.keys() == expected.keys()
    for name in expected.keys() - ANEW:
        assert mine[name] == expected[name], name
    assert again.pk == type(again).objects.latest("pk").pk


def test_what_is_added_is_a_row_like_others():
    study = campaign(items=4)
    mark = written_rows.add(ChangeMark(campaign_id=study.pk, reason="hand"))
    mark.refresh_from_db()
    assert mark.at <= timezone.now()  # the default of a field
    judge(person(study))
    fact = written_rows.add(of_ledger())
    with pytest.raises(ImmutableError):
        fact.save()
    assert model_to_dict(fact) == model_to_dict(LedgerEntry.objects.get(pk=fact.pk))


def test_a_constraint_ends_the_transaction_as_in_the_orm():
    judge(person(campaign(items=4)))
    row = LedgerEntry.objects.get()
    again = of_ledger()
    again.key = row.key
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            written_rows.add(again)
        assert connection.needs_rollback
    assert LedgerEntry.objects.count() == 1


def test_a_second_row_takes_no_further_statement_than_its_own():
    study = campaign(items=4)
    written_rows.add(ChangeMark(campaign_id=study.pk, reason="one"))
    with CaptureQueriesContext(connection) as captured:
        written_rows.add(ChangeMark(campaign_id=study.pk, reason="two"))
    (sent,) = captured.captured_queries
    assert sent["sql"].startswith("EXECUTE")


def test_a_slot_is_taken_once():
    study = campaign(items=4)
    first, second = leased(person(study, "p1")), leased(person(study, "p2"))
    slot = Slot.objects.filter(assignment=None).first()
    Slot.objects.filter(assignment__in=[first.pk, second.pk]).update(assignment=None)
    assert slots.take(slot.pk, first.pk)
    assert not slots.take(slot.pk, second.pk)
    slot.refresh_from_db()
    assert slot.assignment_id == first.pk


def test_a_task_is_handed_in_once_and_only_while_it_is_leased():
    task, now = leased(person(campaign(items=4))), timezone.now()
    given = {"ended_at": now, "signals": {"pastes": 2}}
    assert assignment_states.hand_in(task.pk, Status.VERIFIED, **given)
    assert not assignment_states.hand_in(task.pk, Status.SUBMITTED, **given)
    task.refresh_from_db()
    assert (task.status, task.ended_at, task.signals) == ("verified", now, {"pastes": 2})


@pytest.mark.parametrize("to", [Status.EXPIRED, Status.RETURNED, Status.LEASED])
def test_what_is_handed_in_has_two_states(to):
    with pytest.raises(ValueError, match="does not become"):
        assignment_states.hand_in(1, to, ended_at=timezone.now(), signals=None)


def test_no_signals_are_null_and_not_a_json_null():
    task = leased(person(campaign(items=4)))
    assignment_states.hand_in(task.pk, Status.VERIFIED, ended_at=timezone.now(), signals=None)
    assert Assignment.objects.filter(pk=task.pk, signals__isnull=True).exists()


def test_a_change_takes_a_value_for_each_field():
    change = RowChange(Slot, sets=("assignment",), where=("id",))
    with pytest.raises(ValueError, match="argument"):
        change.make(1)
