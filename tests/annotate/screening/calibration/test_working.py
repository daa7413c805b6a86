"""How long honest people take, and how much they edit: as those of the campaign, drawn again."""

from dataclasses import replace

import numpy as np
import pytest

from annotate.screening.calibration import working
from annotate.screening.calibration.honest import ENDED, Honest
from annotate.screening.calibration.working import Logs
from tests.annotate.screening.columns import columns

APART, WITHIN = 0.6, 0.8  # standard deviations of people, and of a person's tasks


def campaign(rng, *, people=200, tasks=12, kinds=2):
    """Logarithms of times on words by person and kind; the kinds differ in level only."""
    who = np.repeat(np.arange(people), tasks)
    kind = rng.integers(0, kinds, who.size)
    x = rng.uniform(3, 5, who.size)
    own = APART * rng.standard_normal(people)
    return who, x, 0.5 * x - kind + own[who] + WITHIN * rng.standard_normal(who.size), kind


def means(values, who, rows):
    return np.bincount(who[rows], values[rows]) / np.bincount(who[rows])


def test_people_and_tasks_differ_as_much_as_those_that_occurred():
    """People a little less, since the mean of few tasks is nearer the others'."""
    rng, apart, middle = np.random.default_rng(1), [], []
    for _ in range(20):
        model = Logs.fitted(*campaign(rng))
        who, x, _y, kind = campaign(rng, people=1000)
        drawn = np.log(model.drawn(who, 1000, x, rng, kind)) - 0.5 * x + kind
        own = np.bincount(who, drawn) / 12
        apart.append(own.var() - (drawn - own[who]).var() / 11)
        middle.append(drawn.mean())
    little = working._LEAST_EFFECTS**2 / (1 + 200 / 20)  # while few people are known
    nearer = (12 / (12 + working._FEW)) ** 2
    assert np.mean(apart) == pytest.approx(nearer * (APART**2 + WITHIN**2 / 12) + little, rel=0.05)
    assert np.mean(middle) == pytest.approx(0, abs=0.05)


def test_who_is_fast_in_one_kind_of_task_is_as_fast_in_the_other():
    rng = np.random.default_rng(2)
    model = Logs.fitted(*campaign(rng))
    who, x, _y, kind = campaign(rng, people=1000, tasks=40)
    drawn = np.log(model.drawn(who, 1000, x, rng, kind)) - 0.5 * x
    one, other = (means(drawn, who, kind == k) for k in (0, 1))
    assert np.corrcoef(one, other)[0, 1] > 0.8  # about 0 if drawn one by one
    assert one.mean() - other.mean() == pytest.approx(1, abs=0.1)


def test_a_kind_that_the_campaign_has_too_few_of_is_like_the_rest():
    rng = np.random.default_rng(3)
    who, x, y, _kind = campaign(rng, kinds=1)
    model = Logs.fitted(who, x, y)
    kinds = np.arange(who.size) % 2
    drawn = np.log(model.drawn(who, 200, x, rng, kinds)) - 0.5 * x
    assert drawn[kinds == 1].mean() == pytest.approx(drawn[kinds == 0].mean(), abs=0.1)


def of_answers(rng, *, people=60, tasks=30, ended=0.5):
    """Tasks of answers of 1 paragraph; those that end before it take 5 s and not 60 s."""
    who = np.repeat(np.arange(people), tasks)
    plausible = (rng.random(who.size) >= ended).astype(float)
    verdicts = np.where(plausible == 1, rng.integers(-1, 2, who.size), np.nan)[:, None]
    own = APART * rng.standard_normal(people)
    seconds = np.where(plausible == 1, 60.0, 5.0) * np.exp(own[who])
    found = columns(who, plausible=plausible, verdicts=verdicts, seconds=seconds)
    return replace(found, output=np.arange(who.size) // 2)


def simulated(found, rng):
    model = Honest.fitted(found, np.ones(found.people.size, bool), np.ones(found.who.size))
    return model.campaign(found, np.ones(found.people.size), rng)


def test_tasks_that_end_early_have_times_of_their_own_and_the_same_fast_people():
    rng = np.random.default_rng(6)
    made = simulated(of_answers(rng), rng)
    early = made.plausible == 0
    logs = np.log(made.seconds)
    short, whole = (means(logs, made.who, rows) for rows in (early, ~early))
    assert np.exp([short.mean(), whole.mean()]) == pytest.approx([5, 60], rel=0.3)
    assert np.corrcoef(short, whole)[0, 1] > 0.95


def test_a_few_tasks_that_end_early_are_no_model_of_their_own():
    rng = np.random.default_rng(7)
    found = of_answers(rng, tasks=10, ended=0.02)
    assert 0 < (found.plausible == 0).sum() < ENDED
    model = Honest.fitted(found, np.ones(60, bool), np.ones(found.who.size))
    assert len(model.times.lines) == 1


@pytest.mark.parametrize("n", [0, 1, 2])
def test_next_to_nothing_is_known_of_next_to_no_tasks(n):
    rng = np.random.default_rng(5)
    y = np.full(n, 2.0)
    model = Logs.fitted(np.zeros(n, dtype=int), np.ones(n), y)
    kinds = np.array([0, 1, 0])
    drawn = model.drawn(np.array([0, 0, 1]), 2, np.ones(3), rng, kinds)
    assert np.isfinite(drawn).all()
    assert (drawn > 0).all()
