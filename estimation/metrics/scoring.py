"""Many metrics over many texts: in chunks, with progress, in several processes on request."""

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
    """The texts that one process scores at a time.

    A chunk can be pickled, so it names its metrics.

    Attributes
    ----------
    names : tuple of str
        The metrics.
    texts : sequence of str
        The texts.
    references, paragraphs, others : sequence, optional
        One entry for each text, or None where no metric needs them.
    """

    names: tuple[str, ...]
    texts: Sequence[str]
    references: Sequence[str] | None = None
    paragraphs: Sequence[Sequence[str]] | None = None
    others: Sequence[Sequence[str]] | None = None


def score_all(
    metric_names: Sequence[str],
    texts: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    paragraphs: Sequence[Sequence[str]] | None = None,
    others: Sequence[Sequence[str]] | None = None,
    processes: int = 1,
    progress: Progress | None = None,
    chunk_size: int = 64,
) -> dict[str, FloatArray]:
    """Compute several metrics for many texts.

    The values do not depend on `processes` or `chunk_size`.

    Parameters
    ----------
    metric_names : sequence of str
        Names in `METRICS`, or `vecsim:MODEL`.
    texts : sequence of str
        The texts.
    references : sequence of str, optional
        One for each text.
    paragraphs : sequence of sequences of str, optional
        The input's paragraphs for each text.
    others : sequence of sequences of str, optional
        What the other systems wrote for the same item, for each text.
    processes : int, default 1
        See `score_chunks`.
    progress : callable, optional
        Called in this process with (texts done, all texts) after each chunk. An exception in it
        stops the work.
    chunk_size : int, default 64
        Texts in a chunk.

    Returns
    -------
    dict of str to (len(texts),) array of float
        The scores by metric name, in the order of the texts.

    Raises
    ------
    MetricError
        A metric is unknown or lacks what it needs; raised before any work.
    ValueError
        `processes` or `chunk_size` is below 1.

    Examples
    --------
    >>> from estimation.metrics import score_all
    >>> scores = score_all(["length", "repetition_1"], ["a b a b", "a b c"])
    >>> {name: values.tolist() for name, values in scores.items()}
    {'length': [4.0, 3.0], 'repetition_1': [0.5, 0.0]}
    """
    if processes < 1 or chunk_size < 1:
        raise ValueError("processes and chunk_size must be at least 1.")
    names = tuple(dict.fromkeys(metric_names))
    for name in names:
        get(name).check(texts, references, paragraphs=paragraphs, others=others)
    scores = {name: np.empty(len(texts), dtype=np.float64) for name in names}
    done = 0
    chunks = _chunks(Chunk(names, texts, references, paragraphs, others), chunk_size)
    for rows in score_chunks(chunks, processes=min(processes, -(-len(texts) // chunk_size) or 1)):
        for name, column in zip(names, rows, strict=True):
            scores[name][done : done + rows.shape[1]] = column
        done += rows.shape[1]
        if progress is not None:
            progress(done, len(texts))
    return scores


def score_chunks(chunks: Iterable[Chunk], *, processes: int = 1) -> Iterator[FloatArray]:
    """Yield the scores of each chunk, in order; chunks are read as they are needed.

    With several processes, fresh ones are started once for all chunks. They inherit nothing from
    the caller, such as a database connection, and take a few seconds each: worth it from about a
    thousand slow scores on. A daemon and a prefork worker of Celery do the work themselves.

    Parameters
    ----------
    chunks : iterable of Chunk
        The work.
    processes : int, default 1
        How many processes share it.

    Yields
    ------
    (metrics, texts) array of float
        One array for each chunk.

    Raises
    ------
    BrokenProcessPool
        A process died, for instance because memory ran out.

    Examples
    --------
    >>> from estimation.metrics import Chunk, score_chunks
    >>> [rows.shape for rows in score_chunks([Chunk(("length",), ["a b", "c"])])]
    [(1, 2)]
    """
    if processes == 1 or not may_have_children():
        yield from map(score_chunk, chunks)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: deque[Future[FloatArray]] = deque()
        todo = iter(chunks)
        try:
            # Only a few chunks ahead, so that memory does not grow with their number.
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
            get(name).score(
                chunk.texts, chunk.references, paragraphs=chunk.paragraphs, others=chunk.others
            )
            for name in chunk.names
        ]
    )


def may_have_children() -> bool:
    """Whether this process may start others: it is neither a daemon nor a prefork worker of Celery.

    Prefork workers are processes of billiard, Celery's multiprocessing. They appear as the current
    process here and cannot start processes of the standard library.

    Returns
    -------
    bool
        False in a daemon and in a prefork worker.

    """
    process = multiprocessing.current_process()
    return isinstance(process, multiprocessing.process.BaseProcess) and not process.daemon


def spare_processors() -> int:
    """Return how many processes are worth starting here: all processors but one, and at least one.

    Returns
    -------
    int
        1 or more.

    Examples
    --------
    >>> from estimation.metrics import spare_processors
    >>> spare_processors() >= 1
    True
    """
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
            None if whole.others is None else whole.others[cut],
        )
