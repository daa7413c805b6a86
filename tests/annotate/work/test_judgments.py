"""What becomes of a submitted response (data rules 1, 4, 5, 6)."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotate.common.errors import Gone, Invalid
from annotate.models import Assignment, ChangeMark, Draft, Judgment, LedgerEntry
from annotate.pay import ledger
from annotate.work import leasing, submitting
from tests.factories import GOOD, campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def expire_all(campaign_id: int) -> None:
    leasing.expire_due(campaign_id, now=timezone.now() + timedelta(hours=1))


def test_late_work_beyond_the_cap_is_compensated_though_its_place_is_free():
    study = campaign(items=3, systems=("alpha",), double_share=0, annotator_cap=1)
    slow, other = person(study, "slow"), person(study, "other")
    lost = leased(slow)
    expire_all(study.pk)
    taken = leased(other)
    assert taken.output_id == lost.output_id
    assert judge(slow).counts
    leasing.give_back(taken.pk, participation_id=other.pk)
    receipt = submitting.submit_judgment(lost.pk, participation_id=slow.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, study.reward)
    assert LedgerEntry.objects.filter(kind="compensation").count() == 1


def test_an_assignment_earns_once():
    study = campaign()
    judge(person(study))
    with pytest.raises(IntegrityError), transaction.atomic():
        ledger.earn_task(
            Assignment.objects.get(), campaign=study, kind=LedgerEntry.Kind.COMPENSATION
        )
    assert LedgerEntry.objects.count() == 1


def test_a_response_that_is_not_complete_changes_nothing():
    who = person(campaign())
    mine = leased(who)
    ChangeMark.objects.all().delete()
    with pytest.raises(Invalid) as refused:
        submitting.submit_judgment(mine.pk, participation_id=who.pk, raw={"fluency": 1})
    assert "overall" in refused.value.errors
    mine.refresh_from_db()
    assert mine.status == Assignment.Status.LEASED
    assert not Judgment.objects.exists()
    assert not ChangeMark.objects.exists()


def test_a_judgment_keeps_what_the_server_knows():
    study = campaign()
    who = person(study)
    mine = leased(who)
    Assignment.objects.filter(pk=mine.pk).update(leased_at=timezone.now() - timedelta(seconds=90))
    submitting.submit_judgment(
        mine.pk,
        participation_id=who.pk,
        active_seconds=40.0,
        raw=GOOD | {"elapsed_seconds": 1, "distance": 99, "reward": 50},
    )
    judgment = Judgment.objects.get()
    assert 90 <= judgment.elapsed_seconds < 120
    assert judgment.active_seconds == 40.0
    assert judgment.response == GOOD | {"distance": 0}
    assert judgment.instrument_version == study.instrument_version
    assert LedgerEntry.objects.get().amount == study.reward


def test_a_failure_while_paying_leaves_no_judgment(monkeypatch):
    who = person(campaign())
    mine = leased(who)

    def fail(*args, **kwargs):
        raise RuntimeError("the ledger is on fire")

    monkeypatch.setattr(ledger, "earn_task", fail)
    with pytest.raises(RuntimeError):
        submitting.submit_judgment(mine.pk, participation_id=who.pk, raw=GOOD)
    mine.refresh_from_db()
    assert mine.status == Assignment.Status.LEASED
    assert not Judgment.objects.exists()


def test_a_draft_outlives_its_lease_and_ends_with_the_submit():
    study = campaign()
    who = person(study)
    mine = leased(who)
    submitting.save_draft(mine.pk, participation_id=who.pk, revision=0, data={"fluency": 1})
    expire_all(study.pk)
    submitting.save_draft(mine.pk, participation_id=who.pk, revision=1, data=GOOD)
    assert submitting.submit_judgment(mine.pk, participation_id=who.pk, raw=GOOD).counts
    assert not Draft.objects.exists()
    with pytest.raises(Gone):
        submitting.save_draft(mine.pk, participation_id=who.pk, revision=2, data=GOOD)
    assert not Draft.objects.exists()
