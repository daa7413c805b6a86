from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from estimation.metrics import (
    METRICS,
    MissingOthersError,
    MissingParagraphsError,
    MissingReferencesError,
    UnknownMetricError,
    score_all,
)

TEXTS = [f"the cat {i} sat {i} on the {'mat ' * (i % 4)}" for i in range(10)]
REFERENCES = [f"a cat {i} sat on a mat" for i in range(10)]
PARAGRAPHS = [[f"the cat {i}", "sat on the mat"] for i in range(10)]


def test_all_metrics_at_once() -> None:
    beside = {"paragraphs": PARAGRAPHS, "others": PARAGRAPHS}
    scores = score_all(list(METRICS), TEXTS, REFERENCES, **beside)
    assert list(scores) == list(METRICS)
    for name, column in scores.items():
        np.testing.assert_array_equal(column, METRICS[name].score(TEXTS, REFERENCES, **beside))


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
