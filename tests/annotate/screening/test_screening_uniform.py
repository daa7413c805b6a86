"""How much likelier answers are of somebody who gives one answer than of somebody honest."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binomtest, dirichlet_multinomial, multinomial, norm, rankdata

from annotate.screening import Settings
from annotate.screening import calibration as tails
from annotate.screening.base import UNCALIBRATED, lately
from annotate.screening.screens import run
from annotate.screening.uniform import (
    CORRELATION,
    NO_VARIATION,
    SHARES,
    STEPS,
    GivenAnswers,
    usual_answers,
)
from tests.annotate.screening.columns import columns, crowd, verdict

LIMITS = Settings().crowd
NOTHING_KNOWN = Settings.from_dict({"variation": {"correlation": 0.0}})
SPREAD = 0.4
BEST, MIDDLE, WORST = (1, 1, 1), (0, 0, 0), (-1, -1, -1)


def evidence(found, who, kept=None):
    """The evidence on one person; kept: (T,) the judgments that are looked at."""
    usual = usual_answers(found, LIMITS)
    answered = GivenAnswers.of(usual, np.arange(usual.counts.who.size))
    times = None if kept is None else usual.kept(kept).times
    return float(answered.one_answer(times)[np.searchsorted(found.people, who)])


def answering(found, who, answers):
    """The columns with these answers of one person, in the order in which they arrived."""
    table, mine = np.array(answers, float), np.flatnonzero(found.annotator == who)
    mine = mine[np.argsort(found.order[mine])]
    scores = {name: column.copy() for name, column in found.scores.items()}
    for column, values in zip(scores.values(), table.T, strict=True):
        column[mine] = np.resize(values, mine.size)
    return replace(found, scores=scores)


def normal_scores(found, usual):
    """By scipy's ranks: what each answer of each judgment says, among the usual people's."""
    z = np.empty(found.answers.shape)
    for column, answers in zip(z.T, found.answers.T, strict=True):
        ranks = norm.ppf((rankdata(answers[usual]) - 0.5) / usual.sum())
        by_level = dict(zip(answers[usual].tolist(), ranks.tolist(), strict=True))
        column[:] = [by_level[level] for level in answers.tolist()]
        column -= column[usual].mean()
        column /= column[usual].std()
    mean = z.mean(axis=1)
    return (mean - mean[usual].mean()) / mean[usual].std()


def sequence(distribution, times):
    """The probability of answers in one order, of a distribution that counts all orders."""
    orders = gammaln(times.sum() + 1) - gammaln(times + 1).sum()
    return np.exp(distribution.logpmf(times) - orders)


def spread_by_pairs(z, who):
    """From the mean product of every two judgments of one person, and 20 people with .15."""
    people = set(who.tolist())
    products = [a * b for each in people for a, b in permutations(z[who == each].tolist(), 2)]
    share = max(np.mean(products), 0.0)
    return np.sqrt((len(people) * share + 20 * 0.15) / (len(people) + 20))


def by_another_way(found, who, last):
    """The evidence on one person from scipy's distributions; everything is counted by loops."""
    rows = [tuple(row) for row in found.answers.tolist()]
    names = sorted(set(rows))
    own = np.flatnonzero(found.annotator == who)
    mine = [rows[k] for k in own[np.argsort(found.order[own])]]
    is_uniform = Counter(mine).most_common(1)[0][1] >= 0.8 * len(mine)
    usual = (found.annotator != who) | (not is_uniform)
    z = normal_scores(found, usual)
    spread = spread_by_pairs(z[usual], found.annotator[usual])
    level = np.array([z[rows.index(name)] for name in names])
    p = np.array([rows.count(name) - mine.count(name) + 0.5 for name in names])
    p /= p.sum()
    steps = np.linspace(-4, 4, 33)
    weight = norm.pdf(steps) / norm.pdf(steps).sum()

    def honest(part):
        times, found = np.array([part.count(name) for name in names]), 0.0
        for step, share in zip(steps, weight, strict=True):
            tilted = p * np.exp(spread * step * level)
            alpha = tilted / tilted.sum() * (1 / CORRELATION - 1)
            found += share * sequence(dirichlet_multinomial(alpha, times.sum()), times)
        return found

    def one(part):
        times = np.array([part.count(name) for name in names])
        most = int(times.argmax())
        same = [len(set(name)) == 1 for name in names]
        chosen = 0.5 * same[most] / sum(same) + 0.5 * p[most]
        shares = [(1 - c) * p + c * np.eye(len(names))[most] for c in SHARES]
        return chosen * np.mean([sequence(multinomial(times.sum(), p), times) for p in shares])

    before = honest(mine[:-last]) if last < len(mine) else 1.0
    return np.log10(before * one(mine[-last:]) / honest(mine))


@pytest.mark.parametrize("answers", [[BEST], [MIDDLE, BEST, BEST], [BEST, (0, 1, 0)]])
@pytest.mark.parametrize("last", [5, 12, 100])
def test_it_is_that_of_scipys_distributions(answers, last):
    found = answering(crowd(4, people=10), 3, answers)
    kept = None if last == 100 else lately(found, last)
    assert evidence(found, 3, kept) == pytest.approx(by_another_way(found, 3, last), abs=1e-9)


def honest(rng, people, n, p, level):
    """Counts (N, K) of honest people, as the model says: a level of their own, and their own."""
    steps = SPREAD * rng.standard_normal(people)
    tilted = p * np.exp(np.outer(steps, level))
    tilted /= tilted.sum(axis=1, keepdims=True)
    own = rng.standard_gamma(tilted * (1 / CORRELATION - 1))
    return rng.multinomial(n, own / own.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n", [8, 25, 100])
def test_evidence_comes_up_by_chance_as_rarely_as_it_says(n):
    """A ratio of 10^x or more comes up in at most 10^-x of honest people (Ville 1939)."""
    rng = np.random.default_rng(n)
    level = np.array([-1.6, -0.8, 0.1, 0.9, 1.4])
    p = np.array([0.1, 0.2, 0.35, 0.2, 0.15])
    times = honest(rng, 20_000, n, p, level).astype(float)
    found = given(times, p, level).one_answer()
    for least in (0.5, 1.0, 1.5, 2.0):
        passed = int((found >= least).sum())
        assert binomtest(passed, found.size, 10**-least, alternative="greater").pvalue > 1e-3
    assert (found >= 0.5).any()


def given(times, p, level):
    """The answers (N, K) of people whose others answer as p (K,) says, each straight."""
    person, begins = np.divmod(np.arange(times.size), p.size)[0], np.arange(0, times.size, p.size)
    tilted = p * np.exp(np.outer(SPREAD * STEPS, level))
    tilted = np.tile(tilted / tilted.sum(axis=1, keepdims=True), len(times))
    usual = np.tile(p, len(times))
    return GivenAnswers(times.ravel(), person, begins, usual, tilted, 0.1 + 0.5 * usual)


LENIENT = [BEST] * 8 + [(1, 1, 0), (0, 1, 1)]
CARELESS = [BEST] * 8 + [(-1, 0, 0), (0, -1, -1)]


def test_who_is_lenient_gives_the_answers_next_to_the_best_as_well():
    """The best one as often as somebody who gives it without a look, and else anybody's answers."""
    found = crowd(7, people=40, each=30)
    lenient, careless = (evidence(answering(found, 4, each), 4) for each in (LENIENT, CARELESS))
    assert careless > lenient + 1


def test_it_grows_with_every_answer_that_is_the_same_and_with_rarity():
    found = crowd(8, people=40, each=30)
    seen = [
        evidence(answering(found, 4, [*[BEST] * n, *[MIDDLE] * (30 - n)]), 4) for n in (18, 22, 26)
    ]
    assert seen == sorted(seen)
    rare, usual = (evidence(answering(found, 4, [each]), 4) for each in (WORST, BEST))
    assert rare > usual > 3


def test_who_gives_one_answer_need_not_give_the_same_to_all_questions():
    found = crowd(9, people=40, each=30)
    straight, other = (evidence(answering(found, 4, [each]), 4) for each in (BEST, (1, 0, 1)))
    assert min(straight, other) > 3


def test_what_somebody_answered_before_says_at_which_level_they_answer():
    """Eight times the best answer, after work like that, and after work unlike it."""
    found = crowd(10, people=40, each=30)
    like = [(1, 1, 0), (0, 1, 1), BEST] * 7
    unlike = [(-1, 0, 0), (0, -1, -1), MIDDLE] * 7
    before, after = (
        evidence(done, 4, lately(done, 8))
        for done in (answering(found, 4, [*each, *[BEST] * 9]) for each in (unlike, like))
    )
    assert before > after + 1
    assert before > evidence(answering(found, 4, [*unlike, *[BEST] * 9]), 4)


def test_levels_and_straight_answers():
    scores = [BEST, MIDDLE, WORST, (1, 0, 1), BEST, (0, 0, 1)] * 4
    usual = usual_answers(columns(np.arange(24) % 6, scores), LIMITS)
    names = sorted(set(scores))
    at = {name: k for k, name in enumerate(names)}
    assert usual.straight.tolist() == [len(set(name)) == 1 for name in names]
    assert usual.level[at[WORST]] < usual.level[at[MIDDLE]] < usual.level[at[(0, 0, 1)]]
    assert usual.level[at[(1, 0, 1)]] < usual.level[at[BEST]]
    assert usual.level[usual.found.category].mean() == pytest.approx(0, abs=1e-12)
    assert usual.level[usual.found.category].std() == pytest.approx(1)


def test_people_whose_levels_differ_may_differ_more():
    """Of a study in which everybody answers at the same level, uniform answers say more."""
    alike = crowd(13, people=40, each=30)
    shift = np.where(alike.annotator % 2, 1.0, -1.0) * (alike.annotator != 4)
    apart = replace(alike, scores={k: np.clip(v + shift, -1, 1) for k, v in alike.scores.items()})
    spreads = [usual_answers(each, LIMITS).spread for each in (alike, apart)]
    assert 0.2 < spreads[0] < 0.3
    assert spreads[1] > 0.6
    said = [evidence(answering(each, 4, [*[BEST] * 6, (0, 1, 1)]), 4) for each in (alike, apart)]
    assert said[0] > said[1] + 1


def test_levels_of_few_people_differ_as_usual():
    few = usual_answers(columns([0, 0, 1, 1], [BEST, BEST, WORST, WORST]), LIMITS)
    assert few.spread == pytest.approx(np.sqrt((2 * 1 + 20 * 0.15) / 22))
    nobody = usual_answers(columns([0, 1], [BEST, WORST]), LIMITS)
    assert nobody.spread == pytest.approx(np.sqrt(0.15))


def test_straight_answers_about_paragraphs_are_those_with_one_verdict():
    verdicts = np.array([[1, 1], [-1, -1], [0, 0], [1, 0], [np.nan, np.nan], [-1, 1]] * 2)
    plausible = np.where(np.isnan(verdicts[:, 0]), 0.0, 1.0)
    usual = usual_answers(
        columns(np.arange(12) % 6, plausible=plausible, verdicts=verdicts), LIMITS
    )
    straight = usual.straight[usual.found.category]
    assert straight.tolist() == [True, True, True, False, True, False] * 2
    level = usual.level[usual.found.category]
    assert level[4] < level[1] < level[2] < level[0]


def test_the_screen_looks_at_the_last_judgments_beside_all_others():
    made = crowd(11, people=40, each=30)
    n = int((made.annotator == 4).sum())
    found = answering(made, 4, [*([(-1, 0, 0), (0, -1, -1), MIDDLE] * 10)[: n - 9], *[BEST] * 9])
    said = verdict(NO_VARIATION, found, 4)
    assert said.numbers["recent"] == 8
    assert said.evidence == pytest.approx(evidence(found, 4, lately(found, 8)))
    assert said.n == 8
    assert said.numbers["longest_run"] == 8
    assert said.value < 0.01


def test_nobody_is_uniform_who_gives_no_answer_in_half_of_the_tasks():
    """However rare the answer is that they give most often."""
    answers = [WORST, WORST, MIDDLE, BEST, (0, 1, 1)]
    found = verdict(NO_VARIATION, answering(crowd(12, people=40, each=30), 4, answers), 4)
    assert (found.evidence, found.value, found.numbers["longest_run"]) == (0, 1, 0)


@pytest.mark.parametrize("least", [0.1, 0.4])
def test_people_differ_at_least_as_much_as_the_settings_say(least):
    """A young campaign, or people who answer alike, do not show how much honest people differ."""
    found = answering(crowd(15, people=40, each=30), 4, [BEST])
    settings = Settings.from_dict({"variation": {"correlation": least}})
    said = verdict(NO_VARIATION, found, 4, settings)
    assert usual_answers(found, LIMITS).within < 0.1
    assert said.numbers["correlation"] == pytest.approx(least)
    assert said.value > verdict(NO_VARIATION, found, 4, NOTHING_KNOWN).value


def test_its_evidence_is_a_ratio():
    """A ratio of a thousand is rarer than one honest person in a thousand, so less may list."""
    assert tails.least_cutoff("no_variation", 0.001) == tails.LEAST_RATIO < 3


def test_before_a_calibration_nobody_is_listed_who_would_not_be_paused():
    """Real people's answers are uniform in more ways than their level explains."""
    found = crowd(14, people=40, each=30)
    each = [answering(found, 4, [*[BEST] * n, *[MIDDLE] * (30 - n)]) for n in range(16, 28)]
    said = [(evidence(one, 4), run(NO_VARIATION, one, Settings(), UNCALIBRATED)[4]) for one in each]
    between = [verdict.tier for strength, verdict in said if 3.2 < strength < 4]
    assert between == [""] * len(between) != []
    assert {verdict.tier for strength, verdict in said if strength > 4} & {"list", "pause"}
