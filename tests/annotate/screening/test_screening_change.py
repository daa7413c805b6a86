"""A change of pace: by hand, where it is, and what is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, multivariate_normal, norm, t

from annotate.screening.timing.change import LEAST, PRACTICE, _at_any, change
from annotate.screening.timing.screen import TOO_FAST
from annotate.screening.timing.words import FOR_REVIEWERS
from tests.annotate.screening.columns import columns, verdict

TASKS = 20


def campaign(mine, seed=0, people=6):
    """Others who take about a minute, and the last person with `mine`; 50 words are 6 seconds."""
    rng = np.random.default_rng(seed)
    theirs = 60 * np.exp(0.5 * rng.standard_normal((people - 1, TASKS)))
    return columns(np.repeat(np.arange(people), TASKS), seconds=np.vstack([theirs, mine]).ravel())


def found(mine, most=20.0, **more):
    here = campaign(mine, **more)
    return change(here, np.ones(len(here.who), bool), np.full(len(here.who), 6.0), np.full(6, most))


def falling(rng, at, before=60.0, since=2.0):
    times = np.where(np.arange(TASKS) < at, before, since)
    return times * np.exp(0.5 * rng.standard_normal(TASKS))


def test_a_fall_by_hand():
    mine = falling(np.random.default_rng(1), 8)
    here = campaign(mine)
    answer = found(mine)
    assert answer.rows.reshape(6, TASKS).sum(axis=1).tolist() == [0, 0, 0, 0, 0, 12]
    assert answer.rows[-12:].all()
    assert answer.before[-1] == pytest.approx(np.exp(np.log(mine[:8]).mean()))
    assert answer.since[-1] == pytest.approx(np.exp(np.log(mine[8:]).mean()))
    logs = np.log(here.seconds.reshape(6, TASKS))
    usual = ((logs - logs.mean(axis=1, keepdims=True)) ** 2).sum() / (6 * (TASKS - 1))
    early, late = logs[-1, :8], logs[-1, 8:]
    inside = ((early - early.mean()) ** 2).sum() + ((late - late.mean()) ** 2).sum()
    spread = (inside + 8 * usual) / (TASKS - 2 + 8)
    fall = (early.mean() - late.mean() - np.log(1.75)) / np.sqrt(spread * (1 / 8 + 1 / 12))
    chance = at_any(t.sf(fall, TASKS - 2 + 8), TASKS)
    assert answer.evidence[-1] == pytest.approx(-np.log10(chance))
    assert (answer.evidence[:-1] == 0).all()


def at_any(chance, n):
    """A fall at the first task, or at one task and not at the one before: bivariate normal."""
    limit, total = norm.isf(chance), chance
    for k in range(LEAST, n - LEAST):
        alike = np.sqrt(k * (n - k - 1) / ((k + 1) * (n - k)))
        both = multivariate_normal([0, 0], [[1, alike], [alike, 1]]).cdf([-limit, -limit])
        total += chance - both
    return total


@pytest.mark.parametrize("n", [8, 9, 12, 25, 100])
def test_a_fall_at_any_task_is_no_likelier_than_it_is_taken_to_be(n):
    """Of 200,000 people who never change; and no more than one probability for each task."""
    chance, people = 0.002, 200_000
    taken = float(_at_any(np.array([chance]), np.array([n]))[0])
    most = np.full(people, -np.inf)
    total = 0.0
    sums = np.cumsum(np.random.default_rng(n).standard_normal((n, people), np.float32), axis=0)
    for k in range(LEAST, n - LEAST + 1):
        total += chance
        fall = sums[k - 1] / k - (sums[-1] - sums[k - 1]) / (n - k)
        most = np.maximum(most, fall / np.sqrt(1 / k + 1 / (n - k)))
    found = int((most > norm.isf(chance)).sum())
    assert binomtest(found, people, taken, alternative="greater").pvalue > 0.001
    assert found > 0.5 * taken * people
    assert chance <= taken <= total * (1 + 1e-9)
    assert (taken < 0.75 * total) == (n > 9)


@pytest.mark.parametrize("n", [8, 12, 25, 60])
def test_a_fall_is_no_likelier_where_the_spread_of_times_is_estimated(n):
    """Of 100,000 people who never change, with spreads as the 8 usual tasks assume them to be."""
    people, rng = 100_000, np.random.default_rng(n)
    spread = np.sqrt(8 / rng.chisquare(8, people))
    times = spread * rng.standard_normal((n, people))
    sums, squares = np.cumsum(times, axis=0), (times**2).sum(axis=0)
    largest = np.full(people, -np.inf)
    for k in range(LEAST, n - LEAST + 1):
        early, late = sums[k - 1] / k, (sums[-1] - sums[k - 1]) / (n - k)
        inside = squares - k * early**2 - (n - k) * late**2
        error = np.sqrt((inside + 8) / (n - 2 + 8) * (1 / k + 1 / (n - k)))
        np.maximum(largest, (early - late) / error, out=largest)
    chance = _at_any(t.sf(largest, n - 2 + 8), np.full(people, n))
    for wanted in (0.01, 0.001):
        passed = int((chance <= wanted).sum())
        assert binomtest(passed, people, wanted, alternative="greater").pvalue > 0.001
        assert passed > 0.3 * wanted * people


@settings(max_examples=30, deadline=None)
@given(n=st.integers(8, 200), exponent=st.floats(-290, -0.31), more=st.floats(0, 3))
def test_more_tasks_and_smaller_falls_are_likelier(n, exponent, more):
    chance = 10.0 ** np.array([exponent, exponent, min(exponent + more, -0.31)])
    one, longer, smaller = _at_any(chance, np.array([n, n + 1, n]))
    assert np.isfinite([one, longer, smaller]).all()
    assert chance[0] <= one <= chance[0] * (n - 2 * LEAST + 1) * (1 + 1e-9)
    assert one <= longer * (1 + 1e-9)
    assert one <= smaller * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), at=st.integers(5, 15))
def test_a_large_fall_is_found_where_it_is(seed, at):
    answer = found(falling(np.random.default_rng(seed), at), seed=seed)
    assert answer.evidence[-1] > 3
    assert abs(TASKS - answer.rows[-TASKS:].sum() - at) <= 1


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), pace=st.floats(0.5, 100))
def test_whoever_is_always_as_fast_has_not_changed(seed, pace):
    answer = found(pace * np.exp(0.5 * np.random.default_rng(seed).standard_normal(TASKS)))
    assert answer.evidence[-1] < 3


def test_practice_alone_is_no_change():
    """Times by a power law of practice with exponent .3: no fall is larger than what is allowed."""
    logs = -0.3 * np.log(np.arange(1, 26))
    falls = [logs[:k].mean() - logs[k:].mean() for k in range(LEAST, 26 - LEAST)]
    assert 0.95 * PRACTICE < max(falls) <= PRACTICE


@pytest.mark.parametrize("usual", [2.0, 8.0])
def test_people_who_learn_hardly_ever_show_a_change(usual):
    """Of 2,000 people who are below reading speed from the start, or come to be."""
    rng, people = np.random.default_rng(7), 2000
    who = np.repeat(np.arange(people), TASKS)
    practice = np.tile(np.arange(1, TASKS + 1) ** -0.3, people)
    here = columns(who, seconds=usual * practice * np.exp(0.7 * rng.standard_normal(who.size)))
    rows, needed = np.ones(who.size, bool), np.full(who.size, 6.0)
    answer = change(here, rows, needed, np.full(people, 20.0))
    shown = int((answer.evidence > 2).sum())
    assert answer.rows.any()
    assert binomtest(shown, people, 0.01, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize(
    ("before", "since"),
    [(60.0, 8.0), (6.0, 3.5), (2.0, 60.0)],
    ids=["still reads", "twice as quick", "slower"],
)
def test_what_is_no_change_of_this_kind(before, since):
    mine = falling(np.random.default_rng(2), 10, before, since)
    assert found(mine).evidence[-1] < 2


def test_times_below_reading_are_no_sign_where_the_others_need_no_more():
    mine = falling(np.random.default_rng(2), 10)
    assert found(mine, most=20.0).evidence[-1] > 3
    assert found(mine, most=1.0).evidence[-1] == 0


def test_three_tasks_are_too_few():
    times = np.where(np.arange(TASKS) < TASKS - 3, 60.0, 1.0)
    assert found(times).rows.sum() != 3


def test_three_tasks_before_are_too_few():
    times = np.where(np.arange(TASKS) < 3, 60.0, 1.0)
    assert found(times).rows.sum() != TASKS - 3


def test_a_fall_to_a_little_less_than_reading_is_one():
    """Six seconds are needed."""
    rng = np.random.default_rng(3)
    mine = np.where(np.arange(TASKS) < 10, 300.0, 4.5) * np.exp(0.1 * rng.standard_normal(TASKS))
    assert found(mine).evidence[-1] > 3


def test_one_quick_task_is_no_change():
    mine = np.full(TASKS, 60.0)
    mine[7] = 1.0
    answer = found(mine)
    assert not answer.rows.any()
    assert (answer.evidence == 0).all()
    assert np.isnan([answer.before, answer.since]).all()


def test_whoever_is_always_below_reading_has_no_task_since():
    answer = found(np.full(TASKS, 2.0))
    assert not answer.rows.any()
    assert np.isnan([answer.before, answer.since]).all()


def test_the_screen_says_since_when():
    mine = falling(np.random.default_rng(1), 12)
    answer = verdict(TOO_FAST, campaign(mine), 5)
    assert answer.n == 8
    assert answer.high < 1
    assert answer.numbers["seconds"] == np.median(mine[12:])
    assert 40 < answer.numbers["others_seconds"] < 90
    assert answer.numbers["seconds_before"] > 40
    assert "Their own tasks before took 67" in FOR_REVIEWERS.detail(answer)
    always = verdict(TOO_FAST, campaign(np.full(TASKS, 2.0)), 5)
    assert always.numbers["seconds_before"] is None
    assert always.flagged
