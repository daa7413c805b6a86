"""docs/coverage.md is what docs/coverage.json says."""

from dataclasses import replace

import numpy as np
import pytest

from bench.coverage.__main__ import SEED, rows
from bench.coverage.cells import CENSUS, CRITERIA, STOPPING
from bench.coverage.results import Tally, as_data, read, rows_of, tally, write
from bench.coverage.running import Endings
from bench.coverage.tables import PAGE, falls_short, page
from estimation.core.campaigns import latent_shares

GOOD = Tally(
    campaigns=1000,
    stopped=1000,
    covered=950,
    own=1000,
    judgments=300.0,
    judgments_sd=50.0,
    error=0.0,
    width=0.24,
)


def test_the_page_is_written_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read())


def test_the_results_are_of_these_cells() -> None:
    results = read()
    assert (results["seed"], results["campaigns"]) == (SEED, 4000)
    assert [row.cell for row in rows_of(results["stopping"])] == list(STOPPING)
    assert [row.cell for row in rows_of(results["census"])] == list(CENSUS)


@pytest.mark.parametrize(("kept", "expected"), [(STOPPING, 28), (CENSUS, 14)])
def test_every_cell_is_another_one_and_can_be_drawn(kept, expected) -> None:
    assert len(set(kept)) == expected
    for cell in kept:
        assert 0 <= sum(latent_shares(cell.plan)) < 1


@pytest.mark.parametrize("scores", CRITERIA.values(), ids=CRITERIA)
def test_what_the_protocol_fixes_follows_from_the_components(scores) -> None:
    share = scores.person
    assert scores.balance == pytest.approx(share / (1 - share), abs=0.01)
    assert scores.person_share == pytest.approx(min(0.08, share), abs=0.005)


def test_results_can_be_kept(tmp_path) -> None:
    cell = replace(STOPPING[0], width=0.5)
    [row] = rows([cell], campaigns=4, first=1)
    write({"seed": 1, "stopping": as_data([row])}, tmp_path / "kept.json")
    [kept] = rows_of(read(tmp_path / "kept.json")["stopping"])
    assert kept.cell == cell
    assert kept.tallies["balanced"].judgments == pytest.approx(row.tallies["balanced"].judgments)


def test_a_tally_counts_the_campaigns_that_stopped() -> None:
    endings = Endings(
        judgments=np.array([100, 0, 200]),
        low=np.array([0.0, np.nan, 0.2]),
        high=np.array([0.2, np.nan, 0.4]),
        estimate=np.array([0.1, np.nan, 0.5]),
        truth=np.array([0.1, 0.1, 0.1]),
    )
    found = tally(endings)
    assert (found.campaigns, found.stopped, found.covered, found.own) == (3, 2, 1, 1)
    assert (found.judgments, found.width) == pytest.approx((150, 0.2))
    assert found.error == pytest.approx(0.2)


def test_coverage_falls_short_beyond_two_standard_errors() -> None:
    # Two standard errors of 950 in 1,000 are .0138.
    assert not falls_short(GOOD, 0.963)
    assert falls_short(GOOD, 0.965)
