"""Many metrics over many texts: in chunks, with progress, over several processes if asked."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from estimation.metrics.base import FloatArray
from estimation.metrics.registry import get

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Chunk:
    """What one process computes at a time; picklable, so metrics go by name.

    Every sequence has one entry per text, or is None where no metric needs it.
    """

    names: tuple[str, ...]
    texts: Sequence[str]
    references: Sequence[str] | None = None
    paragraphs: Sequence[Sequence[str]] | None = None


def score_all(
    metric_names: Sequence[str],
    texts: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    paragraphs: Sequence[Sequence[str]] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    chunk_size: int = 64,
) -> dict[str, FloatArray]:
    """Scores by metric name, each of shape (len(texts),), in the order of the texts.

    `progress(done, total)`, in texts, is called in this process after each chunk; what it raises
    stops the work. The values do not depend on `processes` or `chunk_size`. For `processes` see
    `score_chunks`.

    Raises a MetricError before any work where a metric is unknown or lacks what it needs;
    ValueError if `processes` or `chunk_size` is below 1.
    """
    if processes < 1 or chunk_size < 1:
        raise ValueError("processes and chunk_size must be at least 1.")
    names = tuple(dict.fromkeys(metric_names))
    for name in names:
        get(name).check(texts, references, paragraphs=paragraphs)
    scores = {name: np.empty(len(texts), dtype=np.float64) for name in names}
    done = 0
    chunks = _chunks(Chunk(names, texts, references, paragraphs), chunk_size)
    for rows in score_chunks(chunks, processes=min(processes, -(-len(texts) // chunk_size) or 1)):
        for name, column in zip(names, rows, strict=True):
            scores[name][done : done + rows.shape[1]] = column
        done += rows.shape[1]
        if progress is not None:
            progress(done, len(texts))
    return scores


def score_chunks(chunks: Iterable[Chunk], *, processes: int = 1) -> Iterator[FloatArray]:
    """The scores of each chunk, (metrics, texts), in order; chunks are read as they are needed.

    `processes` > 1 starts fresh processes (spawn: nothing of the caller, such as a database
    connection, is inherited), a few seconds each, once for all chunks: worth it from about a
    thousand slow scores on. Where `may_have_children` is false it works in this process. If a
    process dies (out of memory), BrokenProcessPool is raised.
    """
    if processes == 1 or not may_have_children():
        yield from map(score_chunk, chunks)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: deque[Future[FloatArray]] = deque()
        todo = iter(chunks)
        try:
            # A few chunks ahead and no more, so that memory does not grow with their number.
            while True:
                ahead = islice(todo, 2 * processes - len(waiting))
                waiting.extend(pool.submit(score_chunk, chunk) for chunk in ahead)
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def score_chunk(chunk: Chunk) -> FloatArray:
    """Shape (metrics, texts of the chunk)."""
    return np.stack(
        [
            get(name).score(chunk.texts, chunk.references, paragraphs=chunk.paragraphs)
            for name in chunk.names
        ]
    )


def may_have_children() -> bool:
    """Whether this process may start others: no daemon, and none of Celery's prefork workers.

    Those are processes of billiard, Celery's own multiprocessing, which stand in the place that
    is asked here but cannot start processes of the standard library.
    """
    process = multiprocessing.current_process()
    return isinstance(process, multiprocessing.process.BaseProcess) and not process.daemon


def spare_processors() -> int:
    """How many processes are worth starting here: one processor stays free; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)) - 1)
    return max(1, (os.cpu_count() or 1) - 1)


def _chunks(whole: Chunk, size: int) -> Iterator[Chunk]:
    for i in range(0, len(whole.texts) if whole.names else 0, size):
        cut = slice(i, i + size)
        yield Chunk(
            whole.names,
            whole.texts[cut],
            None if whole.references is None else whole.references[cut],
            None if whole.paragraphs is None else whole.paragraphs[cut],
        )
