"""Honest people of one habit: how often a screen touches them, and what that does to cut-offs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.screening import Settings
from annotate.screening.calibration import calibrated, calibrating
from annotate.screening.calibration.habits import concentration, parts
from tests.annotate.screening.columns import columns, crowd


def test_people_are_in_thirds_by_level_time_and_edits():
    who = np.repeat(np.arange(6), 5)
    place = np.array([3, 1, 5, 0, 4, 2])[who]
    found = columns(
        who,
        place[:, None] * 1.0,
        seconds=60.0 - place,
        edit_distance=np.where(who == 2, np.nan, 10.0 + place),
        edit_text=np.arange(30),
    )
    level, time, edits = parts(found).T
    assert level.tolist() == [1, 0, 2, 0, 2, 1]
    assert time.tolist() == [1, 2, 0, 2, 0, 1]
    assert edits[[1, 3]].tolist() == [0, 0]
    assert edits[4] == 2
    assert edits[2] == 1  # no edit is known: in the middle


def test_one_third_that_has_all_the_evidence_has_three_times_its_share():
    evidence = np.r_[np.full(300, 5.0), np.zeros(600)]
    part = np.repeat([0, 1, 2], 300)[:, None]
    assert concentration(evidence, part, 300) == pytest.approx(3, abs=0.1)
    alike = np.tile([5.0, 0.0, 0.0], 300)
    assert concentration(alike, part, 300) == pytest.approx(1, abs=0.01)
    assert concentration(np.zeros(900), part, 300) == 1


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 999),
    people=st.integers(1, 60),
    most=st.integers(1, 80),
    habits=st.integers(1, 3),
)
def test_it_is_at_least_1_and_at_most_3(seed, people, most, habits):
    rng = np.random.default_rng(seed)
    evidence = np.maximum(rng.standard_normal(people), 0)
    part = rng.integers(0, 3, (people, habits))
    assert 1 - 1e-9 <= concentration(evidence, part, most) <= 3


def test_a_screen_of_one_habit_has_a_higher_cutoff(monkeypatch):
    monkeypatch.setattr(calibrating, "HISTORIES", 240)
    found = crowd(5, people=24)
    quick = replace(found, seconds=np.where(found.who < 8, 1.0, 1.4) * found.seconds / 4)
    usual = calibrated(quick, Settings())
    monkeypatch.setattr(calibrating, "UNEVEN", 3.0)
    uneven = calibrated(quick, Settings())
    higher = {name for name in usual.of if usual.listed(name) > uneven.listed(name)}
    assert higher
    assert all(usual.listed(name) >= uneven.listed(name) for name in usual.of)


def test_a_screen_that_is_off_leaves_its_part_to_nobody(monkeypatch):
    monkeypatch.setattr(calibrating, "HISTORIES", 60)
    usual = calibrated(crowd(5), Settings())
    off = Settings.from_dict({"flags": {"off": ["too_fast", "own_consistency"]}})
    fewer = calibrated(crowd(5), off)
    assert "too_fast" not in fewer.of
    assert fewer.listed("low_agreement") == usual.listed("low_agreement")
