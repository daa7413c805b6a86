"""What holds for every metric and every text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from estimation.metrics import (
    METRICS,
    LengthMismatchError,
    MissingOthersError,
    MissingParagraphsError,
    MissingReferencesError,
    UnknownMetricError,
    available,
    find,
    get,
)

NAMES = sorted(METRICS)
SIMILARITIES = [n for n in NAMES if METRICS[n].needs == "reference" and n != "ter"]
UNBOUNDED = {
    "ter",
    "length",
    "repetition_edit",
    "shortest_sentence",
    "most_repeated_word",
    "consensus_length",
}
ODD = [
    "",
    "   ",
    "\n\n",
    "...!?",
    "\"'",
    "😀",
    "👩🏽\u200d💻 ❤️",
    "\u2583",
    "<unk>",
    "\ud83d",
    "\x00",
]
ODD += ["नमस्ते दुनिया", "你好世界", "a", "\u200b", "e\u0301", "don't don't"]
_WORDS = st.sampled_from(["the", "cat", "sat", "on", "Mat", "mats", ".", ",", "<unk>", "😀", "é"])
_TEXTS = st.one_of(st.lists(_WORDS, max_size=12).map(" ".join), st.text(max_size=20))
_PAIRS = st.lists(st.tuples(_TEXTS, _TEXTS), min_size=2, max_size=6)
_SETTINGS = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("name", NAMES)
def test_odd_texts_get_finite_numbers(name: str) -> None:
    texts = [a for a in ODD for _ in ODD]
    references = [b for _ in ODD for b in ODD]
    paragraphs = [[b, a] for a, b in zip(texts, references, strict=True)]
    scores = METRICS[name].score(texts, references, paragraphs=paragraphs, others=paragraphs)
    assert scores.shape == (len(ODD) ** 2,)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", NAMES)
@_SETTINGS
@given(pairs=_PAIRS, seed=st.integers(0, 99))
def test_order_does_not_matter_and_range(
    name: str, pairs: list[tuple[str, str]], seed: int
) -> None:
    texts, references = [a for a, _ in pairs], [b for _, b in pairs]
    order = np.random.default_rng(seed).permutation(len(pairs))
    metric = METRICS[name]
    inputs = [[b, a[::-1]] for a, b in pairs]
    scores = metric.score(texts, references, paragraphs=inputs, others=inputs)
    moved = metric.score(
        [texts[i] for i in order],
        [references[i] for i in order],
        paragraphs=[inputs[i] for i in order],
        others=[inputs[i] for i in order],
    )
    np.testing.assert_array_equal(moved, scores[order])
    upper = np.inf if name in UNBOUNDED else 2 if name == "repetition" else 1
    assert ((scores >= 0) & (scores <= upper)).all()


@pytest.mark.parametrize("name", SIMILARITIES)
def test_equal_is_one_and_disjoint_is_zero(name: str) -> None:
    text = "Two planes landed safely in Oslo"
    best = 1 - 0.5 / 6**3 if name == "meteor_exact_stem" else 1
    scores = METRICS[name].score([text, text], [text, "q"])
    np.testing.assert_allclose(scores, [best, 0], atol=1e-12)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_empty_has_nothing_in_common(name: str) -> None:
    assert not METRICS[name].score(["", "a b", ""], ["a b", "", ""]).any()


def test_metrics_see_normalised_text() -> None:
    # White space and composition alone change no score.
    texts = ["Cafe\u0301 café\u00a0noir\r\n", "Cafe\u0301 café\u00a0noir "]
    same = ["Café café noir"] * 2
    inputs = [same] * 2
    for metric in METRICS.values():
        plain = metric.score(same, same, paragraphs=inputs, others=inputs)
        as_they_are = metric.score(texts, same, paragraphs=inputs, others=inputs)
        beside = metric.score(texts, texts, paragraphs=[texts] * 2, others=[texts] * 2)
        assert np.array_equal(as_they_are, plain)
        assert np.array_equal(beside, plain)


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(UnknownMetricError, match=r"no metric 'rogue'.*rouge_1_f"):
        get("rogue")
    assert find("rogue") is None
    assert find("vecsim:") is None
    assert find("bleu") is get("bleu")


def test_available() -> None:
    assert {m.needs for m in available(False)} == {"nothing"}
    assert available(False)[0].name == "repetition"
    every = available(True, has_paragraphs=True, has_others=True)
    assert [m.name for m in every] == list(METRICS)
    assert {m.needs for m in available(False, has_paragraphs=True)} == {"nothing", "paragraphs"}
    assert {m.needs for m in available(False, has_others=True)} == {"nothing", "others"}
    assert len(available(True)) == 25
    assert len(METRICS) == 30


def test_references_are_asked_for() -> None:
    with pytest.raises(MissingReferencesError, match="bleu needs a reference"):
        get("bleu").score(["a"])
    with pytest.raises(LengthMismatchError, match="1 texts and 2 references"):
        get("bleu").score(["a"], ["a", "b"])
    with pytest.raises(MissingParagraphsError, match="support_1 needs the input's paragraphs"):
        get("support_1").score(["a"], ["a"])
    with pytest.raises(LengthMismatchError, match="2 texts and 1 lists of paragraphs"):
        get("support_1").score(["a", "b"], paragraphs=[["a"]])
    with pytest.raises(MissingOthersError, match="consensus_f1 needs the other systems' outputs"):
        get("consensus_f1").score(["a"], ["a"])
    with pytest.raises(LengthMismatchError, match="2 texts and 1 lists of others"):
        get("consensus_f1").score(["a", "b"], others=[["a"]])
    assert get("length").score(["a"]).tolist() == [1]
    assert get("bleu").score([], []).shape == (0,)
