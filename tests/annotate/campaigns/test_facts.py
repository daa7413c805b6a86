"""Facts are added, never changed; and constraints stand behind the services (data rules 1, 5)."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotate.campaigns import totals
from annotate.common import audit
from annotate.common import marks as common_marks
from annotate.models import (
    Assignment,
    AuditEntry,
    Campaign,
    CampaignTotals,
    ChangeMark,
    Judgment,
    LedgerEntry,
    Score,
    Slot,
)
from annotate.models.base import ImmutableError
from annotate.pay import tallies
from tests.factories import campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

FACTS = (Judgment, Score, LedgerEntry, AuditEntry)


@pytest.fixture
def judged() -> Judgment:
    receipt = judge(person(campaign()))
    judgment = Judgment.objects.get(pk=receipt.judgment_id)
    Score.objects.get_or_create(judgment=judgment, criterion="overall", defaults={"value": 1.0})
    return judgment


@pytest.mark.parametrize("model", FACTS)
def test_a_fact_is_neither_changed_nor_deleted(judged, model):
    fact = model.objects.first()
    n_facts = model.objects.count()
    for act in (fact.save, fact.delete, model.objects.all().delete, model.objects.filter().delete):
        with pytest.raises(ImmutableError):
            act()
    with pytest.raises(ImmutableError):
        model.objects.filter(pk=fact.pk).update(pk=0)
    with pytest.raises(ImmutableError), transaction.atomic():
        model.objects.bulk_update([fact], [model._meta.fields[-1].name])
    assert model.objects.count() == n_facts


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e7"])
def test_the_database_refuses_a_score_that_is_no_number(judged, value):
    with pytest.raises(IntegrityError), transaction.atomic():
        Score.objects.create(judgment=judged, criterion="new", value=float(value))


def raw_insert(instance) -> None:
    """Insert a copy of a row past every service and every `save`."""
    table = connection.ops.quote_name(instance._meta.db_table)
    columns = [f.column for f in instance._meta.concrete_fields if not f.primary_key]
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) SELECT {names} FROM {table} WHERE id = %s",
            [instance.pk],
        )


@pytest.mark.parametrize("model", [Judgment, Score, LedgerEntry, Slot, Assignment])
def test_a_second_row_for_the_same_reason_is_refused(judged, model):
    held = {"assignment__isnull": False} if model is Slot else {}
    with pytest.raises(IntegrityError):
        raw_insert(model.objects.filter(**held).first())


def test_an_ended_lease_may_be_followed_by_another_on_the_same_output():
    who = person(campaign())
    first = leased(who)
    Assignment.objects.filter(pk=first.pk).update(status=Assignment.Status.EXPIRED)
    raw_insert(first)
    Assignment.objects.filter(pk=first.pk).update(status=Assignment.Status.EXPIRED)


def test_an_entry_of_the_log_has_its_act_and_its_subject():
    study = campaign()
    audit.record("look", campaign_id=study.pk, subject="system:alpha", because="curious")
    entry = AuditEntry.objects.first()
    assert (entry.verb, entry.subject, entry.detail) == (
        "look",
        "system:alpha",
        {"because": "curious"},
    )
    assert timezone.now() - entry.at < timedelta(minutes=1)


def test_money_is_added_to_the_cent_on_every_database():
    study = campaign(budget=Decimal("1.00"), reward=Decimal("0.10"))
    who = person(study)
    for number in range(10):  # ten times 0.1 is 0.9999999999999999 where cents are floats
        LedgerEntry.objects.create(
            campaign=study,
            participation=who,
            kind="reward",
            key=f"test:{number}",
            amount=Decimal("0.10"),
            fee=Decimal("0.00"),
        )
    totals.recount(study.pk)
    assert str(CampaignTotals.objects.get(pk=study.pk).spent) == "1.00"
    assert str(tallies.earned(who.pk)[0]) == "1.00"


def test_marks_are_cleared_once_however_many_there_are():
    study = Campaign.objects.get(pk=campaign().pk)
    ChangeMark.objects.all().delete()
    ChangeMark.objects.bulk_create(
        ChangeMark(campaign=study, reason="judgment") for _ in range(1203)
    )
    marks = list(ChangeMark.objects.values_list("pk", flat=True))
    assert common_marks.clear(marks)
    assert not ChangeMark.objects.exists()
    assert not common_marks.clear(marks)
    assert common_marks.clear([])
