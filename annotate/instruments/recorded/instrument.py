"""Scores that were recorded elsewhere: released data sets, judgments of an earlier study.

It has no page; the response contains the scores.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from annotate.instruments.base import (
    CORRECTNESS_CRITERIA,
    Criterion,
    Instrument,
    InvalidResponse,
    Material,
)
from annotate.instruments.language_quality.instrument import QUALITY_CRITERIA

DEFINED = "recorded"  # in the definition of such an instrument: its criteria


def definition_of(criteria: Iterable[Criterion]) -> dict[str, Any]:
    """Return the definition of an instrument of imported judgments with these criteria, as JSON."""
    names = ("name", "low", "high", "bounded", "higher_is_better", "balance", "person_share")
    return {
        DEFINED: [
            {"label": str(one.label)} | {name: getattr(one, name) for name in names}
            for one in criteria
        ]
    }


class RecordedScores(Instrument):
    title = "Judge texts"

    def __init__(
        self, key: str, label: str, criteria: tuple[Criterion, ...], *, partial: bool = False
    ) -> None:
        self.key, self.label, self.criteria, self.partial = key, label, criteria, partial

    @classmethod
    def defined(cls, key: str, definition: Mapping[str, Any]) -> "RecordedScores":
        """Return the instrument of imported judgments; `definition` as `definition_of` wrote it."""
        criteria = tuple(Criterion(**one) for one in definition[DEFINED])
        return cls(key, "Scores that were recorded elsewhere", criteria, partial=True)

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        scores = raw.get("scores")
        if not isinstance(scores, Mapping):
            raise InvalidResponse({"scores": "A recorded judgment contains its scores."})
        asked = [c for c in self.criteria if c.name in scores or not self.partial]
        errors = {
            criterion.name: problem
            for criterion in asked
            if (problem := _problem(criterion, scores.get(criterion.name)))
        }
        if errors or not asked:
            raise InvalidResponse(errors or {"scores": "A recorded judgment contains a score."})
        return {**raw, "scores": {c.name: float(scores[c.name]) for c in asked}}

    def other_answers(self, response: Mapping[str, Any]) -> list[tuple[str, str]]:
        given = response.get("scores", {})
        return [(c.title, f"{given[c.name]:g}" if c.name in given else "–") for c in self.criteria]

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
