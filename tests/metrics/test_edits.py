from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from estimation.metrics import EmptyEditError, hter, levenshtein, normalise

ROWS = 400


@pytest.mark.parametrize(
    ("output", "edit", "expected"),
    [
        ("He live in London.", "He lives in London.", 1 / 5),
        ("the cat", "The cat", 1 / 2),
        ("It wasnt so.", "It wasn't so.", 2 / 5),  # Treebank: was n't
        ("Hello world .", "Hello world.", 0),  # the same tokens
        ("d e f a b c", "a b c d e f", 1 / 6),  # one shift of a block
        ("a b c d", "a", 3),
        ("", "a b", 1),
        ("Cafe\u0301\u00a0noir\r\n", "Café noir", 0),
    ],
)
def test_hter(output: str, edit: str, expected: float) -> None:
    assert hter(output, edit) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("edit", ["", "  ", "\n", "\u00a0\u200b"])
@pytest.mark.parametrize("output", ["a b", ""])
def test_an_empty_edit_has_no_hter(output: str, edit: str) -> None:
    with pytest.raises(EmptyEditError, match="edit is empty"):
        hter(output, edit)


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_hter_is_finite_and_zero_when_equal(a: str, b: str) -> None:
    assume(normalise(b).strip())
    assert 0 <= hter(a, b) < np.inf
    assert hter(b, b) == 0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("kitten", "sitting", 3),
        ("", "abc", 3),
        ("😀a", "😃a", 1),  # code points, not UTF-16 units
        ("e\u0301", "é", 0),
        ("a\u00a0b\r\n", "a b", 0),
        ("\ud83d", "", 1),
    ],
)
def test_levenshtein(a: str, b: str, expected: int) -> None:
    assert levenshtein(a, b) == levenshtein(b, a) == expected


@pytest.mark.slow
def test_hter_agrees_with_the_released_values(released: list[dict[str, Any]]) -> None:
    judgments = [
        (row["input"]["contents"]["text"], edit, value)
        for row in released
        for edit, value in zip(*(row["output"]["_responses"][k] for k in ("edit", "hter")))  # noqa: B905
        if edit
    ]
    assert len(judgments) == 5056
    picks = np.random.default_rng(0).choice(len(judgments), ROWS, replace=False)
    sample = [judgments[i] for i in picks]
    ours = np.array([hter(text, edit) for text, edit, _ in sample])
    theirs = np.array([value for _, _, value in sample])
    assert np.corrcoef(ours, theirs)[0, 1] >= 0.99
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.01)


def test_repetition_tracks_human_judgments_of_seq2seq(released: list[dict[str, Any]]) -> None:
    """Why `repetition` and `repetition_edit` are the defaults (statistics.md, section 8)."""
    from estimation.metrics import score_all

    rows = [r for r in released if r["input"]["contents"]["system"] == "seq2seq"]
    answers = [r["output"]["_responses"] for r in rows]
    edit = [np.mean([value or 0 for value in a["hter"]]) for a in answers]
    redundancy = [np.mean(a["redundancy"]) for a in answers]
    texts = [r["input"]["contents"]["text"] for r in rows]
    scores = score_all(["repetition", "repetition_edit"], texts)
    assert np.corrcoef(scores["repetition"], redundancy)[0, 1] < -0.7
    assert np.corrcoef(scores["repetition_edit"], edit)[0, 1] > 0.8
