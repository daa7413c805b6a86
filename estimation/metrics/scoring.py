"""All metrics by name, and many of them over many texts: in chunks, with progress, in processes."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from estimation.metrics import comparisons, reference_free, vectors
from estimation.metrics.base import FloatArray, Metric, MetricError

# --- All metrics by name. A new metric is a `Metric` in its module's METRICS, with a test.


class UnknownMetricError(MetricError):
    """No metric has this name; the message lists the known ones."""


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *reference_free.METRICS,
        *comparisons.METRICS,
    )
}


def get(name: str) -> Metric:
    """Return the metric of that name.

    name: A name in `METRICS`, or `vecsim:MODEL`.
    Returns: the metric; a model is loaded when something is scored.
    Raises UnknownMetricError: no metric has this name.
    Raises ModelUnavailableError: `vecsim:` stands without a model.

    >>> from estimation.metrics import get
    >>> get("length").score(["one two three"]).tolist()
    [3.0]
    """
    if name.startswith(vectors.PREFIX):
        return vectors.named(name)
    try:
        return METRICS[name]
    except KeyError:
        known = ", ".join(METRICS)
        raise UnknownMetricError(
            f"There is no metric {name!r}. Known: {known}, {vectors.PREFIX}MODEL."
        ) from None


def find(name: str) -> Metric | None:
    """Return the metric of that name, or None.

    name: any name, for instance that of a column.
    Returns: None where the name can only be a column of the user's own.

    >>> from estimation.metrics import find
    >>> find("my_llm_judge") is None
    True
    """
    try:
        return get(name)
    except MetricError:
        return None


def available(
    has_reference: bool, *, has_paragraphs: bool = False, has_others: bool = False
) -> list[Metric]:
    """List the metrics that the given data allow, reference-free ones first.

    has_reference: whether every text has a reference.
    has_paragraphs: whether every text has the input's paragraphs.
    has_others: whether another system wrote a text for every item.
    Returns: in the order of registration.

    >>> from estimation.metrics import available
    >>> all(metric.needs == "nothing" for metric in available(has_reference=False))
    True
    """
    given = {
        "nothing": True,
        "reference": has_reference,
        "paragraphs": has_paragraphs,
        "others": has_others,
    }
    return [metric for metric in METRICS.values() if given[metric.needs]]


# --- Many metrics over many texts: in chunks, with progress, in several processes on request.


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Chunk:
    """The texts that one process scores at a time.

    A chunk can be pickled, so it names its metrics.

    names: the metrics.
    texts: the texts.
    references, paragraphs, others: one entry for each text, or None where no metric needs them.
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

    metric_names: names in `METRICS`, or `vecsim:MODEL`.
    texts: the texts.
    references: one for each text.
    paragraphs: the input's paragraphs for each text.
    others: what the other systems wrote for the same item, for each text.
    processes: see `score_chunks`.
    progress: called in this process with (texts done, all texts) after each chunk. An exception in
        it stops the work.
    chunk_size: texts in a chunk.
    Returns: the scores by metric name, in the order of the texts.
    Raises MetricError: A metric is unknown or lacks what it needs; raised before any work.
    Raises ValueError: `processes` or `chunk_size` is below 1.

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

    chunks: the work.
    processes: how many processes share it.
    Yields: (metrics, texts) floats; one array for each chunk.
    Raises BrokenProcessPool: A process died, for instance because memory ran out.

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

    Returns: False in a daemon and in a prefork worker.
    """
    process = multiprocessing.current_process()
    return isinstance(process, multiprocessing.process.BaseProcess) and not process.daemon


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
