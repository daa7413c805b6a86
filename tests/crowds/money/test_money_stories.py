"""Hundreds of random campaigns of small rewards, and at the end both accounts to the cent.

Rewards of 1 to 30 cents, units of 1 to 9 tasks, bonuses and budgets; people come, work, leave and
forge, reviewers rule, researchers give, launch, extend and stop. After each step nothing automatic
has promised more than the budget; at the end what MTurk's stand-in has charged is what the ledger
says.
"""

import random
from contextlib import suppress
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import transaction

from annotate.campaigns import life
from annotate.crowds import adapters
from annotate.models import Campaign
from annotate.models.base import CloseReason
from annotate.pay import budget as pay_budget
from tests.crowds.clock import Clock
from tests.crowds.money.purse import Money, Purse
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.crowds.walk import TERMS, heal

pytestmark = [pytest.mark.django_db, pytest.mark.stories]
CHUNKS, CAMPAIGNS, LENGTH = 12, 25, 22
# How often each step is taken.
STEPS = {
    "launch": 3,
    "accept": 9,
    "finish": 10,
    "work": 4,
    "look": 5,
    "carry_out": 4,
    "hours": 3,
    "minutes": 1,
    "give_back": 1.5,
    "forge": 0.7,
    "bonus": 2,
    "rule": 3,
    "return_task": 0.7,
    "end_lease": 1,
    "accept_doubtful": 1,
    "extend": 1,
    "stop": 0.7,
    "close": 0.2,
    "fault": 1,
}


class _Done(Exception):
    """Each story begins with an empty database."""


def money(rng: random.Random) -> Money:
    reward, tasks = rng.randint(1, 30), rng.randint(1, 9)
    bonus = rng.choice([0, 0, rng.randint(1, 9), rng.randint(10, 100)])
    unit = reward * tasks * 1.2 + bonus * 1.2 + 2
    budget = rng.choice([None, round(unit * rng.uniform(1, 4)), round(unit * rng.uniform(3, 9))])
    return Money(
        reward,
        tasks,
        bonus,
        after=rng.choice([0, 1, 3]),
        budget=budget,
        items=rng.choice([3, tasks + 2, 3 * tasks + 6]),
    )


def tell(far: MTurkFarSide, clock: Clock, seed: int) -> Purse:
    """One campaign from beginning to end, and what must hold all along and after it."""
    rng = random.Random(seed)
    random.seed(seed)
    found = money(rng)
    print(f"story {seed}: {found}")  # shown where it fails
    purse = Purse.opened(far, clock, found, seed=seed)
    purse.rng = rng
    for name in ("launch", "carry_out", "accept", "finish"):
        take(purse, name)
    for name in rng.choices(list(STEPS), list(STEPS.values()), k=LENGTH):
        take(purse, name)
    end(purse)
    return purse


def take(purse: Purse, name: str) -> None:
    purse.step(name)
    purse.within_budget()


def end(purse: Purse) -> None:
    """All faults are over, all deadlines pass, the campaign ends, and what is due is paid."""
    heal(purse)
    life.close(purse.study.pk, CloseReason.HAND)
    purse.pass_time((TERMS.auto_approval or timedelta()) + timedelta(days=1))
    heal(purse)
    purse.within_budget()
    life.finish(purse.study.pk)
    heal(purse)
    purse.within_budget()
    purse.balanced()
    study = Campaign.objects.get(pk=purse.study.pk)
    assert study.budget is None or pay_budget.excess(study) <= purse.beyond


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_both_accounts_agree_to_the_cent(chunk: int, clock: Clock, quick: None) -> None:
    spent = 0
    with mturk_far_side(seed=chunk, reuse_ids=chunk % 2 == 1) as far:
        adapter = far.adapter()
        with patch.object(adapters, "marketplace", lambda _crowd: adapter):
            for seed in range(chunk * CAMPAIGNS, (chunk + 1) * CAMPAIGNS):
                with suppress(_Done), transaction.atomic():
                    spent += tell(far, clock, seed).fell() > 0
                    raise _Done
    assert spent > CAMPAIGNS / 2, "most stories cost something"
