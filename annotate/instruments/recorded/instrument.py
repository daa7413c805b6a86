"""Scores that were recorded elsewhere: released data sets, judgments of an earlier study.

It has no page; the response contains the scores.
"""

import math
from collections.abc import Mapping
from typing import Any

from annotate.instruments.base import (
    CORRECTNESS_CRITERIA,
    Criterion,
    Instrument,
    InvalidResponse,
    Material,
)
from annotate.instruments.language_quality.instrument import QUALITY_CRITERIA


class RecordedScores(Instrument):
    title = "Judge texts"

    def __init__(self, key: str, label: str, criteria: tuple[Criterion, ...]) -> None:
        self.key, self.label, self.criteria = key, label, criteria

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        scores = raw.get("scores")
        if not isinstance(scores, Mapping):
            raise InvalidResponse({"scores": "A recorded judgment contains its scores."})
        errors = {
            criterion.name: problem
            for criterion in self.criteria
            if (problem := _problem(criterion, scores.get(criterion.name)))
        }
        if errors:
            raise InvalidResponse(errors)
        return {**raw, "scores": {c.name: float(scores[c.name]) for c in self.criteria}}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        return dict(response["scores"])


def _problem(criterion: Criterion, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return f"{criterion.name} has no finite number."
    if criterion.bounded and not criterion.low <= value <= criterion.high:
        scale = f"{criterion.low:g} to {criterion.high:g}"
        return f"{criterion.name} {value:g} is off its scale {scale}."
    return ""


RECORDED = (
    RecordedScores(
        "recorded_language_quality", "Language quality, recorded elsewhere", QUALITY_CRITERIA
    ),
    RecordedScores(
        "recorded_answer_correctness",
        "Answer correctness, recorded elsewhere",
        CORRECTNESS_CRITERIA,
    ),
)
