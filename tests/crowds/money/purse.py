"""A campaign of small rewards on MTurk's stand-in: both accounts are compared to the cent.

Everybody who accepts a unit there comes in here at once, as in the crowd's own frame.
"""

import json
import random
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth.models import User

from annotate.common.errors import ServiceError
from annotate.crowds import batches
from annotate.crowds.contract import Terms
from annotate.instruments.tutorials import digest_of
from annotate.models import (
    Assignment,
    Batch,
    Campaign,
    LedgerEntry,
    Participation,
    TutorialContent,
)
from annotate.pay import budget as pay_budget
from annotate.pay import payouts, tallies
from annotate.work import leasing, participations, tutorial_queries
from tests.annotate.passing import pass_tutorial
from tests.annotate.studies.test_tutorial_reading import CHOICE, WHOLE
from tests.crowds.clock import Clock
from tests.crowds.market import Market
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.crowds.walk import TERMS, Unit
from tests.factories import campaign

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Money:
    """What is paid in a campaign, in cents; `budget` None: no limit."""

    reward: int
    tasks: int
    bonus: int = 0
    after: int = 3
    budget: int | None = None
    items: int = 12


class Purse(Market):
    """`start`: what the account held. `beyond`: by how much a person let the budget be exceeded."""

    terms: Terms
    start: Decimal
    beyond = Decimal(0)

    @classmethod
    def opened(cls, far: MTurkFarSide, clock: Clock, money: Money, *, seed: int = 1) -> "Purse":
        ada = User.objects.create(username=f"ada-{seed}")
        budget = None if money.budget is None else money.budget * CENT
        study = campaign(
            owner=ada,
            items=money.items,
            systems=("alpha",),
            crowd="mturk",
            budget=budget,
            reward=money.reward * CENT,
            fee_rate=Decimal("0.2"),
            double_share=0.25,
            tutorial=True,
            tutorial_id=_one_question().pk,
            tutorial_bonus=money.bonus * CENT,
            bonus_after=money.after,
            annotator_cap=None,
        )
        made = cls(far, far.adapter(), clock, random.Random(seed), study, ada)
        made.terms, made.start = replace(TERMS, tasks=money.tasks), far.balance
        return made

    # ------------------------------------------------------------ steps

    def launch(self, places: int = 0) -> int:
        """Launch what is suggested, or a part of it; a suggestion is never refused."""
        most = batches.suggested_places(self.study.pk, self.terms.tasks)
        places = places or self.rng.randint(0, min(most, 6))
        if not places:
            return 0
        offer = batches.offer(self.study.pk, self.terms, places=places)
        assert not offer.problems or self.closed(), offer.problems
        batches.launch(
            self.study.pk,
            self.terms,
            places=places,
            actor_id=None,
            confirmed=offer.total,
            key=f"k{next(self.keys)}",
        )
        return places

    def extend(self) -> None:
        batch = Batch.objects.filter(campaign=self.study).first()
        if batch is not None:
            offer = batches.offer_more(batch.pk, places=1)
            batches.extend(
                batch.pk, 1, actor_id=None, confirmed=offer.total, key=f"m{next(self.keys)}"
            )

    def accept(self) -> None:
        listing = self.rng.choice(self.ours() or [""])
        if listing:
            person = self.far.person(self.rng.randrange(5))
            unit = Unit(listing, self.far.accept(listing, person), person)
            self.units.append(unit)
            with suppress(ServiceError):  # it was stopped: they return it
                unit.entered = self._arrive(listing, unit.unit, person)

    def bonus(self) -> None:
        """A person gives something: it asks before the budget is exceeded."""
        paid = Participation.objects.filter(
            campaign=self.study, status__in=Participation.LISTED
        ).select_related("annotator")
        if not paid:
            return
        who = self.rng.choice(list(paid)).annotator.pseudonym
        kind = payouts.Kind(self.rng.choice(["bonus", "compensation"]))
        amount = self.rng.randint(1, 60) * CENT
        gift = payouts.Gift(kind, who, amount, "For the care.", f"gift-{next(self.keys)}")
        meant = self.rng.random() < 0.3
        given = payouts.give(self.study.pk, gift, actor_id=self.ada.pk, beyond_budget=meant)
        assert meant or not given.beyond_budget
        self.beyond = max(self.beyond, given.beyond_budget)

    def return_task(self) -> None:
        """A task is given back: a person will decide about the unit."""
        unit = self._some(entered=True)
        if unit is not None and unit.entered is not None:
            got = leasing.lease(unit.entered)
            if isinstance(got, Assignment):
                leasing.give_back(got.pk, participation_id=unit.entered)

    def end_lease(self) -> None:
        """A lease runs out; what is submitted after that is late."""
        unit = self._some(entered=True)
        if unit is not None and unit.entered is not None:
            got = leasing.lease(unit.entered)
            if isinstance(got, Assignment):
                self.pass_time(timedelta(minutes=31))
                leasing.expire_due(self.study.pk, now=self.clock.now())
                self._submit_late(got, unit)

    # ------------------------------------------------------------ both accounts

    def fell(self) -> Decimal:
        """By how much the account at the crowd fell."""
        return self.start - self.far.balance

    def ledger(self) -> Decimal:
        """What our ledger says was spent, added row by row."""
        rows = LedgerEntry.objects.filter(campaign=self.study).values_list("amount", "fee")
        return sum((amount + fee for amount, fee in rows), Decimal(0))

    def closed(self) -> bool:
        return Campaign.objects.get(pk=self.study.pk).status != "open"

    def within_budget(self) -> None:
        """Nothing automatic has promised, or spent, more than the budget."""
        study = Campaign.objects.get(pk=self.study.pk)
        left = pay_budget.left(study)
        assert left is None or left >= -self.beyond, f"{-left} beyond the budget: {self.log}"

    def balanced(self) -> None:
        """Both sides say the same, and all that is due is paid."""
        due = [one for one in tallies.accounts_of_campaign(self.study.pk) if one.due]
        assert not due, due
        assert self.fell() == self.ledger(), self.log
        corrected = LedgerEntry.objects.filter(campaign=self.study, amount=0)
        assert not corrected.exists(), "a fee had to be corrected"

    # ------------------------------------------------------------ inside

    def _judge(self, participation_id: int) -> bool:
        who = Participation.objects.select_related("campaign").get(pk=participation_id)
        if tutorial_queries.step(who.campaign, who) != tutorial_queries.TutorialStep.PASSED:
            pass_tutorial(who)
        return super()._judge(participation_id)

    def _submit_late(self, got: Assignment, unit: Unit) -> None:
        from annotate.work import submitting as judgments
        from tests.factories import GOOD

        receipt = judgments.submit_judgment(got.pk, participation_id=unit.entered or 0, raw=GOOD)
        self.judged.append(receipt.judgment_id)


def whole(purse: Purse, number: int) -> Unit:
    """Somebody does a whole unit, and hands it in here and there."""
    unit = purse.come(number)
    purse.judge(unit, purse.terms.tasks)
    assert participations.hand_in(purse.of(unit).pk)
    purse.far.submit(unit.unit, receipt=purse.of(unit).receipt)
    return unit


def _one_question() -> TutorialContent:
    raw = {**WHOLE, "version": "1", "questions": [CHOICE]}
    return TutorialContent.objects.create(
        instrument="language_quality",
        content=json.loads(json.dumps(raw)),
        digest=digest_of(raw),
    )
