"""Campaigns that ask nothing that can be compared, and campaigns of nobody, are screened too."""

import numpy as np
import pytest

from annotate.screening import Settings, screen_all
from annotate.screening.calibration import calibrated
from tests.annotate.screening.columns import columns

EDITS = {"edit_distance": np.arange(240.0) % 50 + 1, "edit_text": np.arange(240)}


@pytest.mark.parametrize("more", [{}, EDITS])
@pytest.mark.parametrize("shared", [1, 2])
@pytest.mark.slow
def test_people_are_screened_where_no_question_is_asked(more, shared):
    found = columns(np.repeat(np.arange(20), 12), output=np.arange(240) // shared, **more)
    assert screen_all(found, Settings())
    assert "thin_evidence" in calibrated(found, Settings()).of


@pytest.mark.parametrize("judgments", [0, 1])
def test_nobody_and_a_single_judgment_are_screened(judgments):
    found = columns(np.zeros(judgments, dtype=int))
    assert not any(verdict.flagged for verdict in screen_all(found, Settings()))
    assert calibrated(found, Settings()).of
