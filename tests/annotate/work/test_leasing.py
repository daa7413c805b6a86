"""Who gets which output, and who gets none (data rules 6 to 9)."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.campaigns import life, progress
from annotate.common.errors import Gone
from annotate.models import Assignment, AuditEntry, ChangeMark, LedgerEntry, Participation, Slot
from annotate.models.base import CloseReason
from annotate.work import leasing, submitting
from tests.factories import GOOD, campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def expire(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )


def test_prefetch_gives_a_second_and_no_third():
    who = person(campaign())
    first = leased(who)
    second = leasing.lease_ahead(who.pk, after=first.pk)
    assert isinstance(second, Assignment)
    assert second.output_id != first.output_id
    assert leasing.lease_ahead(who.pk, after=second.pk) == first
    assert leasing.lease_ahead(who.pk, after=first.pk) == second


def positions(who: Participation) -> list[int]:
    """Judge until nothing is left; return where each task stood in the order of the items."""
    found = []
    while isinstance(got := leasing.lease(who.pk), Assignment):
        found.append(got.output.item.position)
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=GOOD)
    return found


def test_outputs_are_leased_in_the_order_of_their_items():
    study = campaign(items=4, systems=("alpha",), double_share=0)
    assert positions(person(study)) == [0, 1, 2, 3]


@pytest.mark.slow
def test_a_person_gets_an_item_again_only_after_ten_others():
    study = campaign(items=30, double_share=0, annotator_cap=None)
    found = positions(person(study))
    assert sorted(found) == sorted([*range(30), *range(30)])
    assert found[:12] == [*range(11), 0]
    for place, one in enumerate(found[:-20]):  # towards the end nothing else is free
        assert one not in found[place + 1 : place + 11]


def test_what_one_person_passes_over_goes_to_the_next():
    study = campaign(items=30, double_share=0, annotator_cap=None)
    first, second = person(study), person(study, "p2")
    for _ in range(5):
        judge(first)
    assert [leased_position(second) for _ in range(5)] == [0, 1, 2, 3, 4]


def leased_position(who: Participation) -> int:
    got = leasing.lease(who.pk)
    submitting.submit_judgment(got.pk, participation_id=who.pk, raw=GOOD)
    return got.output.item.position


def test_an_item_is_not_passed_over_for_one_that_is_far():
    """The order would be left: nothing is free within 50 positions but the same item's outputs."""
    study = campaign(items=60, double_share=0, annotator_cap=None)
    who = person(study)
    judge(who)
    near = Slot.objects.filter(campaign=study, position__range=(1, 50))
    near.delete()
    assert leased_position(who) == 0
    assert leased_position(who) == 51


def test_nobody_judges_an_output_twice_though_it_is_planned_twice():
    study = campaign(items=2, systems=("alpha",), double_share=1)
    who = person(study)
    outputs = {judge(who).judgment_id for _ in range(2)}
    assert len(outputs) == 2
    assert leasing.lease(who.pk).reason == "waiting"
    assert Slot.objects.filter(assignment=None).count() == 2


def test_the_cap_ends_an_annotators_work():
    study = campaign(annotator_cap=2)
    who = person(study)
    judge(who)
    judge(who)
    refusal = leasing.lease(who.pk)
    assert (refusal.reason, refusal.final) == ("cap", True)


def test_the_budget_counts_open_leases_and_fees():
    study = campaign(reward=Decimal("0.10"), fee_rate=Decimal("0.20"), budget=Decimal("0.25"))
    leased(person(study, "a"))
    judge(person(study, "b"))
    assert leasing.lease(person(study, "c").pk).reason == "budget"


def test_an_expired_lease_goes_back_to_the_front():
    study = campaign(items=3, systems=("alpha",), double_share=0)
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    judge(quick)
    expire(lost)
    assert leased(quick).output_id == lost.output_id
    lost.refresh_from_db()
    assert lost.status == Assignment.Status.EXPIRED
    assert AuditEntry.objects.filter(verb="expired", subject=f"assignment:{lost.pk}").exists()


def test_a_returned_lease_goes_to_somebody_else():
    study = campaign(items=2, systems=("alpha",), double_share=0)
    first, second = person(study, "first"), person(study, "second")
    given = leased(first)
    leasing.give_back(given.pk, participation_id=first.pk)
    assert leased(first).output_id != given.output_id
    assert leased(second).output_id == given.output_id


def test_an_open_page_cannot_hold_a_text_forever():
    who = person(campaign())
    assignment = leased(who)
    long_ago = timezone.now() - timedelta(hours=2, minutes=50)
    Assignment.objects.filter(pk=assignment.pk).update(leased_at=long_ago)
    until = leasing.heartbeat(assignment.pk, participation_id=who.pk)
    assert until == long_ago + timedelta(hours=3)


def test_a_refusal_for_money_is_final_once_no_running_work_can_free_any():
    study = campaign(reward=Decimal("0.40"), budget=Decimal("0.40"))
    holder, waiting = person(study, "holder"), person(study, "waiting")
    running = leased(holder)
    assert not leasing.lease(waiting.pk).final
    submitting.submit_judgment(running.pk, participation_id=holder.pk, raw=GOOD)
    assert leasing.lease(waiting.pk).final


def test_late_work_counts_while_its_slot_is_free():
    who = person(campaign())
    assignment = leased(who)
    expire(assignment)
    leasing.expire_due(assignment.campaign_id, now=timezone.now())
    receipt = submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw=GOOD)
    assert receipt.counts
    assert LedgerEntry.objects.get().kind == LedgerEntry.Kind.REWARD


def test_late_work_of_a_campaign_that_is_over_is_compensated_and_changes_no_final_estimate():
    study = campaign()
    who, other = person(study), person(study, "other")
    judge(other)
    assignment = leased(who)
    judge(other)  # the slot that is given up lies before the end of the sample
    expire(assignment)
    leasing.expire_due(study.pk, now=timezone.now())
    life.close(study.pk, CloseReason.HAND)
    assert progress.free(study.pk).filter(output=assignment.output_id).exists()
    life.finish(study.pk)
    receipt = submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, study.reward)
    assert not Slot.objects.filter(assignment=assignment).exists()


def test_late_work_is_kept_and_compensated_when_its_slot_is_taken():
    study = campaign(items=1, systems=("alpha",), double_share=0)
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    expire(lost)
    judge(quick)
    receipt = submitting.submit_judgment(lost.pk, participation_id=slow.pk, raw=GOOD)
    assert not receipt.counts
    assert receipt.earned == study.reward
    assert set(LedgerEntry.objects.values_list("kind", flat=True)) == {"reward", "compensation"}
    assert Slot.objects.filter(assignment__isnull=False).count() == 1


def test_late_work_beyond_the_budget_is_kept_and_left_to_the_researcher():
    study = campaign(
        items=1, systems=("alpha",), double_share=0, reward=Decimal("0.40"), budget=Decimal("0.40")
    )
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    expire(lost)
    judge(quick)
    receipt = submitting.submit_judgment(lost.pk, participation_id=slow.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, 0)
    assert AuditEntry.objects.filter(verb="compensation_needed").count() == 1


def test_late_work_does_not_lift_the_cap():
    study = campaign(annotator_cap=1)
    who = person(study)
    lost = leased(who)
    expire(lost)
    leasing.expire_due(study.pk, now=timezone.now())
    judge(who)
    with pytest.raises(Gone):
        # The same output was leased again and judged, so the old lease is over for good.
        submitting.submit_judgment(lost.pk, participation_id=who.pk, raw=GOOD)


def test_a_paused_campaign_leases_nothing_but_takes_running_work():
    study = campaign()
    who = person(study)
    running = leased(who)
    life.pause(study.pk)
    assert leasing.lease(person(study, "new").pk).reason == "paused"
    assert submitting.submit_judgment(running.pk, participation_id=who.pk, raw=GOOD).counts


def test_every_change_of_evidence_leaves_a_mark():
    study = campaign()
    ChangeMark.objects.all().delete()
    who = person(study)
    judge(who)
    assignment = leased(who)
    leasing.give_back(assignment.pk, participation_id=who.pk)
    reasons = list(ChangeMark.objects.order_by("pk").values_list("reason", flat=True))
    assert reasons == ["judgment", "returned"]


def test_late_work_beyond_the_cap_is_compensated_though_its_place_is_free():
    study = campaign(items=3, systems=("alpha",), double_share=0, annotator_cap=1)
    slow, other = person(study, "slow"), person(study, "other")
    lost = leased(slow)
    leasing.expire_due(study.pk, now=timezone.now() + timedelta(hours=1))
    taken = leased(other)
    assert taken.output_id == lost.output_id
    assert judge(slow).counts
    leasing.give_back(taken.pk, participation_id=other.pk)
    receipt = submitting.submit_judgment(lost.pk, participation_id=slow.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (False, study.reward)
    assert LedgerEntry.objects.filter(kind="compensation").count() == 1
