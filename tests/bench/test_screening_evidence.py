"""What a screen finds at the evidence that few honest people of the same campaigns reach."""

import numpy as np
import pytest

from bench.screening import evidence, table


def test_a_row_says_how_many_are_beyond_what_a_share_of_the_honest_reach():
    honest = np.arange(1000) / 1000  # .1 % reach .998, .8 % reach .991
    careless = np.r_[np.full(3, 2.0), np.full(1, 0.9955), np.full(6, 0.0)]
    found, line = evidence.row("too_fast", honest, careless)
    assert found == pytest.approx([30, 30, 30, 40, 40])
    assert line.startswith("| too_fast | 30 (1.0) |")


def test_the_evidence_of_a_campaign_is_parted_by_who_is_of_the_kind(monkeypatch):
    monkeypatch.setattr(table, "LOOKS", 2)
    found = evidence.most("rating 4×5", "constant, all middle", 1)
    honest, careless = found["no_variation"]
    assert (honest.size, careless.size) == (96, 24)
    assert np.median(careless) > 5 > np.median(honest)
