"""Rulings: what counts, what is paid, who may go on; and the way back from each."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from annotate.campaigns import life
from annotate.common.errors import Conflict, Invalid
from annotate.models import (
    Assignment,
    AuditEntry,
    Campaign,
    Flag,
    Judgment,
    LedgerEntry,
    Participation,
    Review,
    Ruling,
    Slot,
)
from annotate.pay import tallies
from annotate.review import eligibility, evidence, reviews, rulings
from annotate.review import queries as review_queries
from annotate.work import admission, leasing, submitting
from estimation import read, refresh
from estimation.models import Estimate
from tests import remembered
from tests.factories import GOOD, campaign, judge, leased, person, user
from tests.reviewed import fired, flagged

pytestmark = [pytest.mark.django_db, pytest.mark.orm]

Act, Status = Ruling.Act, Review.Status


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture
def who(ada: User) -> Participation:
    """Somebody with six judgments, in whose campaign six others have judged."""
    return remembered.again(_who, ada)


@pytest.fixture
def made(who: Participation) -> Campaign:
    return who.campaign


def _who(ada: User) -> Participation:
    made = campaign(owner=ada, items=30, targets={"overall": 0.01})
    for name in "abcdef":
        for _ in range(4):
            judge(person(made, name), overall=-1 if name in "ab" else 1, edit="It met on Monday.")
    spammer = person(made, "spammer")
    for _ in range(6):
        judge(spammer, overall=1)
    return spammer


def rule(
    review: Review, *acts: Act, reason: str = "Far too fast.", seen: int | None = None
) -> None:
    """Rule as the owner, having seen the last ruling unless `seen` says otherwise."""
    last = review.rulings.order_by("-pk").first()
    rulings.rule(
        review.pk,
        acts,
        reason=reason,
        actor_id=User.objects.get().pk,
        seen=seen if seen is not None else last.pk if last else 0,
    )
    review.refresh_from_db()


def numbers(made: Campaign) -> list[tuple[float, ...]]:
    """The newest estimates, to the last digit."""
    refresh.refresh(made.pk)
    n = made.systems.count() * 4
    rows = Estimate.objects.filter(campaign=made).order_by("-id")[:n]
    return sorted(
        (row.system_id, row.criterion, row.estimate, row.low, row.high, row.n_judgments)
        for row in rows
    )


@pytest.mark.slow
def test_a_flag_pauses_leases_and_is_made_once(who: Participation) -> None:
    assert reviews.flag(who.campaign_id, who.annotator_id, [fired("a"), fired("b")]) == ["a", "b"]
    assert reviews.flag(who.campaign_id, who.annotator_id, [fired("b")]) == []
    got = leasing.lease(who.pk)
    assert isinstance(got, admission.NoTask)
    assert (got.reason, got.final) == ("review", False)
    assert Flag.objects.count() == 2
    assert AuditEntry.objects.filter(verb="flag").count() == 1


def test_a_cleared_screen_accuses_once_more(who: Participation) -> None:
    """After a ruling the screens see new work alone, so that a flag is about that."""
    review = flagged(who)
    rule(review, Act.CLEAR, reason="")
    assert leased(who)
    assert reviews.flag(who.campaign_id, who.annotator_id, [fired()])
    assert Review.objects.get().status == Status.OPEN
    assert reviews.flag(who.campaign_id, who.annotator_id, [fired()]) == []


def test_a_listed_person_works_on_and_holds_nothing_back(
    made: Campaign, who: Participation
) -> None:
    listed = replace(fired(), tier="list")
    assert reviews.flag(made.pk, who.annotator_id, [listed])
    review = Review.objects.get()
    assert review.status == Status.LISTED
    assert leased(who)
    assert eligibility.waiting(made.pk) == 0
    assert review_queries.standing_of(who.pk).review is None
    assert reviews.flag(made.pk, who.annotator_id, [listed]) == []
    assert reviews.flag(made.pk, who.annotator_id, [fired()])
    review.refresh_from_db()
    assert review.status == Status.OPEN
    assert eligibility.waiting(made.pk) == 1
    assert [one.tier for one in review_queries.standing_of(who.pk).notices] == ["pause"]


def test_a_listed_person_is_cleared_and_listed_again(made: Campaign, who: Participation) -> None:
    listed = replace(fired(), tier="list")
    reviews.flag(made.pk, who.annotator_id, [listed])
    rule(Review.objects.get(), Act.CLEAR, reason="")
    assert Review.objects.get().status == Status.CLEARED
    assert reviews.flag(made.pk, who.annotator_id, [listed])
    assert Review.objects.get().status == Status.LISTED


def test_cleared_work_remains_a_yardstick_and_accuses_no_more(
    made: Campaign, who: Participation
) -> None:
    review = flagged(who)
    before = evidence.columns(made)
    rule(review, Act.CLEAR, reason="")
    after = evidence.columns(made)
    assert before is not None
    assert after is not None
    mine = before.annotator == who.annotator_id
    assert mine.any()
    assert (after.annotator[mine] == -who.annotator_id).all()
    assert (after.annotator[~mine] == before.annotator[~mine]).all()
    judge(who)
    newest = evidence.columns(made)
    assert newest is not None
    assert (newest.annotator == who.annotator_id).sum() == 1


def test_exclusion_leaves_the_estimates_and_comes_back_to_the_same_digits(
    made: Campaign, who: Participation
) -> None:
    before = numbers(made)
    review = flagged(who)
    rule(review, Act.EXCLUDE)
    without = numbers(made)
    assert sum(row[-1] for row in without) < sum(row[-1] for row in before)
    assert not Slot.objects.filter(assignment__annotator=who.annotator_id).exists()
    beside = {
        (row.system_id, row.criterion): row.detail["with_excluded"]
        for row in read.newest([made.pk])
    }
    assert {
        (system, criterion): (estimate, low, high, n)
        for system, criterion, estimate, low, high, n in before
    } == {
        key: (whole["estimate"], whole["low"], whole["high"], whole["n_judgments"])
        for key, whole in beside.items()
    }
    rule(review, Act.RESTORE, reason="")
    assert numbers(made) == before
    assert numbers(made) != without
    assert all(row.detail["with_excluded"] is None for row in read.newest([made.pk]))


def test_excluded_outputs_are_leased_again_and_both_judgments_count_after_a_reversal(
    made: Campaign, who: Participation
) -> None:
    mine = set(Judgment.objects.filter(annotator=who.annotator_id).values_list("output", flat=True))
    planned = Slot.objects.count()
    review = flagged(who)
    rule(review, Act.EXCLUDE)
    again = leased(person(made, "next"))
    assert again.output_id in mine
    submitting.submit_judgment(again.pk, participation_id=again.participation_id, raw=GOOD)
    n = 0
    while Slot.objects.filter(output=again.output_id, assignment=None).exists():
        n += 1
        leased(person(made, f"later-{n}"))
    rule(review, Act.RESTORE, reason="")
    held = Slot.objects.filter(assignment__annotator=who.annotator_id)
    assert held.count() == 6
    assert Slot.objects.count() == planned + 1
    judged = Slot.objects.filter(assignment__judgments__isnull=False)
    assert judged.filter(output=again.output_id).count() >= 2


def test_open_work_ends_with_an_exclusion_and_late_work_is_paid_but_does_not_count(
    who: Participation,
) -> None:
    open_ = leased(who)
    review = flagged(who)
    rule(review, Act.EXCLUDE)
    open_.refresh_from_db()
    assert open_.status == Assignment.Status.RETURNED
    receipt = submitting.submit_judgment(open_.pk, participation_id=who.pk, raw=GOOD)
    assert not receipt.counts
    assert receipt.earned > 0
    got = leasing.lease(who.pk)
    assert isinstance(got, admission.NoTask)
    assert (got.reason, got.final) == ("excluded", True)


def test_exclusion_does_not_touch_pay_and_refusing_is_undone_to_the_cent(
    who: Participation,
) -> None:
    earned = tallies.earned(who.pk)[0]
    review = flagged(who)
    rule(review, Act.EXCLUDE)
    assert tallies.earned(who.pk)[0] == earned == Decimal("2.40")
    rule(review, Act.REFUSE)
    assert tallies.earned(who.pk)[0] == 0
    rule(review, Act.REPAY)
    assert tallies.earned(who.pk)[0] == earned
    rule(review, Act.REFUSE)
    rule(review, Act.RESTORE)
    assert tallies.earned(who.pk)[0] == earned
    assert (review.status, review.pay_refused) == (Status.CLEARED, False)
    kinds = list(LedgerEntry.objects.filter(participation=who).values_list("kind", flat=True))
    assert kinds.count("refusal") == kinds.count("reinstatement") == 2


def test_the_tutorial_bonus_is_not_refused(made: Campaign, who: Participation) -> None:
    LedgerEntry.objects.create(
        campaign=made,
        participation=who,
        kind=LedgerEntry.Kind.TUTORIAL,
        amount=Decimal("0.75"),
        fee=0,
        key="tutorial:x",
    )
    review = flagged(who)
    rule(review, Act.EXCLUDE, Act.REFUSE)
    assert tallies.earned(who.pk)[0] == Decimal("0.75")


def test_several_acts_happen_all_or_not_at_all(who: Participation) -> None:
    review = flagged(who)
    with pytest.raises(Conflict):
        rule(review, Act.EXCLUDE, Act.CLEAR)
    assert Review.objects.get().status == Status.OPEN
    assert Slot.objects.filter(assignment__annotator=who.annotator_id).count() == 6
    with pytest.raises(Invalid):
        rule(review, Act.EXCLUDE, reason="  ")
    assert not Ruling.objects.exists()


def test_open_reviews_hold_the_end_back(made: Campaign, who: Participation) -> None:
    review = flagged(who)
    life.close(made.pk, Campaign.Reason.HAND)
    for slot in Slot.objects.filter(campaign=made, assignment=None):
        slot.delete()
    assert not life.drained(made.pk)
    rule(review, Act.CLEAR, reason="")
    assert life.drained(made.pk)


def test_a_ruling_after_the_end_changes_the_estimates_and_not_the_status(
    made: Campaign, who: Participation
) -> None:
    numbers(made)
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    before = numbers(made)
    review = flagged(who)
    rule(review, Act.EXCLUDE)
    assert numbers(made) != before
    assert Campaign.objects.get().status == Campaign.Status.CLOSED


@pytest.mark.slow
def test_everybody_can_be_excluded_and_brought_back(made: Campaign, who: Participation) -> None:
    before = numbers(made)
    for one in Participation.objects.all():
        review_id = reviews.open_by_hand(made.pk, one.annotator_id, actor_id=User.objects.get().pk)
        rule(Review.objects.get(pk=review_id), Act.EXCLUDE)
    assert not Slot.objects.filter(assignment__isnull=False).exists()
    refresh.refresh(made.pk)
    assert list(read.newest([made.pk])) == []
    assert Estimate.objects.filter(n_judgments=0, estimate=None).exists()
    for review in Review.objects.all():
        rule(review, Act.RESTORE, reason="")
    assert numbers(made) == before


# ---- appeals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("acts", [[Act.UNBLOCK], [Act.BLOCK]])
def test_a_block_and_its_end_leave_nobody_waiting_for_a_ruling(
    made: Campaign, ada: User, acts: list[Act]
) -> None:
    """There is no review of them in this campaign: the block came from another one."""
    one = person(made, "both")
    other = person(campaign(owner=ada, name="Another"), "both")
    assert one.annotator == other.annotator
    if acts == [Act.UNBLOCK]:
        rulings.rule_on_person(
            other.campaign_id,
            other.annotator_id,
            [Act.EXCLUDE, Act.BLOCK],
            actor_id=ada.pk,
            reason="Spam.",
            seen=0,
        )
        assert eligibility.barred(made.pk, one.annotator_id) == "blocked"
    rulings.rule_on_person(made.pk, one.annotator_id, acts, actor_id=ada.pk, reason="Spam.", seen=0)
    assert eligibility.waiting(made.pk) == 0
    barred = "" if acts == [Act.UNBLOCK] else "blocked"
    assert eligibility.barred(made.pk, one.annotator_id) == barred
