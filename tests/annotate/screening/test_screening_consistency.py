"""Own consistency: whose ratings do not go with the size of their own edits."""

from dataclasses import replace

import numpy as np

from annotate.screening.base import Columns, CrowdThresholds
from annotate.screening.edits import Consistency
from annotate.screening.edits import find_inconsistent as find

PEOPLE, EACH = 30, 25


def study(*, upside_down: int = 0) -> Columns:
    """Everybody changes more in worse texts; the first few rate the wrong way round."""
    rng = np.random.default_rng(7)
    n = PEOPLE * EACH
    annotator = np.repeat(np.arange(PEOPLE), EACH)
    quality = rng.integers(-1, 2, n).astype(float)
    edits = np.exp(3 - 0.8 * quality + 0.6 * rng.standard_normal(n))
    said = np.where(annotator < upside_down, -quality, quality)
    return Columns(
        annotator=annotator,
        output=np.arange(n),
        order=np.arange(n, dtype=float),
        seconds=np.exp(3 - 0.8 * said + 0.6 * rng.standard_normal(n)),
        words=np.full(n, 40.0),
        scores={"overall": said},
        edit_distance=edits,
    )


def test_who_rates_upside_down_stands_out_and_nobody_else() -> None:
    found = find(study(upside_down=2), Consistency(), CrowdThresholds())
    assert (found.evidence[:2] > 4).all()
    assert (found.value[:2] < 0).all()
    assert found.past[:2].all()
    assert (found.evidence[2:] < 3).all()
    assert not found.past[2:].any()


def test_a_study_without_edits_has_no_such_evidence() -> None:
    """Active times do not stand in for edits: honest people differ in how they use them."""
    without = replace(study(upside_down=2), edit_distance=None)
    found = find(without, Consistency(), CrowdThresholds())
    assert not found.evidence.any()
    assert not found.enough.any()
