"""Coverage at the stop and of small populations, for the estimators that campaigns may choose.

Each gate is a one-sided binomial bound at 5 %. An interval that truly covers .93 fails the claim of
.945 in six of seven such gates. The campaigns are the first of those in docs/coverage.md.
"""

from dataclasses import replace
from functools import cache

import pytest
from scipy.stats import binom

from bench.coverage.__main__ import SEED
from bench.coverage.cells import CENSUS, OWN_KINDS, PAIRS, STOPPING, Cell
from bench.coverage.intervals import BALANCED, REGRESSION, RELEASED, Way
from bench.coverage.results import Tally, read, rows_of, tally
from bench.coverage.running import run
from bench.coverage.tables import CENSUS_CLAIM, claim_of

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

CAMPAIGNS = 2000
WAYS = (RELEASED, REGRESSION, BALANCED)

# By their numbers in docs/coverage.md.
DIFFER = {"ternary": 1, "ternary .90": 6, "proportion": 18, "binary .5": 21, "binary .9": 24}
DIFFER |= {"HTER": 26}
AGREE = {"ternary": 14, "binary .5 .90": 23, "binary .9": 25, "HTER": 27}
SMALL = {"ternary .88": 101, "ternary": 107, "HTER": 109, "binary .9": 114}
COMPARED = {"preference": 201, "wins": 202}
OWN = {"slider, people differ": 301, "slider, people agree": 302}
OWN |= {"errors, people differ": 303, "errors, people agree": 304}
OWN |= {"three raters, people differ": 305, "three raters of all, people agree": 306}
KEPT = dict(enumerate(STOPPING, 1)) | dict(enumerate(CENSUS, 101))
KEPT |= dict(enumerate(PAIRS, 201)) | dict(enumerate(OWN_KINDS, 301))
CELLS = {
    **{f"{name}, people differ": number for name, number in DIFFER.items()},
    **{f"{name}, people agree": number for name, number in AGREE.items()},
    **{f"{name}, people differ": number for name, number in COMPARED.items()},
    "preference, people agree": 203,
    **OWN,
    "proportion, people agree": 0,
}


def cell_of(number: int) -> Cell:
    return KEPT[number] if number else replace(STOPPING[17], person=0.0)


@cache  # the ways of estimating share their campaigns
def simulated(number: int) -> dict[str, Tally]:
    found = run(cell_of(number), CAMPAIGNS, SEED, number, ways=WAYS)
    return {name: tally(endings) for name, endings in found.items()}


def refuted(found: Tally, claim: float) -> bool:
    """Whether so few covered that the claim would bring it about in one run of twenty."""
    return bool(binom.cdf(found.covered, found.stopped, claim) < 0.05)


@pytest.mark.parametrize("way", [REGRESSION, BALANCED], ids=lambda way: way.name)
@pytest.mark.parametrize("number", CELLS.values(), ids=CELLS)
def test_intervals_cover_at_the_stop(number: int, way: Way) -> None:
    found = simulated(number)[way.name]
    assert found.stop_share >= 0.9
    assert not refuted(found, claim_of(cell_of(number)))
    assert found.own == found.stopped  # an interval contains its estimate


def test_the_released_interval_fails_at_the_stop() -> None:
    # Very uneven people: it covers .936, so the gate sees a shortfall of less than .01.
    [found] = run(STOPPING[1], CAMPAIGNS, SEED, 2, ways=(RELEASED,)).values()
    assert refuted(tally(found), claim_of(STOPPING[1]))


@pytest.mark.parametrize("number", [1, 14])
def test_ternary_campaigns_cost_what_the_page_says(number: int) -> None:
    known = rows_of(read()["stopping"])[number - 1]
    assert known.cell == KEPT[number]
    for way in WAYS:
        expected = known.tallies[way.name].judgments
        assert simulated(number)[way.name].judgments == pytest.approx(expected, rel=0.1)


def test_intervals_for_ternary_scores_are_not_wider_than_needed() -> None:
    found = simulated(1)[BALANCED.name]
    assert binom.sf(found.covered - 1, found.stopped, 0.98) > 0.01


def test_balanced_weights_take_fewer_judgments_where_people_differ() -> None:
    found = simulated(1)
    assert found[BALANCED.name].judgments < 0.87 * found[RELEASED.name].judgments
    assert found[BALANCED.name].judgments < 0.82 * found[REGRESSION.name].judgments


@pytest.mark.parametrize("way", [REGRESSION, BALANCED], ids=lambda way: way.name)
@pytest.mark.parametrize("number", SMALL.values(), ids=SMALL)
def test_intervals_cover_where_all_outputs_are_judged(number: int, way: Way) -> None:
    assert KEPT[number].judged == 1
    found = simulated(number)[way.name]
    assert not refuted(found, CENSUS_CLAIM)
    assert found.own == CAMPAIGNS


@pytest.mark.parametrize("number", SMALL.values(), ids=SMALL)
def test_the_released_interval_fails_where_all_outputs_are_judged(number: int) -> None:
    found = simulated(number)[RELEASED.name]
    assert refuted(found, CENSUS_CLAIM)
    assert found.own < CAMPAIGNS
