"""Shares of combinations that come from pairs of questions (Chow and Liu 1968)."""

import numpy as np
import pytest
from scipy.stats import entropy

from annotate.screening import Columns, Settings, crowd
from annotate.screening import patterns as pairwise
from annotate.screening.patterns import RANDOM_ANSWERS, Patterns
from annotate.screening.screens import run

EVERYBODY = 40
EACH = 25


def study(answers: np.ndarray, *, levels: int, who: np.ndarray | None = None) -> Columns:
    """Judgments of one output each. answers: (T, C), 0 to `levels` - 1."""
    n = len(answers)
    return Columns(
        np.arange(n) % EVERYBODY if who is None else who,
        np.arange(n),
        np.arange(n, dtype=float),
        np.full(n, 60.0),
        np.full(n, 40.0),
        {f"c{i}": column.astype(float) for i, column in enumerate(answers.T)},
        levels=tuple(np.arange(float(levels))),
    )


def chain(n: int, *, criteria: int, levels: int, same: float, seed: int) -> np.ndarray:
    """Each answer is the one before with probability `same`, else any: a tree by construction."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, levels, (n, criteria))
    for c in range(1, criteria):
        kept = rng.random(n) < same
        answers[kept, c] = answers[kept, c - 1]
    return answers


def prepared(columns: Columns):
    counts = crowd.counts(columns, crowd.categories(columns))
    return counts, np.ones(counts.people, dtype=bool)


def test_mutual_information_is_that_of_scipy():
    """Entropies of scipy, less what chance adds: (r - 1)(c - 1) / 2 n for a full table."""
    table = np.array([[30.0, 5.0, 2.0], [4.0, 20.0, 9.0]])
    sides = entropy(table.sum(axis=0)) + entropy(table.sum(axis=1))
    expected = sides - entropy(table.ravel()) - 2 / (2 * table.sum())
    assert pairwise._mutual(table) == pytest.approx(expected)


def test_unrelated_questions_say_nothing_and_equal_ones_everything():
    rng = np.random.default_rng(1)
    said = [
        pairwise._mutual(np.histogram2d(*rng.integers(0, 5, (2, 500)), bins=5)[0])
        for _ in range(300)
    ]
    assert np.mean(said) < 0.02
    assert pairwise._mutual(np.eye(4) * 1000) == pytest.approx(np.log(4), abs=0.002)


def test_the_tree_of_a_chain_is_the_chain():
    answers = chain(20_000, criteria=5, levels=3, same=0.5, seed=2)
    order = [3, 0, 4, 1, 2]  # columns in another order: the tree finds their neighbours
    said = pairwise._information(
        pairwise._questions(study(answers[:, order], levels=3)), np.ones(20_000, dtype=bool)
    )
    edges = {frozenset((order[a], order[b])) for a, b in pairwise._tree(said)}
    assert edges == {frozenset((i, i + 1)) for i in range(4)}


def test_shares_of_a_chain_are_its_probabilities():
    levels, same = 4, 0.6
    answers = chain(40_000, criteria=3, levels=levels, same=same, seed=3)
    columns = study(answers, levels=levels)
    counts, everybody = prepared(columns)
    found = pairwise.combined(columns, counts, everybody)
    step = np.where(np.arange(levels)[:, None] == np.arange(levels), same, 0.0)
    step += (1 - same) / levels
    rows = answers[pairwise._examples(columns, counts)]
    true = step[rows[:, 0], rows[:, 1]] * step[rows[:, 1], rows[:, 2]] / levels
    np.testing.assert_allclose(found.shares, true, rtol=0.15)
    known = np.log(levels) - entropy(step[0])
    assert found.information == pytest.approx(2 * known, rel=0.05)


def test_shares_are_a_distribution(monkeypatch):
    monkeypatch.setattr(pairwise, "TILTS", (0.0,))
    levels = 3
    every = np.array(np.meshgrid(*[np.arange(levels)] * 3)).reshape(3, -1).T
    answers = np.vstack([chain(500, criteria=3, levels=levels, same=0.5, seed=4), every])
    columns = study(answers, levels=levels, who=np.r_[np.arange(500) % 7, np.full(len(every), 7)])
    counts, everybody = prepared(columns)
    found = pairwise.combined(columns, counts, everybody)
    last = counts.who == 7  # somebody with each combination once
    assert last.sum() == levels**3
    assert found.shares[last].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_ones_own_answers_are_not_in_ones_own_yardstick(seed, monkeypatch):
    """Shares for somebody are those that the others' judgments alone give."""
    monkeypatch.setattr(pairwise, "TILTS", (0.0,))
    answers = chain(300, criteria=4, levels=3, same=0.7, seed=seed)
    who = np.random.default_rng(seed).integers(0, 6, 300)
    columns = study(answers, levels=3, who=who)
    counts, yardstick = prepared(columns)
    yardstick[1] = False
    found = pairwise.combined(columns, counts, yardstick)
    asked = pairwise._questions(columns)
    edges = pairwise._tree(pairwise._information(asked, yardstick[who]))
    for row in np.random.default_rng(seed).integers(0, counts.who.size, 20):
        mine = answers[pairwise._examples(columns, counts)[row]]
        others = answers[(who != counts.who[row]) & (who != 1)]
        assert found.shares[row] == pytest.approx(by_hand(others, mine, edges))


def by_hand(others: np.ndarray, mine: np.ndarray, edges: list[tuple[int, int]]) -> float:
    def share(c: int) -> float:
        return float((np.sum(others[:, c] == mine[c]) + 0.5) / (len(others) + 1.5))

    product = share(0)
    for parent, child in edges:
        like = others[others[:, parent] == mine[parent]]
        product *= (np.sum(like[:, child] == mine[child]) + 1.5 * share(child)) / (len(like) + 1.5)
    return product


@pytest.mark.parametrize("tilt", [-4.0, 0.0, 1.0])
def test_a_tilt_moves_shares_and_adds_nothing(tilt, monkeypatch):
    """Over the others' own judgments its factors have the mean 1, for everybody."""
    monkeypatch.setattr(pairwise, "TILTS", (tilt,))
    answers = chain(200, criteria=3, levels=4, same=0.5, seed=11)
    who = np.arange(200) % 4
    columns = study(answers, levels=4, who=who)
    counts, everybody = prepared(columns)
    tables = pairwise._Tables(columns, counts, everybody)
    height = answers.mean(axis=1) / 3
    (found,) = tables.tilts(pairwise._height(pairwise._questions(columns)))
    for person in range(4):
        mine = counts.who == person
        expected = np.exp(tilt * height) / np.exp(tilt * height[who != person]).mean()
        rows = pairwise._examples(columns, counts)[mine]
        np.testing.assert_allclose(found[mine], expected[rows])


def test_who_is_harsh_in_everything_is_no_dice():
    """Lowest answers together are rare among others; a harsh person gives them all the time."""
    answers = chain(EVERYBODY * EACH, criteria=8, levels=5, same=0.8, seed=12)
    harsh = np.arange(len(answers)) % EVERYBODY == 0
    answers[harsh] = np.maximum(answers[harsh] - 2, 0)
    odds = {v.annotator: v.value for v in run(RANDOM_ANSWERS, study(answers, levels=5), Settings())}
    assert odds[0] < 0
    columns = study(answers, levels=5)
    counts, everybody = prepared(columns)
    found = pairwise.combined(columns, counts, everybody).shares
    mine = counts.who == 0
    likelihood = np.sum(counts.times[mine] * np.log(found[mine]))
    pairwise_alone = _without_tilts(columns, counts, everybody)[mine]
    assert likelihood > np.sum(counts.times[mine] * np.log(pairwise_alone)) + 5


def _without_tilts(columns, counts, everybody):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise, "TILTS", (0.0,))
        return pairwise.combined(columns, counts, everybody).shares


def with_dice(answers: np.ndarray, levels: int, people: int) -> Columns:
    """The last `people` throw dice."""
    dice = np.arange(len(answers)) % EVERYBODY >= EVERYBODY - people
    thrown = np.random.default_rng(9).integers(0, levels, answers.shape)
    return study(np.where(dice[:, None], thrown, answers), levels=levels)


@pytest.mark.parametrize(("criteria", "levels"), [(4, 5), (6, 5), (8, 7)])
def test_dice_are_found_where_combinations_are_far_too_many_to_be_counted(criteria, levels):
    honest = chain(EVERYBODY * EACH, criteria=criteria, levels=levels, same=0.6, seed=5)
    verdicts = run(RANDOM_ANSWERS, with_dice(honest, levels, 4), Settings())
    assert all(verdict.enough for verdict in verdicts)
    assert {v.annotator for v in verdicts if v.flagged} == set(range(36, 40))


def test_unrelated_questions_compare_nobody():
    answers = np.random.default_rng(6).integers(0, 5, (EVERYBODY * EACH, 4))
    assert not any(v.enough for v in run(RANDOM_ANSWERS, study(answers, levels=5), Settings()))


def test_with_too_few_judgments_nobody_is_compared():
    least = Settings().of(Patterns).per_combination * 5**2
    few = chain(least - 10, criteria=4, levels=5, same=0.8, seed=7)
    columns = study(few, levels=5, who=np.arange(len(few)) % 10)
    verdicts = run(RANDOM_ANSWERS, columns, Settings())
    assert not any(v.enough for v in verdicts)
    assert {v.numbers["others_needed"] for v in verdicts} == {float(least)}


def test_where_combinations_can_be_counted_pairs_are_not_used(monkeypatch):
    answers = chain(2_000, criteria=3, levels=3, same=0.6, seed=8)
    monkeypatch.setattr(pairwise, "combined", lambda *_all: pytest.fail("pairs were used"))
    assert all(v.enough for v in run(RANDOM_ANSWERS, study(answers, levels=3), Settings()))
