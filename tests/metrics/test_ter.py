"""Our TER counts the edits that sacrebleu counts, and no text keeps it busy for minutes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from estimation.metrics import METRICS, hter, normalise, takes_long
from estimation.metrics.edits import LONG, SHIFT_WORK, translation_edits
from estimation.metrics.text import treebank_tokens
from tests.seeds import walks

SAMPLE, LONGEST = 150, 15


def sacrebleu(hypothesis: list[str], reference: list[str]) -> int:
    return int(translation_edit_rate(hypothesis, reference)[0])


def words(most: int, different: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.integers(0, different).map(str), min_size=1, max_size=most)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A text, and what moving, deleting and inserting blocks of words makes of it."""
    text = draw(words(60, draw(st.sampled_from([3, 12, 1000]))))
    edit = list(text)
    for _ in range(draw(st.integers(1, 5))):
        at, to = draw(st.integers(0, len(edit))), draw(st.integers(0, len(edit)))
        block = edit[at : at + draw(st.integers(1, 14))]
        if draw(st.booleans()):
            del edit[at : at + len(block)]
        edit[to:to] = block
    return text, edit or ["x"]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(edited())
def test_edited_texts_have_the_edits_that_sacrebleu_counts(pair: tuple[list[str], list[str]]):
    text, edit = pair
    assert translation_edits(text, edit) == sacrebleu(text, edit)
    assert translation_edits(edit, text) == sacrebleu(edit, text)


@settings(max_examples=60, deadline=None)
@given(words(4, 3), words(400, 3))
def test_texts_of_unlike_length_have_the_edits_that_sacrebleu_counts(a: list[str], b: list[str]):
    assert translation_edits(a, b) == sacrebleu(a, b)
    assert translation_edits(b, a) == sacrebleu(b, a)


@pytest.mark.slow
@pytest.mark.parametrize("seed", walks(2))
def test_as_many_candidates_as_sacrebleu_tries(seed: int) -> None:
    """From the thousandth on it makes no further shift, and forgets the best of that round."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 12, n).astype(str).tolist() for n in (70, 90))
    assert translation_edits(a, b) == sacrebleu(a, b)


@pytest.mark.slow
def test_released_edits_keep_their_values(released: list[dict[str, Any]]) -> None:
    """Some of each length, and the longest: those that come nearest to a limit."""
    pairs = [
        tuple(treebank_tokens(normalise(text)) for text in (row["input"]["contents"]["text"], edit))
        for row in released
        for edit in row["output"]["_responses"]["edit"]
        if edit
    ]
    size = np.array([len(text) * len(edit) for text, edit in pairs])
    picked = np.random.default_rng(0).choice(size.size, SAMPLE, replace=False)
    for i in {*picked.tolist(), *np.argsort(size)[-LONGEST:].tolist()}:
        assert translation_edits(*pairs[i]) == sacrebleu(*pairs[i])


def test_the_released_edits_are_far_below_the_limits(released: list[dict[str, Any]]) -> None:
    texts = [row["input"]["contents"]["text"] for row in released]
    edits = [edit or "" for row in released for edit in row["output"]["_responses"]["edit"]]
    assert not any(takes_long(text, text) for text in [*texts, *edits])
    assert max(map(len, [*texts, *edits])) < LONG / 5


@pytest.mark.slow
def test_shifts_stop_where_they_would_take_too_long() -> None:
    """Twenty swaps of two words are twenty shifts, if the text is not too long for so many."""
    for n, shifts in ((1_000, 20), (25_000, SHIFT_WORK // 50_000 - 1)):
        text = [f"w{i}" for i in range(n)]
        edit = list(text)
        for i in range(0, n, n // 20):
            edit[i], edit[i + 1] = edit[i + 1], edit[i]
        assert translation_edits(text, edit) == shifts + 2 * (20 - shifts)


def shuffled(n: int) -> tuple[str, str]:
    """A text of n words, and the same in blocks of eight in another order."""
    rng = np.random.default_rng(1)
    blocks = np.array([f"w{i}" for i in rng.zipf(1.3, n) % 4000]).reshape(-1, 8)
    return " ".join(blocks.ravel()), " ".join(blocks[rng.permutation(len(blocks))].ravel())


def test_long_texts_are_told_apart_before_they_are_measured() -> None:
    assert takes_long(*shuffled(1504))
    assert not takes_long("a " * (LONG // 2), "b")
    assert takes_long("b", "a" * (LONG + 1))


def test_a_shuffled_text_of_fifty_thousand_characters_has_a_value() -> None:
    text, edit = shuffled(10_000)
    assert 0.5 < hter(text[:50_000], edit[:50_000]) < 1
    assert METRICS["ter"].score([text], [edit])[0] > 0.5
