"""How the tables of the screens are made: each calibration once, and what an oracle finds."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bench.screening import __main__ as tables
from bench.screening import crowds, oracle, table


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(table, "TOGETHER", 20)
    monkeypatch.setattr(table, "LOOKS", 2)
    monkeypatch.setattr(table, "CALIBRATED_AT", (1,))
    monkeypatch.setattr("annotate.screening.calibration.calibrating.HISTORIES", 20)
    table.calibrated_at.cache_clear()
    yield
    table.calibrated_at.cache_clear()


def test_a_row_is_what_its_campaigns_are_one_by_one(small, monkeypatch):
    monkeypatch.setattr(table, "CALIBRATIONS", 1)
    rows = [("rating 1×5", "slow"), ("rating 1×5", "constant, all best")]
    with ThreadPoolExecutor(2) as pool:
        found = dict(tables.tallies(pool, rows, 4, True))
    for row in rows:
        alone = table.Tally()
        for seed in range(table.campaigns(row[1], 4)):
            alone.merge(table.one((*row, 20, seed, True)))
        assert found[row] == alone
    assert found[rows[0]].people == 12  # of an honest kind three times as many
    assert found[rows[1]].people == 4


@pytest.mark.parametrize(("people", "calibrations"), [(4, 1), (16, 3)])
def test_a_row_of_many_campaigns_has_three_calibrations(small, people, calibrations):
    with ThreadPoolExecutor(2) as pool:
        list(tables.tallies(pool, [("rating 1×5", "constant, all best")], people, True))
    info = table.calibrated_at.cache_info()
    assert (info.misses, info.hits) == (calibrations, 0)


@pytest.mark.parametrize(("people", "calibrations"), [(40, 3), (999, 3), (1000, 6), (1500, 9)])
def test_three_times_as_many_people_have_three_times_as_many_calibrations(people, calibrations):
    assert table.calibrations("slow", people) == calibrations


def test_a_study_has_one_row_of_a_kind():
    assert tables.rows(["answers", "rating 4×5"], "lenient") == [
        ("answers", "lenient"),
        ("rating 4×5", "lenient"),
    ]
    assert tables.rows(["rating 4×5"], "sceptics") == []


def test_all_rows_of_all_studies_are_there():
    rows = tables.rows(crowds.STUDIES)
    assert len(rows) == len(set(rows))
    assert {study for study, _kind in rows} == set(crowds.STUDIES)


def test_an_oracle_lists_as_many_honest_people_as_it_may_and_finds_more_in_more_criteria():
    rng = np.random.default_rng(0)
    honest, careless = oracle.ratios("rating 4×5", "usual", 4000, rng)
    assert honest.shape == careless.shape == (4000,)
    # Each is likelier by the density that it comes from.
    assert honest.mean() < -1 < 1 < careless.mean()
    above = (honest > np.quantile(honest, 1 - oracle.LISTED[0])).mean()
    assert above == pytest.approx(oracle.LISTED[0], abs=1e-3)
    few, many = (oracle.found(f"rating {c}", "usual", 4000, rng)[0] for c in ("1×5", "8×7"))
    assert 0.1 < few < 0.4 < many
    assert oracle.found("rating 1×5", "mirrored", 4000, rng)[0] > few
