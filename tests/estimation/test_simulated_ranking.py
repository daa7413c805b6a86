"""The simulated rankings of docs/statistics.md decide about pairs as a campaign does."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from annotate.models import Campaign
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, SystemOutputs
from bench.ranking import FEW, LEVEL, SCALE, Design, Judgments, collect, histories, look, quality
from estimation import protocols
from estimation.core import Sample
from estimation.services import rankings
from estimation.services.findings import Contrast
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
                rule_for(brief, criterion, n_units=design.n_items),
                same=False,
            )
        )
    return rankings.judged(brief, systems, found)


def sample(design: Design, given: Judgments, k: int, n: int) -> Sample:
    """The judgments of the first n items of system k."""
    rows = slice(0, int(np.searchsorted(given.item[k], n)))
    columns = given.score[k][rows], given.item[k][rows], given.person[k][rows]
    return Sample(*columns, design.n_items, SCALE, given.metric[k])


@pytest.mark.parametrize("name", DESIGNS)
def test_a_simulated_look_is_a_campaigns(name):
    design = DESIGNS[name]
    rng = np.random.default_rng(11)
    given = collect(design, quality(design, rng), rng)
    brief = counting.brief(campaign(design).pk)
    pairs, looks, seen = list(combinations(range(3), 2)), (30, 100, 170, 240), set()
    known = {pair: histories(design, given, pair, looks) for pair in pairs}
    for n in looks:
        # As after a stop at 100 of the first system.
        prefixes = {pair: min(n, 100) if 0 in pair else n for pair in pairs}
        said = look(design, {pair: known[pair][size] for pair, size in prefixes.items()})
        decided = by_campaign(brief, design, given, prefixes)
        for one, simulated in zip(decided, said.values(), strict=True):
            assert one.difference.method.estimator == "balanced"
            assert simulated.outcome == one.ranked.outcome
            ends = one.ranked.interval.low, one.ranked.interval.high
            assert (simulated.low, simulated.high) == pytest.approx(ends, abs=1e-9)
            seen.add(simulated.outcome)
    assert len(seen) > 1  # something is decided, and something is open
