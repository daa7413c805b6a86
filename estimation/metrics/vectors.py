"""VecSim: similarity of sentence vectors, with a model that the user names.

An optional extra: the metric `vecsim:MODEL` loads `sentence-transformers` and the model on first
use. MODEL is a folder, or the name of a model that was downloaded before: nothing is downloaded
here. `vecsim_metric` takes any object with `encode` instead (see `Encoder`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from estimation.metrics.base import FloatArray, Metric, MetricError

PREFIX = "vecsim:"
EXTRA = "sentence-transformers"


class Encoder(Protocol):
    """What VecSim asks of a model."""

    def encode(self, sentences: list[str]) -> Any:
        """Vectors, (len(sentences), d): an array or a sequence of arrays."""


class MissingExtraError(MetricError):
    """The package that VecSim needs is not installed."""


class ModelUnavailableError(MetricError):
    """The named model is not on this machine, or its vectors are unusable."""


def vecsim(texts: Sequence[str], references: Sequence[str], *, model: Encoder) -> FloatArray:
    """Cosine of the vectors of each text and its reference, (len(texts),); range [-1, 1].

    0 where either vector is 0, and for an empty text or reference. Each different string is
    encoded once. Raises ModelUnavailableError for vectors that are not finite or do not match.
    """
    distinct = {s: i for i, s in enumerate(dict.fromkeys([*texts, *references]))}
    if not distinct:
        return np.empty(0)
    unit = _unit_vectors(list(distinct), model)
    left, right = (unit[[distinct[s] for s in side]] for side in (texts, references))
    cosine = np.clip((left * right).sum(axis=1), -1.0, 1.0)
    empty = [not (text and reference) for text, reference in zip(texts, references, strict=True)]
    return np.where(empty, 0.0, cosine)


def vecsim_metric(name: str, model: Encoder, *, version: str = "1") -> Metric:
    """Return VecSim with a loaded model, as the metric `vecsim:NAME`.

    name: the name of the model.
    model: the model.
    version: raise it when the model behind the name changes.
    Returns: the cosine of the vectors of text and reference, from -1 to 1.
    """
    return _metric(name, partial(vecsim, model=model), version)


def named(name: str) -> Metric:
    """The metric `vecsim:MODEL`; the model loads when something is scored.

    Raises ModelUnavailableError for a name without a model; when scoring, MissingExtraError or
    ModelUnavailableError.
    """
    model = name.removeprefix(PREFIX)
    if not model.strip():
        raise ModelUnavailableError(f"Name the model after {PREFIX!r}, such as {PREFIX}my-model.")
    return _metric(model, partial(_vecsim_by_name, name=model), "1")


def load(name: str) -> Encoder:
    """The sentence-transformers model of that folder or name, from this machine only.

    Raises MissingExtraError without the package, ModelUnavailableError without the model.
    """
    check_installed()
    package = import_module("sentence_transformers")
    try:
        model: Encoder = package.SentenceTransformer(name, local_files_only=True)
    except Exception as error:  # the package raises many types for a missing model
        raise ModelUnavailableError(
            f"The sentence model {name!r} is not on this machine ({error}). Download it first; "
            "Plumbline downloads nothing."
        ) from error
    return model


def check_installed() -> None:
    """Raise MissingExtraError unless the package is installed; cheap, without an import."""
    if find_spec("sentence_transformers") is None:
        raise MissingExtraError(
            f"VecSim needs the extra package {EXTRA}: pip install {EXTRA}. It is large, so "
            "Plumbline does without it unless asked."
        )


_loaded = lru_cache(maxsize=2)(load)


def _vecsim_by_name(texts: Sequence[str], references: Sequence[str], *, name: str) -> FloatArray:
    return vecsim(texts, references, model=_loaded(name))


def _metric(model: str, batch: partial[FloatArray], version: str) -> Metric:
    def one(text: str, reference: str) -> float:
        return float(batch([text], [reference])[0])

    return Metric(
        name=PREFIX + model,
        version=version,
        needs="reference",
        description=f"VecSim: cosine of sentence vectors of {model} (-1 to 1).",
        higher_is_better=True,
        function=one,
        batch=batch,
    )


def _unit_vectors(sentences: list[str], model: Encoder) -> FloatArray:
    vectors = np.asarray(model.encode(sentences), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(sentences) or not np.isfinite(vectors).all():
        raise ModelUnavailableError(
            f"The sentence model must give one finite vector for each of {len(sentences)} texts; "
            f"it gave shape {vectors.shape}."
        )
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0))
