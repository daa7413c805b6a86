from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import billiard
import numpy as np
import pytest

from estimation.metrics import (
    METRICS,
    Chunk,
    MissingOthersError,
    MissingParagraphsError,
    MissingReferencesError,
    UnknownMetricError,
    score_all,
    score_chunks,
)
from estimation.metrics.scoring import may_have_children

TEXTS = [f"the cat {i} sat {i} on the {'mat ' * (i % 4)}" for i in range(10)]
REFERENCES = [f"a cat {i} sat on a mat" for i in range(10)]
PARAGRAPHS = [[f"the cat {i}", "sat on the mat"] for i in range(10)]


def test_all_metrics_in_chunks() -> None:
    calls: list[tuple[int, int]] = []
    scores = score_all(
        list(METRICS),
        TEXTS,
        REFERENCES,
        paragraphs=PARAGRAPHS,
        others=PARAGRAPHS,
        chunk_size=4,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(4, 10), (8, 10), (10, 10)]
    assert list(scores) == list(METRICS)
    for name, column in scores.items():
        np.testing.assert_array_equal(
            column,
            METRICS[name].score(TEXTS, REFERENCES, paragraphs=PARAGRAPHS, others=PARAGRAPHS),
        )


def test_processes_do_not_change_values() -> None:
    names = ["repetition", "adjacent_duplicates"]
    calls: list[int] = []
    spread = score_all(
        names, TEXTS, processes=2, chunk_size=3, progress=lambda done, _: calls.append(done)
    )
    here = score_all(names, TEXTS)
    assert calls == [3, 6, 9, 10]
    for name in names:
        np.testing.assert_array_equal(spread[name], here[name])
    assert len(set(here["repetition"])) > 1


def test_chunks_are_read_as_they_are_needed() -> None:
    read: list[int] = []

    def chunks() -> Iterator[Chunk]:
        for i in range(40):
            read.append(i)
            yield Chunk(("length",), ["a " * i])

    results = score_chunks(chunks(), processes=2)
    assert [next(results)[0, 0] for _ in range(3)] == [0, 1, 2]
    assert len(read) <= 3 + 4
    results.close()


def _report(answers: Any) -> None:
    answers.put((may_have_children(), [rows.tolist() for rows in _in_two_processes()]))


def _in_two_processes() -> Iterator[Any]:
    return score_chunks([Chunk(("length",), ["a b"]), Chunk(("length",), ["a"])], processes=2)


@pytest.mark.parametrize("daemon", [True, False])
def test_a_prefork_worker_computes_by_itself(daemon: bool) -> None:
    assert may_have_children()
    # billiard is what Celery forks its workers with; spawned here, as forking is for Celery.
    context = billiard.get_context("spawn")
    answers = context.Queue()
    worker = context.Process(target=_report, args=(answers,), daemon=daemon)
    worker.start()
    try:
        assert answers.get(timeout=60) == (False, [[[2.0]], [[1.0]]])
    finally:
        worker.join(10)
        answers.close()


def test_nothing_to_do() -> None:
    assert score_all([], TEXTS) == {}
    assert score_all(["length"], [])["length"].shape == (0,)
    assert list(score_all(["length", "length"], TEXTS)) == ["length"]


def test_errors_come_before_any_work() -> None:
    with pytest.raises(UnknownMetricError):
        score_all(["length", "nonsense"], TEXTS)
    with pytest.raises(MissingReferencesError):
        score_all(["length", "bleu"], TEXTS)
    with pytest.raises(MissingParagraphsError):
        score_all(["length", "support_1"], TEXTS, REFERENCES)
    with pytest.raises(MissingOthersError):
        score_all(["length", "consensus_f1"], TEXTS, REFERENCES)
    for wrong in ({"processes": 0}, {"chunk_size": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            score_all(["length"], TEXTS, **wrong)


def test_import_is_light() -> None:
    code = (
        "import sys, estimation.metrics as m; m.score_all(['repetition'], ['a a']);"
        "print(sorted({n.split('.')[0] for n in sys.modules}"
        " & {'rouge_score', 'nltk', 'sacrebleu', 'rapidfuzz', 'django', 'estimation'}))"
    )
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "['estimation']"
