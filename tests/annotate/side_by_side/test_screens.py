"""What the screens say of honest people who rate the texts of an item in a row."""

import numpy as np
import pytest

from annotate.screening import Columns, Settings, screen_all

PEOPLE, EACH, SEEDS = 24, 24, 8
LEVELS = (-2.0, -1.0, 0.0, 1.0, 2.0)
VIEW, REST = 0.2, 0.29  # variances: one person's view of one item, and the rest


def crowd(seed: int, systems: int, common: float, *, in_a_row: bool) -> Columns:
    """Honest people; each item is rated by two of them, all of its texts.

    common: the share of the texts' variance (1) that belongs to the item.
    """
    rng = np.random.default_rng(seed)
    each = EACH // systems
    n = PEOPLE * each // 2
    who = np.stack([rng.permutation(np.repeat(np.arange(PEOPLE), each // 2 + 1))[:n]] * 2)
    who[1] = (who[0] + 1 + rng.integers(0, PEOPLE - 1, n)) % PEOPLE
    turn = rng.permutation(2 * n)
    item, person = np.tile(np.arange(n), 2)[turn], who.ravel()[turn]
    quality = common**0.5 * rng.normal(size=(n, 1)) + (1 - common) ** 0.5 * rng.normal(
        size=(n, systems)
    )
    texts = np.stack([rng.permutation(systems) for _ in item])
    heard = 0.3 + quality[item[:, None], texts] + VIEW**0.5 * rng.normal(size=(item.size, 1))
    heard += REST**0.5 * rng.normal(size=heard.shape)
    size = heard.size
    order = np.arange(size) if in_a_row else rng.permutation(size)
    return Columns(
        annotator=np.repeat(person, systems)[order],
        output=(item[:, None] * systems + texts).ravel()[order],
        order=np.arange(float(size)),
        seconds=rng.uniform(20, 60, size),
        words=np.full(size, 60.0),
        scores={"helpful": np.clip(np.round(heard), -2, 2).ravel()[order]},
        levels=LEVELS,
    )


def listed(systems: int, common: float, *, in_a_row: bool) -> int:
    """Return how many of all honest people `answer_pattern` or `no_variation` lists."""
    names = ("answer_pattern", "no_variation")
    return sum(
        one.flagged and one.screen in names
        for seed in range(SEEDS)
        for one in screen_all(crowd(seed, systems, common, in_a_row=in_a_row), Settings())
    )


@pytest.mark.parametrize("systems", [3, 6])
def test_where_texts_of_an_item_differ_nobody_is_listed(systems):
    assert listed(systems, 0.3, in_a_row=True) <= 2  # of 192


@pytest.mark.parametrize("systems", [3, 6])
def test_where_they_hardly_differ_more_are_listed_than_in_random_order(systems):
    """Answers in a row are alike because the texts are; docs/screening.md says so."""
    assert listed(systems, 0.9, in_a_row=False) <= 2
    assert 2 < listed(systems, 0.9, in_a_row=True) <= 16  # of 192
