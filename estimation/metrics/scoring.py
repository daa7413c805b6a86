"""Many metrics over many texts: in chunks, with progress, over several processes if asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from estimation.metrics.base import FloatArray
from estimation.metrics.registry import get

Progress = Callable[[int, int], None]


class _Chunk(NamedTuple):
    """What one process computes at a time; picklable, so metrics go by name."""

    names: tuple[str, ...]
    texts: Sequence[str]
    references: Sequence[str] | None


def score_all(
    metric_names: Sequence[str],
    texts: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    processes: int = 1,
    progress: Progress | None = None,
    chunk_size: int = 64,
) -> dict[str, FloatArray]:
    """Scores by metric name, each of shape (len(texts),), in the order of the texts.

    `progress(done, total)`, in texts, is called in this process after each chunk; what it raises
    stops the work. The values do not depend on `processes` or `chunk_size`.

    `processes` > 1 starts fresh processes (spawn: nothing of the caller, such as a database
    connection, is inherited), a few seconds each: worth it from about a thousand slow scores on.
    A daemonic process (a Celery prefork worker) may not start any: use 1 there.

    Raises UnknownMetricError, MissingReferencesError, LengthMismatchError (before any work), or
    ValueError if `processes` or `chunk_size` is below 1.
    """
    if processes < 1 or chunk_size < 1:
        raise ValueError("processes and chunk_size must be at least 1.")
    names = tuple(dict.fromkeys(metric_names))
    for name in names:
        get(name).check(texts, references)
    chunks = _chunks(names, texts, references, chunk_size)
    scores = {name: np.empty(len(texts), dtype=np.float64) for name in names}
    done = 0
    for rows in _results(chunks, processes):
        for name, column in zip(names, rows, strict=True):
            scores[name][done : done + rows.shape[1]] = column
        done += rows.shape[1]
        if progress is not None:
            progress(done, len(texts))
    return scores


def _chunks(
    names: tuple[str, ...], texts: Sequence[str], references: Sequence[str] | None, size: int
) -> list[_Chunk]:
    starts = range(0, len(texts), size) if names else ()
    return [
        _Chunk(names, texts[i : i + size], None if references is None else references[i : i + size])
        for i in starts
    ]


def _results(chunks: list[_Chunk], processes: int) -> Iterator[FloatArray]:
    if processes == 1 or len(chunks) < 2:
        yield from map(_score_chunk, chunks)
        return
    workers = min(processes, len(chunks))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_score_chunk, chunks)


def _score_chunk(chunk: _Chunk) -> FloatArray:
    """Shape (metrics, texts of the chunk)."""
    return np.stack([get(name).score(chunk.texts, chunk.references) for name in chunk.names])
