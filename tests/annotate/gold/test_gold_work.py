"""Gold items at work: when they come, to whom, what they pay, and what they do not touch."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import exports, totals
from annotate.common.errors import Conflict
from annotate.models import Assignment, Campaign, GoldAnswer, GoldItem, Judgment, LedgerEntry, Slot
from annotate.pay import budget
from annotate.review import gold
from annotate.work import leasing, picking, submitting, task
from tests.annotate.gold.study import BAD, campaign, do
from tests.annotate.work.pages.working import call, expire, work_data, work_url
from tests.factories import GOOD, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def gold_of(who) -> list[Assignment]:
    mine = Assignment.objects.filter(annotator=who.annotator_id, gold__isnull=False)
    return list(mine.order_by("pk"))


def upto_gold(who) -> Assignment:
    """Work until a gold item is on the page; return it."""
    while (got := leased(who)).gold_id is None:
        judge(who)
    return got


@given(
    share=st.integers(0, picking.MOST),
    seed=st.integers(0, 2**63 - 1),
    annotator=st.integers(1, 2**40),
    tasks=st.integers(1, 120),
)
def test_every_25_tasks_hold_the_share_that_was_chosen(share, seed, annotator, tasks):
    study = Campaign(gold_share=share, seed=seed, public_id="abc")
    held = had = 0
    kinds = []
    for _ in range(tasks):
        if picking.is_due(study, annotator, held=held, had=had):
            had += 1
            kinds.append(True)
        else:
            held += 1
            kinds.append(False)
    study.annotator_cap = max(held, 1)
    done = max((at for at, is_gold in enumerate(kinds, start=1) if not is_gold), default=0)
    assert done <= picking.most_tasks(study)  # as annotators are told: the cap ends it
    whole = [kinds[at : at + picking.BLOCK] for at in range(0, tasks, picking.BLOCK)]
    assert all(sum(block) == share for block in whole if len(block) == picking.BLOCK)
    assert all(sum(block) <= share for block in whole)


def test_the_places_differ_between_people_and_need_the_key(settings):
    study = Campaign(gold_share=5, seed=1, public_id="abc")

    def places(annotator: int) -> tuple[int, ...]:
        return tuple(picking.owed(study, annotator, held) for held in range(20))

    drawn = [places(annotator) for annotator in range(1, 201)]
    assert len(set(drawn)) > 190
    # The first task is gold for a fifth of the people, as each other task is.
    assert 20 <= sum(one[0] > 0 for one in drawn) <= 60
    settings.SECRET_KEY = "another key that nobody knows either"
    assert places(1) != drawn[0]


@pytest.mark.slow
def test_gold_is_mixed_in_paid_and_counted_as_a_task_but_is_no_judgment():
    study = campaign(items=30, annotator_cap=21, budget=Decimal(1000))
    who = person(study)
    tasks = 0
    while do(who):
        tasks += 1
    n_gold = len(gold_of(who))
    assert n_gold >= 5  # of the first 25 tasks, and those before the 21st judgment
    assert tasks == 21 + n_gold
    assert Judgment.objects.count() == 21  # the cap, without gold
    assert Slot.objects.filter(assignment__isnull=False).count() == 21
    assert GoldAnswer.objects.filter(right=True).count() == n_gold
    assert LedgerEntry.objects.filter(kind="reward", amount=study.reward).count() == tasks
    assert budget.committed(study) == tasks * study.reward
    now = task.visit(who.pk).figures
    assert (now.judged, now.judged_today, now.earned) == (tasks, tasks, tasks * study.reward)
    assert list(totals.each([study.public_id], mend=False)) == [(study.public_id, [])]


@pytest.mark.slow
def test_nobody_gets_the_same_item_twice_and_then_there_is_none():
    study = campaign(items=60, n=3, annotator_cap=None)
    who = person(study)
    for _ in range(60):
        assert do(who)
    mine = gold_of(who)
    assert len(mine) == len({one.gold_id for one in mine}) == 3
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(
            campaign=study,
            participation=who,
            annotator_id=who.annotator_id,
            gold_id=mine[0].gold_id,
            status="expired",
            leased_at=mine[0].leased_at,
            expires_at=mine[0].expires_at,
        )


@pytest.mark.slow
def test_people_get_the_items_in_different_orders():
    study = campaign(items=60, double_share=1, annotator_cap=None)
    orders = set()
    for n in range(6):
        who = person(study, f"p{n}")
        while len(gold_of(who)) < 3:
            do(who)
        orders.add(tuple(one.gold_id for one in gold_of(who)))
    assert len(orders) > 3


@pytest.mark.slow
def test_nothing_that_an_annotator_sees_tells_gold_from_other_tasks(client):
    study = campaign(items=30)
    who = person(study)

    def shape(value):
        if isinstance(value, dict):
            return {name: shape(one) for name, one in value.items()}
        return type(value).__name__

    seen = {True: [], False: []}
    for _ in range(12):
        data = work_data(client, work_url(who))
        now = leased(who)
        is_gold = now.gold_id is not None
        given = {**GOOD, **(BAD if is_gold else {"fluency": 0, "edit": "A better text, by far."})}
        body = {"response": given, "active_seconds": 9.0}
        body["version"] = study.instrument_version
        answer = call(client, who, "submit", body, assignment=now.pk)
        assert answer.status_code == 200, answer.content
        receipt = answer.json()
        assert receipt["counts"] is True
        again = call(client, who, "submit", body, assignment=now.pk).json()
        assert again["counts"] is True
        assert again["earned"] == receipt["earned"]
        receipt.pop("coming", None)
        seen[is_gold].append((shape(data["assignment"]), sorted(receipt)))
        assert "gold" not in str(data).lower()
        assert "gold" not in answer.content.decode().lower()
    assert seen[True]
    assert {str(one) for one in seen[True]} <= {str(one) for one in seen[False]}


@pytest.mark.slow
def test_gold_that_was_given_back_or_ran_out_is_not_replaced():
    study = campaign(items=40, annotator_cap=None)
    who = person(study)
    first = upto_gold(who)
    leasing.give_back(first.pk, participation_id=who.pk)
    second = upto_gold(who)
    expire(second)
    assert first.gold_id != second.gold_id
    tasks = Assignment.objects.filter(annotator=who.annotator_id).count()
    while tasks < 25:
        do(who)
        tasks = Assignment.objects.filter(annotator=who.annotator_id).count()
    assert len(gold_of(who)) == 5
    assert list(totals.each([study.public_id], mend=False)) == [(study.public_id, [])]


def test_a_late_answer_to_gold_is_kept_and_paid():
    who = person(campaign(items=20))
    late = upto_gold(who)
    expire(late)
    receipt = submitting.submit_judgment(late.pk, participation_id=who.pk, raw={**GOOD, **BAD})
    assert (receipt.counts, receipt.earned) == (True, Decimal("0.40"))
    assert GoldAnswer.objects.get().assignment_id == late.pk


@pytest.mark.slow
def test_gold_needs_money_like_any_task():
    study = campaign(items=20, share=12, budget=Decimal("4.00"), annotator_cap=None)
    who = person(study)
    n = 0
    while do(who):
        n += 1
    assert n == 10
    assert 0 < GoldAnswer.objects.count() < 10
    assert budget.committed(study) == Decimal("4.00")


@pytest.mark.slow
def test_gold_does_not_use_up_the_maximum_of_judgments():
    study = campaign(items=30, max_judgments=10, share=12, n=40, annotator_cap=None)
    who = person(study)
    while do(who):
        pass
    assert Judgment.objects.count() == 10
    assert GoldAnswer.objects.count() > 0


@pytest.mark.slow
def test_the_cost_of_a_plan_and_the_export_hold_the_gold():
    study = campaign(items=20, owner=user())
    judgments_ = Slot.objects.count()
    at_most = budget.highest_cost(study)
    assert at_most.amount == -(-judgments_ * 25 // 20) * study.reward
    who = person(study)
    for n in range(25):
        do(who, is_right=n % 2 == 0)
    found = list(exports.answers(exports.moment(study.pk)))
    assert len(found) == len(gold_of(who))
    assert {one["right"] for one in found} <= {True, False}
    assert all(one["expected"] == {"fluency": [-1, 0]} for one in found)


def test_gold_is_fixed_when_the_campaign_opens():
    study = campaign()
    new = [GoldItem(name="x", text="x x", expected={"fluency": [0]})]
    for act in (
        lambda: gold.set_share(study.pk, 2, actor_id=None),
        lambda: gold.remove(study.pk, ["gold-1"], actor_id=None),
        lambda: gold.confirm(study.pk, ["gold-1"], actor_id=None),
        lambda: gold.add(study.pk, new, actor_id=1),
    ):
        with pytest.raises(Conflict, match="fixed when a campaign opens"):
            act()
