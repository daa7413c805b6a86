"""Whom gold finds by the 25th task, and whom it accuses: drawn campaigns, the code that is used.

Each campaign has 60 people, a fifth of them careless, and ten gold items about fluency. Of 25 tasks
of each person, five are gold. An honest person misses an item with .1. A person who answers as
others usually do, whatever the text says, gives a wrong answer to it with .65.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from scipy.stats import binom

from annotate.instruments import base as instruments_base
from annotate.instruments import registry
from annotate.models import Campaign
from annotate.screening.gold import find
from annotate.work import picking
from annotate.work.picking import BLOCK
from tests.factories import GOOD

pytestmark = pytest.mark.slow

PEOPLE, CARELESS, ITEMS, SHARE, CAMPAIGNS = 60, 12, 10, 5, 400
EXPECTED = {"fluency": [-1, 0]}
SURE = 0.001  # of a false alarm of each of these tests

Answer = Callable[[Generator], int]  # -1, 0 or 1 to an item whose text is not fluent


def usual(rng: Generator) -> int:
    return int(rng.choice([1, 0, -1], p=[0.65, 0.25, 0.1]))


def honest(rng: Generator) -> int:
    return int(rng.choice([1, 0, -1], p=[0.1, 0.4, 0.5]))


def guesses(rng: Generator) -> int:
    return int(rng.choice([1, 0, -1]))


def always_best(rng: Generator) -> int:
    return 1


def listed(careless: Answer, campaigns: int, seed: int) -> tuple[int, int]:
    """Return how many careless and how many honest people are listed, over all campaigns."""
    instrument = registry.get("language_quality")
    rng = np.random.default_rng(seed)
    found = np.zeros(2, dtype=int)
    for number in range(campaigns):
        campaign = Campaign(pk=number + 1, gold_share=SHARE)
        rows: list[tuple[int, int, bool]] = []
        for who in range(1, PEOPLE + 1):
            answer = careless if who <= CARELESS else honest
            # As leasing counts them: gold that is owed after all the other tasks of a block.
            n = picking.owed(campaign, who, BLOCK - SHARE)
            assert n >= SHARE
            for item in rng.choice(ITEMS, SHARE, replace=False):
                said: dict[str, Any] = {**GOOD, "fluency": answer(rng)}
                rows.append((who, int(item), instruments_base.is_right(instrument, EXPECTED, said)))
        who_, item_, right = zip(*rows, strict=True)
        chance = [instruments_base.chance(instrument, EXPECTED)] * len(rows)
        on_list = {one.annotator for one in find(who_, item_, right, chance) if one.listed}
        n_careless = sum(one <= CARELESS for one in on_list)
        found += n_careless, len(on_list) - n_careless
    return int(found[0]), int(found[1])


def test_usual_answers_are_found_by_five_gold_items_and_honest_people_are_not() -> None:
    careless, honest_ones = listed(usual, CAMPAIGNS, seed=14)
    n, others = CAMPAIGNS * CARELESS, CAMPAIGNS * (PEOPLE - CARELESS)
    assert careless >= binom.ppf(SURE, n, 0.75), careless / n
    assert honest_ones <= binom.ppf(1 - SURE, others, 0.009), honest_ones / others


@pytest.mark.parametrize(("careless", "share"), [(guesses, 0.2), (always_best, 0.99)])
def test_others_are_found_as_their_answers_allow(careless: Answer, share: float) -> None:
    """A guess among three levels is right with two of three: gold on two questions finds more."""
    found, _honest = listed(careless, 60, seed=15)
    assert found >= binom.ppf(SURE, 60 * CARELESS, share), found


def test_a_wrong_gold_item_accuses_no_honest_person() -> None:
    """Three of ten items whose answer is wrong: all honest people miss them."""
    instrument = registry.get("language_quality")
    rng = np.random.default_rng(16)
    accused = people = 0
    for _ in range(100):
        rows = []
        for who in range(PEOPLE):
            for item in rng.choice(ITEMS, SHARE, replace=False):
                said = {**GOOD, "fluency": 1 if item < 3 else honest(rng)}
                rows.append((who, int(item), instruments_base.is_right(instrument, EXPECTED, said)))
        who_, item_, right = zip(*rows, strict=True)
        accused += sum(one.listed for one in find(who_, item_, right, [0.5] * len(rows)))
        people += PEOPLE
    assert accused <= binom.ppf(1 - SURE, people, 0.009), accused / people
