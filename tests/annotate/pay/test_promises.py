"""The bonus of a tutorial: promised by passing it, due once, and within the budget."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotate import tasks
from annotate.campaigns import life
from annotate.common.errors import Conflict
from annotate.models import Campaign, LedgerEntry, Participation, Ruling, Slot
from annotate.models.base import CloseReason
from annotate.pay import budget, promise_queries
from annotate.review import rulings
from annotate.work import leasing, participations, submitting, tutorial
from annotate.work.admission import NoTask
from tests.annotate.passing import pass_tutorial
from tests.annotate.work.pages.working import expire, work_url
from tests.factories import GOOD, campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
BONUS = Decimal("0.75")
Act = Ruling.Act


def study(**changes):
    return campaign(**{"tutorial": True, "items": 20, "double_share": 0} | changes)


def passed(made: Campaign, name: str = "p1") -> Participation:
    who = person(made, name)
    pass_tutorial(who)
    return who


def bonuses(made: Campaign) -> list[Decimal]:
    rows = made.ledger.filter(kind=LedgerEntry.Kind.TUTORIAL).order_by("pk")
    return list(rows.values_list("amount", flat=True))


def judged(who: Participation, n: int) -> None:
    for _ in range(n):
        judge(who)


def rule(who: Participation, *acts: Act) -> None:
    ada, _made = User.objects.get_or_create(username="ada")
    last = Ruling.objects.order_by("-pk").first()
    rulings.rule_on_person(
        who.campaign_id,
        who.annotator_id,
        list(acts),
        actor_id=ada.pk,
        reason="Why.",
        seen=last.pk if last else 0,
    )


# ---------------------------------------------------------------- due with judgments that count


@pytest.mark.parametrize("after", [1, 3, 5])
def test_it_is_due_with_so_many_judgments_that_count(after: int):
    made = study(bonus_after=after, fee_rate=Decimal("0.2"))
    who = passed(made)
    judged(who, after - 1)
    assert bonuses(made) == []
    judge(who)
    entry = made.ledger.get(kind="tutorial")
    assert (entry.amount, entry.fee, entry.participation) == (BONUS, Decimal("0.15"), who)
    assert entry.key == f"tutorial:{who.annotator_id}:language_quality"
    judged(who, 3)
    assert bonuses(made) == [BONUS], "once"


@pytest.mark.slow
def test_judgments_that_do_not_count_bring_nothing():
    made = study()
    who = passed(made)
    judged(who, 2)
    late = leased(who)
    expire(late)
    while Slot.objects.filter(output=late.output_id, assignment=None).exists():
        leased(passed(made, f"other-{Slot.objects.filter(assignment=None).count()}"))
    receipt = submitting.submit_judgment(late.pk, participation_id=who.pk, raw=GOOD)
    assert (receipt.counts, bonuses(made)) == (False, [])
    judge(who)
    assert bonuses(made) == [BONUS]


@pytest.mark.slow
def test_judgments_that_were_excluded_bring_it_when_they_are_restored():
    made = study()
    who = passed(made)
    judged(who, 2)
    rule(who, Act.EXCLUDE)
    assert promise_queries.judged(made.pk, who.annotator_id) == 0
    rule(who, Act.RESTORE)
    judge(who)
    assert bonuses(made) == [BONUS]


# ---------------------------------------------------------------- earlier, where nothing follows


def test_who_is_offered_nothing_more_is_owed_it_at_once():
    made = study(annotator_cap=2)
    who = passed(made)
    judged(who, 2)
    assert bonuses(made) == []
    assert isinstance(leasing.lease(who.pk), NoTask)
    assert bonuses(made) == [BONUS]


def test_who_finds_no_text_that_is_new_to_them_is_owed_it_at_once():
    made = study(items=1, systems=("alpha",))
    who = passed(made)
    judge(who)
    assert isinstance(leasing.lease(who.pk), NoTask)
    assert bonuses(made) == [BONUS]


@pytest.mark.slow
def test_a_budget_that_pays_for_no_further_task_pays_the_bonus():
    made = study(reward=Decimal("0.40"), budget=Decimal("1.20"))
    who = passed(made)  # 0.75 of 1.20: one task is left
    judge(who)
    assert budget.committed(made) == Decimal("1.15")
    assert leasing.lease(who.pk).reason == "budget"
    assert bonuses(made) == [BONUS]
    assert budget.excess(made) == 0


def test_it_waits_while_a_task_may_come():
    made = study()
    who = passed(made)
    got = leased(who)
    assert leasing.lease(who.pk).pk == got.pk
    life.pause(made.pk)
    leasing.give_back(got.pk, participation_id=who.pk)
    assert leasing.lease(who.pk).reason == "paused"
    assert bonuses(made) == []


@pytest.mark.parametrize("acts", [(Act.EXCLUDE,), (Act.EXCLUDE, Act.BLOCK)], ids=str)
def test_a_ruling_brings_it_no_sooner_and_takes_nothing(acts: tuple[Act, ...]):
    ada = User.objects.create(username="ada")
    made = study(owner=ada)
    who = passed(made)
    judge(who)
    rule(who, *acts)
    assert isinstance(leasing.lease(who.pk), NoTask)
    assert bonuses(made) == []
    end(made)
    assert bonuses(made) == [BONUS]


def end(made: Campaign) -> None:
    assert life.close(made.pk, CloseReason.HAND)
    assert life.finish(made.pk)


@pytest.mark.slow
def test_the_end_of_the_campaign_pays_everybody_once(django_assert_max_num_queries):
    made = study(items=30)
    people = [passed(made, f"p{n}") for n in range(8)]
    judged(people[0], 3)
    judge(people[1])
    assert len(bonuses(made)) == 1
    with django_assert_max_num_queries(60):
        end(made)
    assert bonuses(made) == [BONUS] * 8
    assert set(made.ledger.filter(kind="tutorial").values_list("participation", flat=True)) == {
        who.pk for who in people
    }
    life.reopen(made.pk, actor_id=User.objects.create(username="ada").pk, why="More.")
    end(made)
    assert bonuses(made) == [BONUS] * 8
    assert budget.committed(made) == 8 * BONUS + 4 * made.reward


def test_who_passes_while_the_campaign_ends_is_paid_by_the_next_look():
    made = study()
    who = passed(made)
    end(made)
    made.ledger.all()._raw_delete("default")  # it was not seen yet when the campaign ended
    assert promise_queries.ended() == [made.pk]
    tasks.add_up()
    assert bonuses(made) == [BONUS]
    assert promise_queries.ended() == []
    assert life.pay_promises() == 0
    assert who.status == "active"


# ---------------------------------------------------------------- refused pay


def test_who_is_refused_pay_is_owed_no_promise_until_the_pay_is_restored():
    made = study()
    who = passed(made)
    judge(who)
    assert budget.committed(made) == BONUS + made.reward
    rule(who, Act.EXCLUDE, Act.REFUSE)
    assert budget.committed(made) == 0
    end(made)
    assert (bonuses(made), promise_queries.ended()) == ([], [])
    rule(who, Act.REPAY)
    assert life.pay_promises() == 1
    assert bonuses(made) == [BONUS]


# ---------------------------------------------------------------- the budget


@pytest.mark.slow
def test_a_promise_is_spent_as_far_as_the_budget_goes():
    made = study(reward=Decimal("0.40"), budget=Decimal("2.00"), fee_rate=Decimal("0.2"))
    who = passed(made)
    found = budget.commitments_of(made)
    assert (found.promised, found.total, found.sure) == (Decimal("0.90"),) * 3
    with pytest.raises(Conflict):
        tutorial.begin(person(made, "second").pk)  # 0.90 and a task more would be 2.28
    judged(who, 2)
    assert leasing.lease(who.pk).reason == "budget"  # 1.86 are promised or spent
    assert life.limit_reached(made.pk) == CloseReason.BUDGET
    end(made)
    assert budget.committed(made) == Decimal("1.86")


# ---------------------------------------------------------------- the open link


def test_who_comes_by_the_open_link_is_promised_nothing():
    made = study()
    graded = pass_tutorial(participations.enter_by_name(made.pk, name="Someone"))
    assert (graded.passed, graded.promised) == (True, 0)
    end(made)
    assert bonuses(made) == []


def test_the_budget_keeps_no_bonus_for_the_open_link():
    made = study(reward=Decimal("0.40"), budget=Decimal("0.50"))
    who = participations.enter_by_name(made.pk, name="Someone")
    tutorial.begin(who.pk)
    assert budget.committed(made) == 0
    with pytest.raises(Conflict):
        tutorial.begin(person(made, "invited").pk)


# ---------------------------------------------------------------- their own page


def test_their_own_page_says_what_is_promised_and_when_it_is_due(client: Client):
    who = passed(study())
    judge(who)
    own = " ".join(client.get(f"{work_url(who)}me/").content.decode().split())
    assert "Promised for the tutorial" in own
    assert "3 accepted tasks, or earlier if there are no more for you. 1 counts" in own
    judged(who, 2)
    own = client.get(f"{work_url(who)}me/").content.decode()
    assert "Promised for the tutorial" not in own
    assert "$0.75" in own
