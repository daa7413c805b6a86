"""Too fast: the sign interval by hand, both conditions, and what time does not say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from annotate.screening import Settings, screen_all
from annotate.screening import calibration as calibrating
from annotate.screening.calibration import calibrated
from annotate.screening.screens import run
from annotate.screening.speed import TOO_FAST, median_of_others, medians
from tests.annotate.screening.columns import SMALL, columns, crowd, verdict

# 50 words at 500 a minute take 6 seconds.
QUICK = [2.0, 2.0, 3.0, 1.0, 2.0]


def campaign(seconds, usual=40.0):
    """Five people of five items each who take `usual` seconds, and person 9 with `seconds`."""
    who = np.r_[np.repeat(np.arange(5), 5), np.full(len(seconds), 9)]
    return columns(who, seconds=np.r_[np.full(25, usual), seconds])


def test_five_items_below_reading_speed_suffice():
    found = verdict(TOO_FAST, campaign(QUICK), 9)
    assert found.flagged
    assert found.value == pytest.approx(2 / 6)
    assert found.high == pytest.approx(3 / 6)  # of five, the largest bounds the median at .95
    assert found.low == pytest.approx(1 / 6)
    assert found.numbers["seconds"] == 2
    assert found.numbers["others_seconds"] == 40


def test_one_slow_item_of_five_leaves_the_median_in_doubt():
    found = verdict(TOO_FAST, campaign([*QUICK[:4], 7.0]), 9)
    assert not found.flagged
    assert found.high == pytest.approx(7 / 6)


def test_four_items_are_too_few():
    found = verdict(TOO_FAST, campaign(QUICK[:4]), 9)
    assert not found.enough
    assert not found.flagged


def test_reading_faster_than_the_floor_is_no_flag_where_everybody_does():
    assert not verdict(TOO_FAST, campaign(QUICK, usual=5.0), 9).flagged
    assert verdict(TOO_FAST, campaign(QUICK, usual=6.1), 9).flagged  # 2 < 6.1 / 3


def test_being_much_quicker_than_the_others_is_no_flag_above_reading_speed():
    assert not verdict(TOO_FAST, campaign([7.0] * 5, usual=300.0), 9).flagged


def test_the_usual_time_is_that_of_the_others_each_counting_once():
    seconds = np.r_[np.repeat([10.0, 20.0, 30.0, 40.0, 50.0], 5), QUICK]
    found = columns(np.r_[np.repeat(np.arange(5), 5), np.full(5, 9)], seconds=seconds)
    assert verdict(TOO_FAST, found, 9).numbers["others_seconds"] == 30  # with their own: 25


def test_tasks_of_few_words_and_unknown_times_say_nothing():
    found = campaign(QUICK)
    few = replace(found, words=np.where(found.annotator == 9, 19.0, 50.0))
    unknown = replace(found, seconds=np.where(found.annotator == 9, np.nan, 40.0))
    for case in (few, unknown):
        answer = verdict(TOO_FAST, case, 9)
        assert (answer.n, answer.enough, answer.value) == (0, False, None)


def test_paragraphs_are_scanned_at_their_own_speed():
    found = campaign(QUICK)
    rows = len(found.annotator)
    answers = replace(found, plausible=np.ones(rows), verdicts=np.zeros((rows, 2)))
    assert verdict(TOO_FAST, answers, 9).value == pytest.approx(2 / 1.2)  # 50 words, 2,500 a minute


@pytest.mark.parametrize("extra", [1.0, 5.0, 30.0])
def test_more_time_for_everybody_never_accuses_anybody(extra):
    rng = np.random.default_rng(3)
    before = crowd(3)
    quick = rng.lognormal(1.2, 1, len(before.annotator))
    before = replace(before, seconds=np.where(before.annotator < 6, quick, before.seconds))
    after = replace(before, seconds=before.seconds + extra)
    first = {v.annotator for v in run(TOO_FAST, before, SMALL) if v.flagged}
    assert first
    assert {v.annotator for v in run(TOO_FAST, after, SMALL) if v.flagged} <= first


@pytest.mark.parametrize("n", [1, 4, 5, 8, 9, 25])
def test_the_interval_of_the_median_is_that_of_the_sign_test(n):
    value = np.arange(n, dtype=float)
    middle, low, high = (
        float(part[0]) for part in medians(np.zeros(n, int), value, np.array([n]), 0.95)
    )
    assert middle == np.median(value)
    assert high == next((v for v in value if binom.sf(v, n, 0.5) <= 0.05), np.inf)
    assert low == (n - 1 - high if np.isfinite(high) else -np.inf)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_the_others_usual_time_is_the_median_without_ones_own(size):
    rng = np.random.default_rng(size)
    for _ in range(20):
        value = rng.integers(1, 6, size).astype(float)  # ties too
        value[rng.random(size) < 0.3] = np.nan
        for j, other in enumerate(median_of_others(value)):
            rest = np.delete(value, j)
            rest = rest[np.isfinite(rest)]
            assert other == np.median(rest) if rest.size else np.isnan(other)


def test_who_took_three_times_as_long_before_may_do_fewer_tasks_so_fast():
    """Both do their last ten tasks in two seconds; one of them took 10 seconds before, one 4."""
    who = np.repeat(np.arange(8), 20)
    late = np.tile(np.arange(20) >= 10, 8)
    seconds = np.where(late & (who > 5), 2.0, np.choose(who, [40.0] * 6 + [10.0, 4.0]))
    said = {
        v.annotator: v
        for v in screen_all(columns(who, seconds=seconds), SMALL)
        if v.screen == "too_fast"
    }
    assert said[6].evidence == pytest.approx(-8 * np.log10(0.25))  # of the last eight
    assert said[7].evidence == pytest.approx(-20 * np.log10(0.45))  # of all


def test_answers_that_are_soon_given_do_not_excuse_the_long_ones():
    """Five seconds suffice for a question and its answer, and not for 600 words of paragraphs."""
    who = np.repeat(np.arange(6), 16)
    ended = np.tile(np.arange(16) < 6, 6)
    seconds = np.where(who == 5, 5.0, np.where(ended, 15.0, 90.0))
    words = np.where(ended, 16.0, 600.0)
    found = columns(
        who,
        seconds=seconds,
        words=words,
        plausible=1.0 - ended,
        verdicts=np.where(ended[:, None], np.nan, np.zeros((who.size, 2))),
    )
    answer = verdict(TOO_FAST, found, 5)
    assert answer.n == 10
    assert answer.value == pytest.approx(5 / 14.4)
    assert answer.evidence == pytest.approx(-10 * np.log10(0.45))
    assert answer.numbers["ended_share"] == pytest.approx(6 / 16)
    honest = verdict(TOO_FAST, found, 4)
    assert honest.evidence == 0


def test_a_crowd_that_nobody_can_be_is_found_although_all_are_alike():
    """50 words in .2 s: 15,000 a minute."""
    found = campaign([0.2] * 5, usual=0.2)
    assert all(verdict(TOO_FAST, found, who).flagged for who in (0, 3, 9))
    slower = campaign([1.3] * 5, usual=1.3)  # 2,300 a minute
    assert not verdict(TOO_FAST, slower, 9).flagged
    rows = len(found.annotator)
    searched = replace(found, plausible=np.ones(rows), verdicts=np.zeros((rows, 2)))
    assert verdict(TOO_FAST, searched, 9).flagged
    assert not verdict(TOO_FAST, replace(searched, seconds=np.full(rows, 0.3)), 9).flagged


def test_agreement_does_not_excuse_what_nobody_can_have_read():
    found = replace(campaign([0.2] * 5, usual=0.2), unseen=np.full(30, -5.0))
    assert verdict(TOO_FAST, found, 9).evidence > 1


@pytest.mark.slow
def test_a_calibration_on_bots_does_not_take_them_for_honest_people(monkeypatch):
    monkeypatch.setattr(calibrating, "PEOPLE", 60)
    rng = np.random.default_rng(8)
    bots = crowd(8)
    bots = replace(bots, seconds=rng.uniform(0.1, 0.3, bots.seconds.size))
    settings = Settings()
    verdicts = screen_all(bots, settings, calibrated(bots, settings))
    assert all(one.flagged for one in verdicts if one.screen == "too_fast")
    assert sum(one.screen == "too_fast" for one in verdicts) == 12
