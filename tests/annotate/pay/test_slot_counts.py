"""Slots, people and money are right at every moment, whatever happens."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, F, Q, Sum
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate import tasks
from annotate.campaigns import contents_api, life, progress, totals
from annotate.common import locks
from annotate.common.errors import Gone
from annotate.models import (
    Assignment,
    Authorship,
    Campaign,
    CampaignTotals,
    Judgment,
    LedgerEntry,
    Participation,
    Review,
    Ruling,
    Slot,
    System,
    TutorialRun,
)
from annotate.pay import budget, promise_queries
from annotate.review import rulings
from annotate.work import leasing, participations, submitting
from tests.annotate.passing import pass_tutorial
from tests.factories import GOOD, campaign, judge, person, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.orm]


def facts(made: Campaign) -> tuple[object, ...]:
    """Count everything by brute force."""
    held, verified = Q(assignment__isnull=False), Q(assignment__status="verified")
    running = Q(assignment__status__in=("leased", "submitted"))
    mine = Slot.objects.filter(campaign=made)
    found = mine.aggregate(
        planned=Count("pk"),
        outputs=Count("output", distinct=True),
        doubled=Count("pk", filter=Q(number=2)),
        held=Count("pk", filter=held),
        running=Count("pk", filter=running),
        outputs_judged=Count("output", filter=verified, distinct=True),
    )
    found["judged"] = found.pop("held") - found["running"]
    taken = Assignment.objects.filter(campaign=made, status__in=Assignment.HELD)
    people = Counter(taken.values_list("annotator", flat=True))
    rows = LedgerEntry.objects.filter(campaign=made)
    spent = rows.aggregate(n=Sum(F("amount") + F("fee")))["n"] or Decimal(0)
    return found, people, progress.free(made.pk).count(), spent.quantize(Decimal("0.01"))


def shown(made: Campaign) -> tuple[object, ...]:
    counts = progress.count_slots(made.pk)
    who, n = progress.by_person(made.pk)
    people = Counter(dict(zip(who.tolist(), n.tolist(), strict=True)))
    assert progress.held(made.pk) == counts.judged + counts.running
    spent = budget.commitments_of(made).spent
    names = ("planned", "outputs", "doubled", "judged", "running", "outputs_judged")
    found = {name: getattr(counts, name) for name in names}
    assert counts.spent == spent
    return found, people, progress.missing(made.pk), spent


def judged_items(made: Campaign) -> dict[int, tuple[int, int]]:
    """Judged items of each system, and all of them, by brute force."""
    counting = Slot.objects.filter(campaign=made, assignment__status="verified")
    outputs = set(counting.values_list("output", flat=True))
    found = {}
    for system in made.systems.all():
        wrote = list(Authorship.objects.filter(system=system))
        judged = {one.item_id for one in wrote if one.output_id in outputs}
        found[system.pk] = (len(judged), len(wrote))
    return found


def contributed(made: Campaign, annotator: int) -> tuple[int, int, int]:
    """Judgments of one person, how many count, and how many are excluded, by brute force."""
    mine = Judgment.objects.filter(campaign=made, annotator=annotator)
    held = [one for one in mine if hasattr(one.assignment, "slot")]
    out = mine.filter(exclusions__isnull=False, exclusions__restored_at=None)
    return (
        len(mine),
        sum(one.assignment.status == "verified" for one in held),
        len(set(out.values_list("pk", flat=True))),
    )


def all_is_right(world: "World") -> bool:
    people = [one.annotator for one in world.people]
    told = {
        one["annotator"]: (one["judgments"], one["counting"], one["excluded"])
        for one in contents_api.contributions(world.made, people)
    }
    return (
        shown(world.made) == facts(world.made)
        and progress.items(world.made.pk, most=8, ranks=False) == judged_items(world.made)
        and told == {p.pseudonym: n for p in people if (n := contributed(world.made, p.pk))[0]}
    )


class World:
    """One campaign, in which anything may happen."""

    def __init__(self) -> None:
        self.ada = User.objects.filter(username="ada").first() or user()
        self.made = campaign(owner=self.ada, items=8, double_share=0.5)
        self.people = [person(self.made, name) for name in ("a", "b", "c")]

    def act(self, step: str, n: int) -> None:
        who = self.people[n % len(self.people)]
        getattr(self, step)(who)

    def lease(self, who: Participation) -> None:
        leasing.lease(who.pk)

    def judge(self, who: Participation) -> None:
        self._submit(who, status="leased")

    def late(self, who: Participation) -> None:
        with suppress(Gone):  # it was leased to the same person again
            self._submit(who, status="expired")

    def give_back(self, who: Participation) -> None:
        if task := self._task(who, "leased"):
            leasing.give_back(task.pk, participation_id=who.pk)

    def expire(self, who: Participation) -> None:
        mine = Assignment.objects.filter(participation=who, status="leased")
        mine.update(expires_at=timezone.now() - timedelta(minutes=1))
        life.expire_all()

    def exclude(self, who: Participation) -> None:
        self._rule(who, Ruling.Act.EXCLUDE, "", "open", "cleared")

    def restore(self, who: Participation) -> None:
        self._rule(who, Ruling.Act.RESTORE, "excluded")

    def lose(self, who: Participation) -> None:
        self._confirm(who, participations.lose)

    def confirm(self, who: Participation) -> None:
        self._confirm(who, participations.verify)

    def stop(self, _who: Participation) -> None:
        """Let the next system stop: first one of the two, then both."""
        going = System.objects.filter(campaign=self.made, stop_position=None).first()
        if going is not None:
            System.objects.filter(pk=going.pk).update(stop_position=3)

    def _task(self, who: Participation, status: str) -> Assignment | None:
        return Assignment.objects.filter(participation=who, status=status).order_by("pk").first()

    def _submit(self, who: Participation, *, status: str) -> None:
        if task := self._task(who, status):
            submitting.submit_judgment(task.pk, participation_id=who.pk, raw=GOOD)

    def _rule(self, who: Participation, act: Ruling.Act, *states: str) -> None:
        mine = Review.objects.filter(campaign=self.made, annotator=who.annotator_id).first()
        if (mine.status if mine else "") not in states:
            return
        last = Ruling.objects.filter(review=mine).order_by("-pk").first() if mine else None
        rulings.rule_on_person(
            self.made.pk,
            who.annotator_id,
            [act],
            actor_id=self.ada.pk,
            reason="Why.",
            seen=last.pk if last else 0,
        )

    def _confirm(self, who: Participation, act: Callable[..., int]) -> None:
        with transaction.atomic():
            locks.campaign(self.made.pk)
            act(who, now=timezone.now())


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *("lease", "judge") * 3,
                *("late", "give_back", "expire", "exclude", "restore", "lose", "confirm"),
                "stop",
            ]
        ),
        st.integers(0, 2),
    ),
    min_size=8,
    max_size=40,
)


@given(steps=STEPS)
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.slow
def test_counts_are_right_whatever_happens(steps: list[tuple[str, int]]) -> None:
    world = World()
    for n, (step, who) in enumerate(steps):
        world.act(step, who)
        if n % 4 == 0:
            assert all_is_right(world), steps[: n + 1]
    assert all_is_right(world)
    assert list(totals.each([world.made.public_id], mend=False)) == [(world.made.public_id, [])]


def test_the_number_of_queries_for_judged_items_does_not_grow() -> None:
    seen = set()
    for systems, items in ((("alpha", "beta"), 4), (tuple("abcdef"), 20)):
        made = campaign(owner=user(f"u{items}"), systems=systems, items=items)
        judge(person(made))
        with CaptureQueriesContext(connection) as queries:
            progress.items(made.pk, most=10, ranks=False)
        seen.add(len(queries))
    assert seen == {1}


def test_judged_items_are_counted_up_to_what_is_asked_for() -> None:
    made = campaign(owner=user(), items=6, systems=("alpha",), annotator_cap=None)
    who = person(made)
    for _ in range(3):
        judge(who)
    (alpha,) = made.systems.all()
    assert progress.items(made.pk, most=2, ranks=False) == {alpha.pk: (2, 6)}
    assert progress.items(made.pk, most=6, ranks=False) == {alpha.pk: (3, 6)}


def test_work_that_no_crowd_has_confirmed_does_not_count_yet() -> None:
    study = campaign(owner=user(), items=12, annotator_cap=None, double_share=0)
    who = person(study, "a")
    for _ in range(3):
        judge(who)
    newest = Assignment.objects.filter(annotator=who.annotator_id).latest("pk")
    Assignment.objects.filter(pk=newest.pk).update(status=Assignment.Status.SUBMITTED)
    (found,) = contents_api.contributions(study, [who.annotator])
    counts = contributed(study, who.annotator_id)
    assert (found["judgments"], found["counting"], found["excluded"]) == counts == (3, 2, 0)


def test_work_that_is_excluded_is_counted_no_more() -> None:
    """And once more when it is restored, though others hold its slots by then."""
    world = World()
    a, b, _c = world.people
    for _task in range(6):
        judge(a)
    assert progress.held(world.made.pk) == 6
    world.exclude(a)
    assert progress.held(world.made.pk) == 0
    for _task in range(6):
        judge(b)
    world.restore(a)
    assert progress.held(world.made.pk) == 12
    assert shown(world.made) == facts(world.made)


def test_totals_that_are_wrong_are_found_and_mended() -> None:
    world = World()
    judge(world.people[0])
    world.lease(world.people[1])
    CampaignTotals.objects.filter(campaign=world.made).update(held=7, spent=Decimal("7.77"))
    ((_name, wrong),) = totals.each([world.made.public_id], mend=True)
    assert wrong == [
        "the total “held” is 7, and the facts say 2",
        f"the total “spent” is 7.77, and the facts say {world.made.reward}",
    ]
    assert shown(world.made) == facts(world.made)
    assert list(totals.each([world.made.public_id], mend=False)) == [(world.made.public_id, [])]


def test_a_bonus_is_promised_until_it_is_in_the_ledger() -> None:
    """It is noted as settled afterwards, and it is not promised before that either."""
    made = campaign(tutorial=True, items=8, double_share=0, bonus_after=2)
    who = person(made)
    pass_tutorial(who)
    tasks.add_up()
    assert promise_queries.open_of(made.pk).count() == 1
    judge(who)
    judge(who)
    assert made.ledger.filter(kind=LedgerEntry.Kind.TUTORIAL).exists()
    assert not TutorialRun.objects.get(annotator=who.annotator_id).settled
    assert budget.commitments_of(made).promised == 0
    tasks.add_up()
    assert TutorialRun.objects.get(annotator=who.annotator_id).settled
    assert budget.commitments_of(made).promised == 0
