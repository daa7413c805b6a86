from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from estimation.metrics import METRICS, MissingReferencesError, UnknownMetricError, score_all

TEXTS = [f"the cat {i} sat {i} on the {'mat ' * (i % 4)}" for i in range(10)]
REFERENCES = [f"a cat {i} sat on a mat" for i in range(10)]


def test_all_metrics_in_chunks() -> None:
    calls: list[tuple[int, int]] = []
    scores = score_all(
        list(METRICS),
        TEXTS,
        REFERENCES,
        chunk_size=4,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(4, 10), (8, 10), (10, 10)]
    assert list(scores) == list(METRICS)
    for name, column in scores.items():
        np.testing.assert_array_equal(column, METRICS[name].score(TEXTS, REFERENCES))


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


def test_progress_may_stop_the_work() -> None:
    class StopError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        score_all(["length"], TEXTS, progress=stop)


def test_nothing_to_do() -> None:
    assert score_all([], TEXTS) == {}
    assert score_all(["length"], [])["length"].shape == (0,)
    assert list(score_all(["length", "length"], TEXTS)) == ["length"]


def test_errors_come_before_any_work() -> None:
    with pytest.raises(UnknownMetricError):
        score_all(["length", "nonsense"], TEXTS)
    with pytest.raises(MissingReferencesError):
        score_all(["length", "bleu"], TEXTS)
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
