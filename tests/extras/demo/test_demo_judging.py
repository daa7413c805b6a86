"""Simulated judgments have the variance of real ones: texts differ more than people do."""

import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from extras.demo import corpus
from extras.demo.people import cast

ROWS = corpus.sample_outputs(items=120)
PEOPLE = cast(40, seed=11)


@cache
def overall(system: str) -> np.ndarray:
    """One row per output, one column per person."""
    return np.array(
        [[p.verdict(r.outputs[system].text).levels["overall"] for p in PEOPLE] for r in ROWS], float
    )


def repeated_share(text: str) -> float:
    words = re.findall(r"\w+", text.lower())
    pairs = list(pairwise(words))
    return 1 - len(set(pairs)) / len(pairs)


def test_scores_differ_by_system() -> None:
    base, lead, large = (
        overall(s).mean() for s in ("abstractive-base", "lead-3", "abstractive-large")
    )
    assert base + 0.2 < lead < large


def test_texts_vary_more_than_people() -> None:
    scores = overall("abstractive-base")
    people, items = scores.mean(axis=0).std(ddof=1), scores.mean(axis=1).std(ddof=1)
    assert items > 2 * people
    assert 0.1 < people < 0.3


def test_overall_correlates_moderately_with_repetition() -> None:
    repetition = [repeated_share(r.outputs[s].text) for s in corpus.SYSTEMS for r in ROWS]
    mean = np.concatenate([overall(s).mean(axis=1) for s in corpus.SYSTEMS])
    r = np.corrcoef(repetition, mean)[0, 1]
    assert -0.75 < r < -0.4


@pytest.mark.parametrize("system", corpus.SYSTEMS)
def test_a_required_edit_changes_the_text_and_keeps_most_of_it(system: str) -> None:
    for row in ROWS:
        text = row.outputs[system].text
        verdict = PEOPLE[0].verdict(text)
        if verdict.edit_required:
            edit = PEOPLE[0].edit(text, verdict)
            assert corpus.normalised(edit) != corpus.normalised(text)
            assert len(edit) > 0.2 * len(text)
