"""How the screens share out whom they may list, and what `no_variation` leaves to the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.screening import Settings
from annotate.screening.calibration import calibrating
from annotate.screening.calibration import uniform as usual
from annotate.screening.calibration.allocating import ASSUMED, NEEDY, allocated
from annotate.screening.calibration.honest import Honest
from annotate.screening.calibration.uniform import uniform
from annotate.screening.registry import SCREENS
from bench.screening import table
from tests.annotate.screening.columns import columns, crowd
from tests.released_data import records

MEASURED = [name for name in SCREENS if name not in ASSUMED]


def off(*screens):
    return Settings.from_dict({"flags": {"off": list(screens)}})


def test_without_edits_agreement_has_the_part_of_own_consistency():
    without = [name for name in MEASURED if name != "own_consistency"]
    found, every = (allocated(names, Settings()) for names in (without, MEASURED))
    gained = found["low_agreement"] - every["low_agreement"]
    assert gained == pytest.approx(every["own_consistency"])
    others = [name for name in without if name != "low_agreement"]
    assert all(found[name] == every[name] for name in others)
    assert sum(found.values()) == pytest.approx(sum(every.values())) == pytest.approx(1.0)


@pytest.mark.parametrize("needed", [1.0, 0.25])
def test_a_screen_that_is_switched_off_leaves_its_part_to_nobody(needed):
    active = [name for name in MEASURED if name != "own_consistency"]
    every = allocated(MEASURED, Settings(), needed)
    found = allocated(active, off("own_consistency"), needed)
    assert found == pytest.approx({name: every[name] for name in active})


@given(
    active=st.sets(st.sampled_from(MEASURED)).map(sorted),
    needed=st.sampled_from([0.125, 0.25, 0.5, 1.0]),
)
def test_what_no_variation_does_not_need_is_left_to_those_who_find_little(active, needed):
    before, after = (allocated(active, Settings(), part) for part in (1.0, needed))
    assert sum(after.values()) == pytest.approx(sum(before.values()))
    assert sum(after.values()) <= 1 + 1e-9
    heirs = [name for name in NEEDY if name in active]
    if "no_variation" in active and heirs:
        assert after["no_variation"] == pytest.approx(needed * before["no_variation"])
        grown = [after[name] / before[name] for name in heirs]
        assert grown == pytest.approx([grown[0]] * len(grown))
        assert grown[0] >= 1
    rest = [name for name in active if name not in {*heirs, "no_variation"}]
    assert all(after[name] == before[name] for name in rest)


@pytest.mark.parametrize(
    ("cut", "needed"),
    [
        (lambda part: 5.0, 0.125),  # all are found with any part
        (lambda part: 3.0 / part, 0.5),  # 6 with a half, which finds all who have 9
        (lambda part: 9.5 - part, 1.0),  # only all of it finds them
        (lambda part: 10.0, 1.0),  # nobody is ever found
    ],
)
def test_the_least_part_is_needed_that_finds_nearly_as_many_as_all_of_it(cut, needed):
    assert calibrating._needed(np.full(60, 9.0), cut) == needed


def test_who_is_found_by_nineteen_of_twenty_is_found():
    evidence = np.r_[np.full(57, 9.0), np.full(3, 4.0)]
    assert calibrating._needed(evidence, lambda part: 3.0 + 2 * (part < 1)) == 0.125
    assert calibrating._needed(evidence[2:], lambda part: 3.0 + 2 * (part < 1)) == 1.0


def simulated(study):
    rng = np.random.default_rng(3)
    columns, _mine = table.campaign(study, "usual", 120, rng)
    model = Honest.fitted(columns, np.ones(120, dtype=bool), np.ones(len(columns.who)))
    return uniform(model, columns, Settings(), rng)


def test_who_nearly_always_gives_the_usual_answer_stands_out_the_more_there_is_to_answer():
    """Of three levels, two people in five give the usual one; of four criteria, few do."""
    one, four = simulated("rating 1×5"), simulated("rating 4×5")
    assert one.size == four.size == 60
    assert np.median(one) > 1
    assert np.median(four) > np.median(one) + 2


def test_the_usual_answer_is_what_people_most_often_give_to_all_questions_together():
    """The most frequent answers to each question, 0, 1 and 0, are not the most frequent ones."""
    scores = [(0, 0, 0)] * 3 + [(0, 1, 0), (0, 1, -1), (-1, 0, 0)] + [(1, 1, 1)] * 4
    made = columns(np.arange(10) % 5, scores)
    assert usual._usual(made).tolist() == [1, 1, 1]


def test_answers_about_paragraphs_can_be_uniform():
    records("price-of-debiasing-qa-sample.jsonl.gz")  # or it is skipped
    assert np.median(simulated("answers")) > 3


def test_a_few_people_are_simulated_a_few_times_only():
    columns = crowd(5, people=6)
    model = Honest.fitted(columns, np.ones(6, dtype=bool), np.ones(len(columns.who)))
    assert uniform(model, columns, Settings(), np.random.default_rng(1)).size == 10
