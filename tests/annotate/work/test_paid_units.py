"""Paid units of a marketplace: accepted, worked on, handed in; promised money is kept free."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.campaigns import contents_api as campaigns_api
from annotate.campaigns import exports, facts, life, progress
from annotate.campaigns.contents_api import JudgmentSerializer
from annotate.common.errors import Conflict, Gone
from annotate.crowds import reconciling
from annotate.models import Assignment, Campaign, LedgerEntry, Participation, Slot
from annotate.models.base import CloseReason
from annotate.pay import budget, tallies
from annotate.review import evidence
from annotate.work import admission, leasing, participations, scoring, submitting, units
from tests.annotate.market import SITE, arrive, overdue, posting, study
from tests.annotate.work.pages.working import expire
from tests.factories import GOOD, judge, leased, person

Status, Unit = Assignment.Status, Participation.Status

pytestmark = pytest.mark.django_db


def nothing(who: Participation) -> admission.NoTask:
    got = leasing.lease(who.pk)
    assert isinstance(got, admission.NoTask), got
    return got


def submit(task: Assignment, who: Participation) -> submitting.Receipt:
    return submitting.submit_judgment(task.pk, participation_id=who.pk, raw=GOOD)


def left(who: Participation) -> None:
    """What settling does when a unit was given back."""
    leasing.end_leases(Assignment.objects.filter(participation=who), now=timezone.now())
    assert participations.move(who.pk, Unit.LEFT, sources=[Unit.ACTIVE, Unit.HANDED_IN])
    lost = Assignment.objects.filter(participation=who, status=Status.SUBMITTED)
    Slot.objects.filter(assignment__in=lost).update(assignment=None)
    lost.update(status=Status.RETURNED)


# ---- arriving --------------------------------------------------------------------------------


def test_who_accepts_a_unit_gets_a_participation_of_its_terms():
    there = posting(tasks=3, duration=timedelta(minutes=40))
    before = timezone.now()
    who = arrive(there)
    assert (who.tasks, who.listing, who.submit_to) == (3, "HIT1", SITE)
    assert (who.status, who.verified_at, who.posting) == (Unit.ACTIVE, None, there)
    assert len(who.receipt) == 32
    assert before <= who.deadline_at - timedelta(minutes=40) <= timezone.now()
    assert (who.annotator.crowd, who.annotator.environment) == ("mturk", "sandbox")


def test_coming_again_is_the_same_participation_and_its_time_runs_on():
    there = posting()
    first = arrive(there)
    again = arrive(there, verified=True)
    assert (again.pk, again.receipt, again.deadline_at) == (
        first.pk,
        first.receipt,
        first.deadline_at,
    )
    assert again.verified_at is not None


def test_the_same_person_accepts_the_same_unit_again_after_giving_it_back():
    there = posting(tasks=2)
    who = arrive(there)
    submit(leased(who), who)
    overdue(who)
    left(who)
    assert nothing(who).reason == "left"
    again = arrive(there)
    assert (again.pk, again.status) == (who.pk, Unit.ACTIVE)
    assert again.deadline_at > timezone.now()
    judge(again)
    judge(again)  # what was lost with the unit is not among its tasks
    assert nothing(again).reason == "done"


def test_time_that_was_over_begins_again_for_who_accepts_again():
    there = posting()
    who = arrive(there)
    overdue(who)
    assert nothing(who).reason == "time"
    assert arrive(there).deadline_at > timezone.now()
    assert isinstance(leasing.lease(who.pk), Assignment)


def test_a_posting_whose_name_the_crowd_has_not_told_yet_takes_people():
    assert arrive(posting(listing="", status="planned"), listing="HIT9").listing == "HIT9"


def test_a_posting_of_another_environment_is_refused():
    there = posting(environment="production")
    with pytest.raises(Conflict) as refused:
        arrive(there)
    assert refused.value.code == "environment"


@pytest.mark.parametrize("status", ["closed", "failed"])
def test_a_closed_posting_takes_nobody_new_and_everybody_who_was_there(status):
    there = posting()
    who = arrive(there)
    type(there).objects.update(status=status)
    assert arrive(there).pk == who.pk
    with pytest.raises(Gone):
        arrive(there, "AW2", "U2")


def test_forged_units_are_capped():
    there = posting(places=2)
    for n in range(6):
        arrive(there, f"AW{n}", f"U{n}")
    with pytest.raises(Conflict) as refused:
        arrive(there, "AW9", "U9")
    assert refused.value.code == "forged"
    assert arrive(there, "AW3", "U3")  # who was there before comes back
    Participation.objects.filter(external_key="U0").update(verified_at=timezone.now())
    assert arrive(there, "AW9", "U9")


# ---- working ---------------------------------------------------------------------------------


def test_work_by_link_is_verified_at_once_and_counts():
    from tests.factories import campaign

    made = campaign()
    who = person(made)
    assert who.verified_at is not None
    judge(who)
    assert Assignment.objects.get().status == Status.VERIFIED
    scoring.ensure(made.pk)
    assert facts.scores(made.pk).output.size == 1


def test_unconfirmed_work_holds_its_place_and_does_not_count_yet():
    made = study()
    who = arrive(posting(made))
    receipt = judge(who)
    assert receipt.counts
    assert Assignment.objects.get().status == Status.SUBMITTED
    seen = progress.progress(made.pk, cap=25)
    assert (seen.judged, seen.running, seen.missing) == (0, 1, seen.planned - 1)
    assert facts.scores(made.pk).output.size == 0
    assert progress.open_leases(made.pk) == 1
    Assignment.objects.update(status=Status.VERIFIED)
    seen = progress.progress(made.pk, cap=25)
    assert (seen.judged, seen.running) == (1, 0)
    scoring.ensure(made.pk)
    assert facts.scores(made.pk).output.size == 1
    assert progress.open_leases(made.pk) == 0


def test_unconfirmed_work_is_nobodys_yardstick_and_no_export_counts_it():
    made = study()
    judge(arrive(posting(made)))
    (judgment,) = campaigns_api.judgment_rows(made, with_texts=False, ranks=False)
    scoring.ensure(made.pk)
    assert evidence.columns(made) is None
    assert not JudgmentSerializer(judgment).data["counts"]
    assert not any(row["counts"] for row in exports.scores(exports.moment(made.pk)))
    Assignment.objects.update(status=Status.VERIFIED)
    (judgment,) = campaigns_api.judgment_rows(made, with_texts=False, ranks=False)
    found = evidence.columns(made)
    assert found is not None
    assert found.annotator.size == 1
    assert JudgmentSerializer(judgment).data["counts"]
    assert all(row["counts"] for row in exports.scores(exports.moment(made.pk)))


def test_a_verified_unit_counts_at_once():
    who = arrive(posting(), verified=True)
    judge(who)
    assert Assignment.objects.get().status == Status.VERIFIED


def test_a_campaign_is_not_drained_while_work_may_still_be_confirmed():
    made = study(items=1, systems=("alpha",))
    judge(arrive(posting(made, tasks=1)))
    life.close(made.pk, CloseReason.HAND)
    system = made.systems.get()
    assert not life.drained(made.pk)
    assert progress.unfinished_items(system.pk, ranks=False) == 1
    Assignment.objects.update(status=Status.VERIFIED)
    assert life.drained(made.pk)
    assert progress.unfinished_items(system.pk, ranks=False) == 0


def test_two_tabs_of_one_unit_share_its_tasks():
    who = arrive(posting(tasks=2))
    first = leased(who)
    assert leased(who).pk == first.pk
    ahead = leasing.lease_ahead(who.pk, after=first.pk)
    assert isinstance(ahead, Assignment)
    assert ahead.pk != first.pk
    submit(first, who)
    assert leased(who).pk == ahead.pk
    assert leasing.lease_ahead(who.pk, after=ahead.pk).reason == "done"
    submit(ahead, who)
    assert nothing(who).reason == "done"


def test_two_units_of_one_person_are_leased_side_by_side():
    there = posting(tasks=2)
    one, two = arrive(there, unit="U1"), arrive(there, unit="U2")
    tasks = [
        leased(one),
        leasing.lease_ahead(one.pk, after=leased(one).pk),
        leased(two),
        leasing.lease_ahead(two.pk, after=leased(two).pk),
    ]
    assert all(isinstance(task, Assignment) for task in tasks)
    assert len({task.output_id for task in tasks}) == 4
    submit(tasks[0], one)
    assert leased(one).pk == tasks[1].pk
    assert leased(two).pk == tasks[2].pk


def test_the_cap_of_a_person_goes_over_all_their_units():
    there = posting(study(annotator_cap=3), tasks=2)
    one, two = arrive(there, unit="U1"), arrive(there, unit="U2")
    judge(one)
    judge(one)
    judge(two)
    assert nothing(two).reason == "cap"


def test_no_lease_and_no_heartbeat_goes_beyond_the_units_time():
    who = arrive(posting(duration=timedelta(minutes=10)))
    task = leased(who)
    assert task.expires_at == who.deadline_at
    assert leasing.heartbeat(task.pk, participation_id=who.pk) == who.deadline_at


def test_nothing_is_taken_late_for_a_unit_that_is_over():
    there = posting(study(items=2), tasks=2)
    who = arrive(there)
    task = leased(who)
    overdue(who)
    expire(task)
    with pytest.raises(Gone) as refused:
        submit(task, who)
    assert refused.value.code == "time"
    left(who)
    with pytest.raises(Gone) as refused:
        submit(task, who)
    assert refused.value.code == "left"


def test_late_work_is_one_of_the_tasks_while_there_is_room():
    made = study(budget=Decimal("0.40"), reward=Decimal("0.40"))
    who = arrive(posting(made, tasks=1))
    late = leased(who)
    expire(late)
    assert submit(late, who).counts  # from what the budget keeps free for this unit
    assert LedgerEntry.objects.get().kind == LedgerEntry.Kind.REWARD
    assert nothing(who).reason == "done"


def test_late_work_beyond_the_tasks_is_paid_extra():
    made = study(reward=Decimal("0.40"))
    there = posting(made, tasks=1)
    who = arrive(there)
    late = leased(who)
    expire(late)
    assert leased(arrive(there, "AW2", "U2")).output_id == late.output_id
    other = leased(who)
    receipt = submit(late, who)
    assert (receipt.counts, receipt.earned) == (False, Decimal("0.40"))
    submit(other, who)
    kinds = LedgerEntry.objects.filter(participation=who).order_by("pk")
    assert list(kinds.values_list("kind", flat=True)) == ["compensation", "reward"]
    assert participations.hand_in(who.pk)
    assert tallies.earned(who.pk)[0] == Decimal("0.80")


# ---- money -----------------------------------------------------------------------------------


def due(made: Campaign) -> tuple[Decimal, Decimal, Decimal]:
    """What is spent, what open leases cost, and what is left of the units that people are at."""
    found = budget.commitments_of(made)
    return found.spent, found.leases, found.units


def test_what_a_unit_promises_is_kept_free_until_it_is_done():
    made = study(budget=Decimal("2.00"), reward=Decimal("0.40"))
    there = posting(made, tasks=3, places=2)
    assert budget.committed(made) == Decimal("2.40"), "as soon as it is published"
    who = arrive(there)
    assert due(made) == (0, 0, Decimal("1.20"))
    leased(who)
    assert due(made) == (0, Decimal("0.40"), Decimal("1.20"))
    judge(who)
    assert due(made) == (Decimal("0.40"), 0, Decimal("0.80"))
    two = arrive(there, "AW2", "U2")  # it was published within the budget, so it is kept
    assert budget.committed(made) == Decimal("2.40")
    assert isinstance(leasing.lease(two.pk), Assignment)
    Participation.objects.filter(pk=two.pk).update(status=Unit.LEFT)
    leasing.end_leases(Assignment.objects.filter(participation=two), now=timezone.now())
    judge(who)
    judge(who)
    assert due(made) == (Decimal("1.20"), 0, 0)


def test_the_last_promised_task_is_leased_although_nothing_is_left_beside_it():
    made = study(budget=Decimal("0.80"), reward=Decimal("0.40"))
    who = arrive(posting(made, tasks=2))
    judge(who)
    assert life.limit_reached(made.pk) is None  # the second is promised, not leased
    judge(who)
    assert life.limit_reached(made.pk) == CloseReason.BUDGET


def test_a_unit_keeps_its_money_until_its_crowd_takes_it_no_more():
    """After its time somebody may still have handed it in: the crowd's lists lag behind."""
    made = study()
    who = arrive(posting(made, tasks=3))
    overdue(who)
    assert due(made) == (0, 0, Decimal("1.20"))
    assert life.limit_reached(made.pk) is None
    assert reconciling.leave(who.pk)
    assert due(made) == (0, 0, 0)


# ---- handing in ------------------------------------------------------------------------------


def test_a_unit_is_handed_in_once_when_its_tasks_are_done():
    who = arrive(posting(tasks=1))
    judge(who)
    assert participations.hand_in(who.pk)
    who.refresh_from_db()
    assert (who.status, who.handed_in_at is not None) == (Unit.HANDED_IN, True)
    assert not participations.hand_in(who.pk)
    assert nothing(who).reason == "handed_in"
    assert not LedgerEntry.objects.filter(kind=LedgerEntry.Kind.REMAINDER).exists()


@pytest.mark.parametrize(("done", "code"), [(0, "nothing"), (1, "more")])
def test_a_unit_is_not_handed_in_before_its_time(done, code):
    who = arrive(posting(tasks=2))
    for _ in range(done):
        judge(who)
    with pytest.raises(Conflict) as refused:
        participations.hand_in(who.pk)
    assert refused.value.code == code
    who.refresh_from_db()
    assert who.status == Unit.ACTIVE


def test_an_open_task_is_finished_first():
    made = study(items=2, systems=("alpha",))
    who = arrive(posting(made, tasks=3))
    judge(who)
    leased(who)
    with pytest.raises(Conflict) as refused:
        participations.hand_in(who.pk)
    assert refused.value.code == "more"


def test_what_could_not_be_done_is_paid_as_announced():
    made = study(items=2, systems=("alpha",), fee_rate=Decimal("0.2"), budget=Decimal("3.00"))
    who = arrive(posting(made, tasks=5, places=1))
    judge(who)
    judge(who)
    assert nothing(who).reason in ("waiting", "closing")
    assert participations.hand_in(who.pk)
    rest = LedgerEntry.objects.get(kind=LedgerEntry.Kind.REMAINDER)
    assert (rest.amount, rest.fee, rest.key) == (
        Decimal("1.20"),
        Decimal("0.24"),
        f"remainder:{who.pk}",
    )
    assert tallies.earned(who.pk)[0] == Decimal("2.00")
    assert budget.committed(made) == Decimal("2.40")


def test_tasks_that_were_returned_are_not_paid_as_if_they_were_not_to_be_had():
    made = study(items=3, systems=("alpha",))
    who = arrive(posting(made, tasks=4))
    judge(who)
    for _ in range(2):
        leasing.give_back(leased(who).pk, participation_id=who.pk)
    assert participations.hand_in(who.pk)
    assert units.given_back(who.pk) == 2
    assert LedgerEntry.objects.get(kind=LedgerEntry.Kind.REMAINDER).amount == made.reward


def test_work_by_link_is_never_handed_in():
    from tests.factories import campaign

    with pytest.raises(Conflict):
        participations.hand_in(person(campaign()).pk)
