"""The simulated rankings of docs/statistics.md decide about pairs as a campaign does."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from annotate.models import Campaign
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, SystemOutputs
from bench.ranking import FEW, LEVEL, Design, Judgments, collect, look, quality, sample
from estimation import protocols
from estimation.core import PairState, PairVerdict
from estimation.services import rankings
from estimation.services.findings import Contrast, Ranked
from estimation.services.rule import rule_for
from tests.estimation.ranked import ranked

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
SPREAD = replace(FEW, means=(1.5, 0.1, 0.0), n_items=240, people=12)
DESIGNS = {
    "12 people": SPREAD,
    "few people": replace(SPREAD, people=7),
    "a metric": replace(SPREAD, rho=0.5),
    "many people": replace(SPREAD, people=40, cap=10, means=(1.5, 0.1, 0.1)),
}


def campaign(design: Design) -> Campaign:
    """A ranking campaign with the margin and the plan of a simulated one."""
    return ranked(
        systems=("good", "fair", "poor"),
        margins={"overall": design.margin},
        planned_items=design.planned_items,
        level=LEVEL,
    )


def by_campaign(
    brief: Brief, design: Design, given: Judgments, prefixes: dict[tuple[int, int], int]
) -> list[Contrast]:
    """What the services decide about the simulated judgments."""
    (criterion,) = brief.primary
    nothing = np.zeros(0, dtype=np.int64)
    systems = [SystemOutputs(k, str(k), None, nothing, nothing) for k in range(len(given.item))]
    found = []
    for pair, n in prefixes.items():
        one, other = (sample(design, given, k, n) for k in pair)
        found.append(
            Contrast(
                systems[pair[0]],
                systems[pair[1]],
                criterion,
                protocols.compared(brief, criterion, one, other),
                rule_for(brief, criterion, n_population=design.n_items),
                same=False,
            )
        )
    return rankings.judged(brief, systems, found)


def verdict(told: Ranked | None) -> PairVerdict:
    assert told is not None
    ends = (told.interval.low, told.interval.high) if told.interval else (None, None)
    return PairVerdict(told.outcome, *ends)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_simulated_look_is_a_campaigns(name):
    design = DESIGNS[name]
    rng = np.random.default_rng(11)
    given = collect(design, quality(design, rng), rng)
    brief = counting.brief(campaign(design).pk)
    seen = set()
    for n in (30, 100, 170, 240):
        # As after a stop at 100 of the first system.
        prefixes = {pair: min(n, 100) if 0 in pair else n for pair in combinations(range(3), 2)}
        known: dict[tuple[tuple[int, int], int], PairState] = {}
        said = look(design, given, prefixes, known)
        decided = by_campaign(brief, design, given, prefixes)
        assert list(said.values()) == [verdict(one.ranked) for one in decided]
        assert list(known.values()) == [PairState.of(one.difference) for one in decided]
        assert {one.difference.method.estimator for one in decided} == {"balanced"}
        seen |= {one.outcome for one in said.values()}
    assert len(seen) > 1  # something is decided, and something is open
