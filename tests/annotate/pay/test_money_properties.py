"""Whatever people do in whatever order, and however often: money adds up (data rule 5)."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.common.errors import Conflict, Gone
from annotate.models import (
    Assignment,
    Campaign,
    CampaignTotals,
    LedgerEntry,
    Participation,
    Payout,
    PayoutList,
    Review,
    Ruling,
)
from annotate.models.annotators import TutorialRun
from annotate.pay import budget, payouts, tallies
from annotate.review import reviews, rulings
from annotate.work import leasing, submitting
from tests.factories import GOOD, campaign, person

pytestmark = [pytest.mark.slow, pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act
FEE = Decimal("0.2")
NOW = datetime(2026, 5, 4, tzinfo=UTC)
PEOPLE = ("ann", "bob")
RULES = ("exclude", "restore", "refuse", "repay")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["judge", "late", "tutorial"]), st.sampled_from(PEOPLE)),
        st.tuples(
            st.just("gift"),
            st.sampled_from(PEOPLE),
            st.integers(1, 3),
            st.sampled_from(["0.01", "0.37", "2.50"]),
        ),
        st.tuples(st.just("rule"), st.sampled_from(PEOPLE), st.sampled_from(RULES)),
        st.tuples(st.sampled_from(["list", "mark", "repeat", "submit again"])),
        st.tuples(st.just("undo"), st.sampled_from(PEOPLE)),
    ),
    min_size=4,
    max_size=16,
)


class World:
    """A campaign, two people and a researcher, with what they did last."""

    def __init__(self) -> None:
        self.ada = User.objects.create(username="ada")
        self.study = campaign(
            owner=self.ada,
            items=6,
            reward=Decimal("0.37"),
            fee_rate=FEE,
            budget=Decimal("9.00"),
            tutorial_bonus=Decimal("0.75"),
            bonus_after=2,
        )
        self.people = {name: person(self.study, name) for name in PEOPLE}
        self.list: PayoutList | None = None
        self.submitted: Assignment | None = None
        self.last: tuple[Any, ...] | None = None

    def do(self, name: str, *rest: Any) -> None:
        """Do it; what cannot be done now is refused and changes nothing."""
        before = self.rows()
        try:
            with transaction.atomic():
                getattr(self, f"_{name.replace(' ', '_')}")(*rest)
        except (Conflict, Gone):
            assert self.rows() == before, f"{name} was refused and changed money"
        if name != "repeat":
            self.last = (name, *rest)

    def rows(self) -> tuple[int, int]:
        return LedgerEntry.objects.count(), Payout.objects.count()

    def _judge(self, who: str) -> None:
        got = leasing.lease(self.people[who].pk)
        if isinstance(got, Assignment):
            submitting.submit_judgment(got.pk, participation_id=got.participation_id, raw=GOOD)
            self.submitted = got

    def _late(self, who: str) -> None:
        """Submit after the lease ended, when somebody else may have the slot."""
        got = leasing.lease(self.people[who].pk)
        if isinstance(got, Assignment):
            leasing.expire_due(self.study.pk, now=got.expires_at + timedelta(minutes=1))
            self._judge(next(name for name in PEOPLE if name != who))
            submitting.submit_judgment(got.pk, participation_id=got.participation_id, raw=GOOD)
            self.submitted = got

    def _submit_again(self) -> None:
        if self.submitted is not None:
            money = self.rows()
            mine = self.submitted
            submitting.submit_judgment(mine.pk, participation_id=mine.participation_id, raw=GOOD)
            assert self.rows() == money

    def _tutorial(self, who: str) -> None:
        if budget.affordable(self.study, extra=Decimal("0.90")):
            TutorialRun.objects.get_or_create(
                annotator=self.people[who].annotator,
                instrument=self.study.instrument,
                version="1",
                defaults={
                    "participation": self.people[who],
                    "started_at": NOW,
                    "passed_at": NOW,
                    "promised": Decimal("0.75"),
                },
            )

    def _gift(self, who: str, key: int, amount: str) -> None:
        given = payouts.Gift(
            payouts.Kind.BONUS,
            self.people[who].annotator.pseudonym,
            Decimal(amount),
            "Why.",
            f"key {key}",
        )
        excess = budget.excess(self.study)
        payouts.give(self.study.pk, given, actor_id=self.ada.pk)
        assert budget.excess(self.study) == excess, "a gift exceeded the budget unasked"

    def _rule(self, who: str, act: str) -> None:
        annotator = self.people[who].annotator_id
        review = reviews.open_by_hand(self.study.pk, annotator, actor_id=self.ada.pk)
        last = Ruling.objects.filter(review=review).order_by("-pk").first()
        paid_for = self.sums()
        rulings.rule(
            review, [Act(act)], actor_id=self.ada.pk, reason="Why.", seen=last.pk if last else 0
        )
        if act == "exclude":
            assert self.sums() == paid_for, "exclusion alone never changes money"
        if act == "refuse":
            self._there_and_back(review, who)

    def _there_and_back(self, review_id: int, who: str) -> None:
        """Refuse, repay, refuse: neutral to the cent, fees included."""
        refused = self.sums()
        for act in (Act.REPAY, Act.REFUSE):
            seen = Ruling.objects.filter(review=review_id).latest("pk").pk
            rulings.rule(review_id, [act], actor_id=self.ada.pk, reason="Why.", seen=seen)
        assert self.sums() == refused
        assert tallies.accounts_of(self.people[who].pk).paid == 0, "paid out and refused"

    def _list(self) -> None:
        self.list = payouts.prepare(self.study.pk, actor_id=self.ada.pk)

    def _mark(self) -> None:
        if self.list is not None:
            payouts.mark_paid(self.list.pk, actor_id=self.ada.pk)

    def _undo(self, who: str) -> None:
        if self.list is not None:
            name = self.people[who].annotator.pseudonym
            payouts.undo(self.list.pk, [name], actor_id=self.ada.pk, reason="Why.")

    def _repeat(self) -> None:
        if self.last is not None and self.last[0] not in ("judge", "late"):
            getattr(self, f"_{self.last[0].replace(' ', '_')}")(*self.last[1:])

    def sums(self) -> tuple[Decimal, Decimal]:
        """Add row by row: no database's arithmetic is trusted."""
        rows = list(self.study.ledger.values_list("amount", "fee"))
        return sum((a for a, _ in rows), Decimal(0)), sum((f for _, f in rows), Decimal(0))


def check(world: World) -> None:
    for one in tallies.accounts_of_campaign(world.study.pk):
        rows = LedgerEntry.objects.filter(participation=one.pk)
        total = sum(rows.values_list("amount", flat=True), Decimal(0))
        out = Payout.objects.filter(participation=one.pk)
        paid = sum(out.values_list("amount", flat=True), Decimal(0))
        assert one.due + one.paid == one.earned - one.refused == total
        assert one.paid == paid >= 0
        assert one.due >= 0, "somebody owes us money"
        assert one.refused >= 0
    amount, fees = world.sums()
    assert CampaignTotals.objects.get(pk=world.study.pk).spent == amount + fees
    keys = list(LedgerEntry.objects.values_list("key", flat=True))
    assert len(keys) == len(set(keys))
    per_task = LedgerEntry.objects.exclude(assignment=None).values_list("assignment", flat=True)
    assert len(per_task) == len(set(per_task)), "a task was paid twice"
    for review in Review.objects.filter(campaign=world.study, pay_refused=True):
        assert review.status == Review.Status.EXCLUDED


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_money_adds_up_whatever_happens(steps: list[tuple[Any, ...]], db: None) -> None:
    with suppress(_Done), transaction.atomic():
        world = World()
        for step in steps:
            world.do(*step)
            check(world)
        raise _Done  # each example on an empty database


class _Done(Exception):
    pass


def test_a_long_story_passes_through_every_kind_of_row() -> None:
    """The steps above do reach what they are about."""
    world = World()
    story: list[tuple[Any, ...]] = [
        ("tutorial", "ann"),
        ("judge", "ann"),
        ("judge", "ann"),
        ("late", "bob"),
        ("repeat",),
        ("gift", "ann", 1, "0.37"),
        ("repeat",),
        ("gift", "ann", 1, "2.50"),
        ("rule", "ann", "exclude"),
        ("rule", "ann", "refuse"),
        ("list",),
        ("mark",),
        ("mark",),
        ("rule", "ann", "repay"),
        ("list",),
        ("undo", "bob"),
        ("mark",),
        ("undo", "ann"),
        ("repeat",),
        ("rule", "ann", "refuse"),
    ]
    for step in story:
        world.do(*step)
        check(world)
    kinds = set(LedgerEntry.objects.values_list("kind", flat=True))
    assert {"reward", "tutorial", "bonus", "refusal", "reinstatement"} <= kinds
    assert Payout.objects.filter(amount__lt=0).exists()
    assert Campaign.objects.get() == world.study
    assert Participation.objects.count() == 2
