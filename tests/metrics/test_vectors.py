"""VecSim with a stub model, and what is said where package or model is absent."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from estimation.metrics import (
    METRICS,
    MissingExtraError,
    MissingReferencesError,
    ModelUnavailableError,
    get,
    score_all,
    vecsim_metric,
    vectors,
)


class Letters:
    """A model that counts the letters a and b."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, sentences: list[str]) -> Any:
        self.asked += sentences
        return [np.array([s.count("a"), s.count("b")], dtype=np.float32) for s in sentences]


@pytest.fixture(autouse=True)
def _forget_models() -> None:
    vectors._loaded.cache_clear()


def test_cosine_by_hand() -> None:
    model = Letters()
    metric = vecsim_metric("letters", model)
    texts, references = ["a", "a", "aab", "", "c", "b"], ["aa", "b", "ab", "a", "a", "a b "]
    scores = metric.score(texts, references)
    wanted = [1, 0, 3 / np.sqrt(5 * 2), 0, 0, 1 / np.sqrt(2)]
    np.testing.assert_allclose(scores, wanted, atol=1e-6)
    assert len(model.asked) == len(set(model.asked))  # each string once
    assert metric.function("a", "ab") == pytest.approx(1 / np.sqrt(2))
    assert (metric.name, metric.version, metric.needs) == ("vecsim:letters", "1", "reference")
    assert metric.score([], []).shape == (0,)


def test_needs_references() -> None:
    with pytest.raises(MissingReferencesError):
        vecsim_metric("letters", Letters()).score(["a"])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    metric = get("vecsim:my-model")  # nothing is loaded yet
    assert "vecsim:my-model" not in METRICS
    with pytest.raises(MissingExtraError, match="pip install sentence-transformers"):
        metric.score(["a"], ["a"])


def test_a_model_is_loaded_once_and_only_from_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads: list[tuple[str, bool]] = []
    package = ModuleType("sentence_transformers")

    def make(name: str, *, local_files_only: bool) -> Letters:
        loads.append((name, local_files_only))
        if name != "letters":
            raise OSError("no such folder")
        return Letters()

    package.SentenceTransformer = make  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setattr(vectors, "find_spec", lambda name: object())
    found = score_all(["vecsim:letters"], ["a", "b"], ["a", "a"])
    assert found["vecsim:letters"].tolist() == [1, 0]
    assert loads == [("letters", True)]
    with pytest.raises(ModelUnavailableError, match=r"not on this machine.*no such folder"):
        get("vecsim:other").score(["a"], ["a"])


@pytest.mark.parametrize("vectors_", [[[1.0]], [1.0, 2.0], [[np.nan], [1.0]]])
def test_bad_vectors_are_named(vectors_: Any) -> None:
    class Bad:
        def encode(self, sentences: list[str]) -> Any:
            return vectors_

    with pytest.raises(ModelUnavailableError, match="one finite vector for each of 2 texts"):
        vecsim_metric("bad", Bad()).score(["a"], ["b"])


@pytest.mark.parametrize("name", ["vecsim:", "vecsim: "])
def test_a_model_must_be_named(name: str) -> None:
    with pytest.raises(ModelUnavailableError, match="Name the model"):
        get(name)
