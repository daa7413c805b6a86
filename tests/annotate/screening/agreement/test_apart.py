"""What answers say beyond a person's level and beyond each other, and agreement in that."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from annotate.screening import Settings
from annotate.screening.agreement.apart import apart
from annotate.screening.agreement.likelihood import SameOutputs, ratios
from annotate.screening.agreement.screen import LOW_AGREEMENT
from annotate.screening.coding import beyond, coded, normal, ranked
from annotate.screening.running import run
from bench.screening import crowds, kinds, table
from bench.screening.campaigns import Design
from tests.annotate.screening.columns import SMALL, crowd


def criteria(found, table):
    return replace(found, scores={f"c{c}": column for c, column in enumerate(table.T)})


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), order=st.permutations(range(3)))
def test_the_order_of_the_criteria_does_not_matter(seed, order):
    found = crowd(seed)
    turned = criteria(found, found.answers[:, order])
    one, other = (ratios(c, np.ones(c.who.size)) for c in map(SameOutputs.of, (found, turned)))
    for name, said in vars(one).items():
        assert getattr(other, name) == pytest.approx(said, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999))
def test_the_parts_of_many_answers_are_unrelated(seed):
    rng = np.random.default_rng(seed)
    found = crowd(seed, people=30, each=100)
    answers = found.answers + 3 * rng.integers(0, 2, (len(found.who), 1))
    z = apart(criteria(found, answers)).z
    related = z.T @ z / len(z)
    assert np.diag(related) == pytest.approx(1, abs=0.25)  # a little less while data are few
    assert related - np.diag(np.diag(related)) == pytest.approx(0, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), person=st.integers(0, 11))
def test_whose_answers_are_all_higher_than_the_others_has_hardly_another_level(seed, person):
    rng = np.random.default_rng(seed)
    base = crowd(seed, each=60)
    mine = base.who == person
    higher = criteria(base, (rng.random(mine.size) + mine)[:, None])
    assert apart(higher).z[mine].mean() < 0.3  # without that, above 1.5
    assert apart(higher).z[~mine].mean() == pytest.approx(0, abs=0.1)


def test_an_answer_that_repeats_another_is_not_a_second_opinion():
    found = crowd(3, each=60)
    once = criteria(found, found.answers[:, :1])
    twice = criteria(found, np.repeat(found.answers[:, :1], 2, axis=1))
    one, two = (
        np.array([v.evidence for v in run(LOW_AGREEMENT, columns, SMALL)])
        for columns in (once, twice)
    )
    assert two == pytest.approx(one, abs=0.02)


def test_paragraphs_are_their_mean_and_what_differs_from_it():
    """Three are asked, of which the last is there in half of the tasks; first comes their order."""
    rng = np.random.default_rng(0)
    found = crowd(1, people=10, each=200)
    size = len(found.who)
    verdicts = rng.integers(-1, 2, (size, 3)) * 1.0
    verdicts += rng.integers(-1, 2, (size, 1))
    verdicts[size // 2 :, 2] = np.nan
    said = apart(replace(found, scores={}, plausible=np.ones(size), verdicts=verdicts))
    assert said.kinds.tolist() == [0, 1, 1, 1, 2, 3, 3, 3, 4]
    assert said.turning.tolist() == [True] * 5 + [False] * 4
    rest, mean = said.z[:, 1:4], said.z[:, 4]
    assert np.isnan(rest[size // 2 :, 2]).all()
    assert np.nansum(rest, axis=1) == pytest.approx(0, abs=1e-9)
    assert np.nansum(rest**2) == pytest.approx(2 * size / 2 + size / 2)  # one less than paragraphs
    assert (mean**2).mean() == pytest.approx(1)
    assert abs(np.corrcoef(rest[:, 0], mean)[0, 1]) < 0.05
    assert (said.z[:, 0] == 0).all()


def test_what_is_usual_of_a_paragraph_s_place_is_no_agreement():
    rng = np.random.default_rng(0)
    found = crowd(1, people=10, each=200)
    size = len(found.who)
    verdicts = np.clip(np.round(rng.normal([0.8, 0, -0.8], 0.7, (size, 3))), -1, 1)
    said = apart(replace(found, scores={}, plausible=np.ones(size), verdicts=verdicts))
    assert said.z[:, 1:4].mean(axis=0) == pytest.approx(0, abs=0.1)


COUNTS = st.lists(st.integers(0, 500), min_size=1, max_size=7).filter(any).map(np.array)


def column(n):
    """Level 0 so often as the first number says, and so on."""
    return np.repeat(np.arange(len(n)), n) * 1.0


@given(n=COUNTS)
def test_codes_are_those_of_scipy_s_ranks(n):
    values = column(n)
    share = (rankdata(values) - 0.5) / values.size
    for code, score in ((ranked, share), (normal, norm.ppf(share))):
        wanted = (score - score.mean()) / score.std() if np.ptp(values) else np.zeros(values.size)
        assert code(n)[values.astype(int)] == pytest.approx(wanted, abs=1e-8)


@given(n=COUNTS)
def test_what_is_beyond_the_order_does_not_follow_from_it(n):
    """Beside numpy's least squares of the square of the rank on the rank."""
    values = column(n)
    first, found = (code(n)[values.astype(int)] for code in (ranked, beyond))
    assert found @ first == pytest.approx(0, abs=1e-6 * values.size)
    assert found.mean() == pytest.approx(0, abs=1e-6)
    if np.unique(values).size < 3:
        assert (found == 0).all()
        return
    square = np.column_stack([np.ones(values.size), first])
    rest = first**2 - square @ np.linalg.lstsq(square, first**2, rcond=None)[0]
    assert found == pytest.approx(rest / rest.std(), abs=1e-6)


def test_three_verdicts_alike_often_say_whether_there_is_a_side():
    assert beyond(np.array([10, 10, 10])) == pytest.approx(np.array([1, -2, 1]) / 2**0.5)


def test_a_level_that_no_yardstick_gives_is_beside_those_that_they_give():
    block = np.array([[1.0], [2.0], [2.0], [3.0], [np.nan], [9.0]])
    z = coded(block, np.array([True] * 5 + [False]), normal)
    assert np.isnan(z[4, 0])
    assert np.isfinite(z[5, 0])
    assert z[5, 0] >= z[3, 0]
    assert z[:4].mean() == pytest.approx(0)


def test_two_people_agree_about_whether_a_paragraph_takes_a_side():
    """Whatever side: the order of the verdicts shows nothing of it, and what is beyond shows it."""
    rng = np.random.default_rng(0)
    found = crowd(1, people=10, each=200)
    size = len(found.who)
    takes = rng.integers(0, 2, (found.text.max() + 1, 3))[found.text]
    verdicts = takes * rng.choice([-1.0, 1.0], (size, 3))
    said = apart(replace(found, scores={}, plausible=np.ones(size), verdicts=verdicts))
    order = np.argsort(found.text, kind="stable")
    text = found.text[order]
    first = order[:-1][text[1:] == text[:-1]]
    second = order[1:][text[1:] == text[:-1]]
    together = (said.z[first] * said.z[second]).mean(axis=0)
    assert together[1:5] == pytest.approx(0, abs=0.15)  # of the order
    assert together[5:9].min() > 0.5


def joined_by(found, who, answer):
    """The same campaign in which the people `who` always give one answer."""
    mine = np.isin(found.who, who)
    if found.verdicts is None:
        return criteria(found, np.where(mine[:, None], answer, found.answers))
    asked = np.isfinite(found.verdicts)
    verdicts = np.where(mine[:, None] & asked, answer, found.verdicts)
    return replace(found, verdicts=verdicts, plausible=np.where(mine, 1.0, found.plausible))


def paragraphs(seed):
    rng = np.random.default_rng(seed)
    found = crowd(seed)
    verdicts = rng.integers(-1, 2, (len(found.who), 3)) * 1.0
    verdicts[rng.random(verdicts.shape) < 0.3] = np.nan
    plausible = (rng.random(len(found.who)) < 0.8) * 1.0
    verdicts[plausible == 0] = np.nan
    return replace(found, scores={}, plausible=plausible, verdicts=verdicts)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 999),
    who=st.sets(st.integers(0, 11), max_size=6).map(list),
    answer=st.sampled_from([-1.0, 0.0, 1.0]),
    of=st.sampled_from([crowd, paragraphs]),
)
def test_who_is_no_yardstick_does_not_change_what_others_say(seed, who, answer, of):
    found = of(seed)
    mine, yardstick = np.isin(found.who, who), ~np.isin(np.arange(12), who)
    before = apart(found, yardstick)
    after = apart(joined_by(found, who, answer), yardstick)
    np.testing.assert_allclose(after.z[~mine], before.z[~mine], atol=1e-9)


def test_where_nobody_is_a_yardstick_everybody_is():
    found = crowd(2)
    nobody = apart(found, np.zeros(12, dtype=bool)).z
    assert nobody.tolist() == apart(found).z.tolist()


def test_people_who_give_one_answer_do_not_make_honest_people_suspicious():
    """A fifth always choose the middle. Before they were left out, .5 % reached 1.8."""
    study, evidence = "rating 8×7", []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        found, mine = table.campaign(study, "constant, all middle", 120, rng)
        verdicts = run(LOW_AGREEMENT, found, Settings())
        honest = np.isin([v.annotator for v in verdicts], found.people[~mine])
        evidence.append(np.array([v.evidence or 0.0 for v in verdicts])[honest])
    assert np.quantile(np.concatenate(evidence), 0.995) < 1


def test_agreement_in_every_criterion_is_evidence_of_its_own():
    """A fifth give usual answers to other texts. By one direction alone, they are hardly seen."""
    rng = np.random.default_rng(4)
    honest = crowds.drawn("rating 8×7", Design(people=120), [crowds.USUAL] * 120, rng)
    mine = honest.who < 24
    found = kinds.usual(honest, mine, rng)
    evidence = np.array([v.evidence for v in run(LOW_AGREEMENT, found, SMALL)])
    mean = criteria(found, found.answers.mean(axis=1, keepdims=True))
    by_mean = np.array([v.evidence for v in run(LOW_AGREEMENT, mean, SMALL)])
    assert np.median(evidence[:24]) > 1.5 * np.median(by_mean[:24])
    assert np.median(evidence[24:]) < 1


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize(("study", "least"), [("rating 6×5", 0.5), ("rating 8×7", 0.7)])
def test_mirrored_scales_are_found_where_there_are_several_criteria(study, least):
    tally = table.one((study, "mirrored scale", 120, 0, True))
    assert tally.by("listed", 25) >= least * tally.people
