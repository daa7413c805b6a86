"""The harm table: its truth, its bias by hand, and what screens take back; a tiny run."""

import numpy as np
import pytest

from annotate.screening.cutoffs import UNCALIBRATED
from bench.screening import crowds, harm
from bench.screening.campaigns import Design
from bench.screening.harm import NOBODY

BEST = "constant, all best"


@pytest.fixture(autouse=True)
def uncalibrated(monkeypatch):
    """A calibration takes seconds; the cut-offs before the first one find who always says best."""
    monkeypatch.setattr(harm, "_cutoffs", lambda *_row: [UNCALIBRATED] * len(harm.LOOKS))


@pytest.mark.parametrize(
    ("study", "mean"),
    # By hand: .378 - .117 of the released answers; 7.611 / 3.379 of five bell-shaped levels.
    [(crowds.QUALITY, 0.261), ("rating 1×5", 2.252)],
)
def test_the_truth_is_the_mean_of_honest_scores(study, mean):
    quality = crowds.effects(study, 200_000, np.random.default_rng(1))
    assert harm.criterion(study).truth(quality) == pytest.approx(mean, abs=0.005)


def test_given_effects_leave_the_other_draws_as_they_are():
    """The tables of the other benches do not change by the argument."""
    people = [crowds.USUAL] * 6
    design = Design(people=6, cap=5)
    for study in harm.STUDIES:
        first, again = (
            crowds.drawn(study, design, people, np.random.default_rng(3)) for _ in range(2)
        )
        assert (first.answers == again.answers).all()
        quality = np.full((100, first.answers.shape[1]), 9.0)
        better = crowds.drawn(study, design, people, np.random.default_rng(3), quality)
        assert better.answers.mean() > first.answers.mean()


def test_a_fifth_who_say_best_push_the_estimate_by_a_fifth_of_the_way():
    """Everybody does as much work, so the bias is .2 of what is missing to the best, 1 - .261."""
    row = harm.run((crowds.QUALITY, BEST, 0.2), 6)
    bias, error = row.bias(False)
    assert bias == pytest.approx(0.2 * (1 - 0.261), abs=0.02)
    assert 0 < error < 0.02
    left, _error = row.bias(True)
    assert abs(left) < bias / 3
    assert row.left_out(0).startswith("100")
    assert sum(one.covered[0] for one in row.results) < sum(one.covered[1] for one in row.results)


@pytest.mark.slow
def test_rows_are_of_the_same_campaigns():
    cells = [(crowds.QUALITY, NOBODY, 0.0), (crowds.QUALITY, "tiny edits, 4 of 5", 0.05)]
    nobody, few = (harm.run(cell, 3) for cell in cells)
    # The same campaigns, so the same careful people: what differs is the kind alone.
    assert [one.honest for one in nobody.results] == [one.honest for one in few.results]
    assert all(one.error[0] == one.honest for one in nobody.results)
    assert nobody.left_out(0) == "–"
    assert harm.line(cells[0], nobody).startswith("| nobody | 0 % |")
    columns = harm.header().splitlines()[0].count("|")
    assert {harm.line(cell, nobody).count("|") for cell in cells} == {columns}
