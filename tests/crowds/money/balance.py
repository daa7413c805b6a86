"""What must hold between us and a far side once all faults are healed and nothing moves."""

from collections import Counter
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from annotate.campaigns import facts
from annotate.crowds.contract import Stage, Submission, UnitState
from annotate.models import (
    Assignment,
    Judgment,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    Posting,
    Slot,
)
from annotate.models.crowds import BonusPayload
from annotate.pay import tallies
from annotate.work import scoring
from tests.crowds.walk import Walk

Status = Participation.Status
Kind = Operation.Kind
STATES = {
    UnitState.SUBMITTED: Status.CONFIRMED,
    UnitState.APPROVED: Status.APPROVED,
    UnitState.REJECTED: Status.REJECTED,
}


def check(walk: Walk, *, known_before: set[str], bonuses_before: int, final: bool) -> None:
    """Check everything; the far side may have earlier stories' postings and bonuses.

    final: all deadlines have passed, so that nothing is on its way any more.
    """
    theirs = listed(walk, known_before)
    every_posting_is_made_once(walk, known_before)
    states_are_equal(walk, theirs)
    postings_stand_where_the_crowd_says(walk)
    nobody_comes_to_what_was_stopped(walk)
    nothing_is_paid_twice(walk, theirs, bonuses_before)
    no_judgment_is_lost(walk)
    nothing_unverified_counts(walk, theirs)
    if final:
        nothing_is_on_its_way(walk)


def listed(walk: Walk, known_before: set[str]) -> dict[tuple[str, str], Submission]:
    """Return all that the far side lists as handed in: by unit and person."""
    return {
        (one.unit, one.person): one
        for listing in walk.far.postings()
        if listing not in known_before
        for one in walk.crowd.iter_submissions(listing)
        if one.state in STATES
    }


def every_posting_is_made_once(walk: Walk, known_before: set[str]) -> None:
    ours = Posting.objects.filter(batch__campaign=walk.study).exclude(external_id="")
    there = [one for one in walk.far.postings() if one not in known_before]
    assert sorted(there) == sorted(ours.values_list("external_id", flat=True)), (
        "a posting was made twice, or is not known here"
    )
    for posting in ours:
        assert posting.places == walk.crowd.posting_level(posting.external_id).places


def states_are_equal(walk: Walk, theirs: dict[tuple[str, str], Submission]) -> None:
    mine = Participation.objects.filter(campaign=walk.study).select_related("annotator")
    here = {(one.external_key, one.annotator.external_id): one for one in mine}
    for key, seen in theirs.items():
        assert key in here, f"{key} was handed in there and is not known here"
        assert here[key].status == STATES[seen.state], (here[key].status, seen)
    for key, one in here.items():
        if one.status in STATES.values():
            assert key in theirs, f"{key} is {one.status} here and not handed in there"


def postings_stand_where_the_crowd_says(walk: Walk) -> None:
    for posting in _published(walk):
        there = walk.crowd.posting_level(posting.external_id).stage
        assert posting.status == there.value, (posting.status, there)


def nobody_comes_to_what_was_stopped(walk: Walk) -> None:
    """But where a person has given its stop up, or it refills a campaign that is closing."""
    for posting in _published(walk).exclude(batch__stopped_at=None):
        stop = posting.operations.filter(kind=Kind.STOP).last()
        if stop is not None and stop.status == Operation.Status.DONE:
            assert walk.crowd.posting_level(posting.external_id).stage is not Stage.OPEN


def _published(walk: Walk) -> QuerySet[Posting]:
    return Posting.objects.filter(batch__campaign=walk.study).exclude(external_id="")


def nothing_is_paid_twice(
    walk: Walk, theirs: dict[tuple[str, str], Submission], bonuses_before: int
) -> None:
    payouts = Payout.objects.filter(participation__campaign=walk.study)
    units = {
        one.participation.external_key: one.amount
        for one in payouts.filter(entry=None).select_related("participation")
    }
    paid = walk.far.paid()
    approved = {unit for (unit, _), one in theirs.items() if one.state == UnitState.APPROVED}
    assert units == {unit: paid[unit] for unit in approved}
    done = list(Operation.objects.filter(campaign=walk.study, kind=Kind.BONUS, status="done"))
    here = Counter((told.person, told.unit, told.amount) for told in map(BonusPayload.of, done))
    assert here == Counter(walk.far.bonuses()[bonuses_before:]), "a bonus was paid twice, or lost"
    assert payouts.exclude(entry=None).count() == here.total()
    entries = [op.entry_id for op in done]
    assert len(entries) == len(set(entries)), "one row of the ledger was paid twice"
    assert set(entries) == set(payouts.exclude(entry=None).values_list("entry", flat=True))
    for one in tallies.accounts_of_campaign(walk.study.pk):
        money_agrees(one)


def nobody_is_waited_for(walk: Walk, known_before: set[str]) -> None:
    """Where the crowd counts nobody at work, nobody is believed to be, once its lists are up."""
    theirs = listed(walk, known_before)
    for posting in Posting.objects.filter(batch__campaign=walk.study, status="open"):
        level = walk.crowd.posting_level(posting.external_id)
        done = sum(one.listing == posting.external_id for one in theirs.values())
        if level.stage is Stage.OPEN and level.places == level.available + done:
            here = posting.participations.filter(status__in=(Status.ACTIVE, Status.HANDED_IN))
            assert not here.exists(), "everybody has left there, and is waited for here"


def money_agrees(one: Any) -> None:
    """What the ledger says is paid, but for what cannot be paid yet."""
    unit = Participation.objects.get(pk=one.pk)
    assert one.due >= 0, f"{unit.status}: more was paid than the ledger says"
    if unit.status == Status.APPROVED:
        assert one.due == 0, "approved, and something is still due"
    elif unit.status in (Status.LEFT, Status.REJECTED):
        work = LedgerEntry.objects.filter(participation=unit).exclude(
            kind__in=("tutorial", "bonus", "compensation")
        )
        total = sum(work.values_list("amount", flat=True), Decimal(0))
        by_bonus = Payout.objects.filter(participation=unit, entry__isnull=False)
        assert total <= sum(by_bonus.values_list("amount", flat=True), Decimal(0)), (
            f"{unit.status}, and its work is still due"
        )


def no_judgment_is_lost(walk: Walk) -> None:
    kept = set(Judgment.objects.filter(campaign=walk.study).values_list("pk", flat=True))
    assert kept == set(walk.judged)


def nothing_unverified_counts(walk: Walk, theirs: dict[tuple[str, str], Submission]) -> None:
    counting = Slot.objects.filter(campaign=walk.study, assignment__status="verified")
    scoring.ensure(walk.study.pk)
    assert facts.scores(walk.study.pk).output.size == counting.count()
    for slot in counting.select_related("assignment__participation__annotator"):
        assert slot.assignment is not None
        unit = slot.assignment.participation
        assert unit.verified_at is not None
        if walk.crowd.can.verify_at_entry and unit.status in (Status.ACTIVE, Status.HANDED_IN):
            continue  # this crowd has confirmed who works before they have finished
        seen = theirs.get((unit.external_key, unit.annotator.external_id))
        assert seen is not None, "it counts, and nobody handed it in"
        assert seen.listing == unit.listing
        assert walk.crowd.can.verify_at_entry or seen.receipt == unit.receipt


def nothing_is_on_its_way(walk: Walk) -> None:
    here = Assignment.objects.filter(campaign=walk.study, status__in=("leased", "submitted"))
    assert not here.exists(), "work waits for a crowd that has said all it has to say"
    undecided = Participation.objects.filter(
        campaign=walk.study, status__in=(Status.ACTIVE, Status.HANDED_IN, Status.CONFIRMED)
    )
    assert not undecided.exists(), list(undecided.values_list("status", "problem"))
