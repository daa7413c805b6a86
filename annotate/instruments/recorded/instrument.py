"""Scores that were recorded elsewhere: released data sets, judgments of an earlier study.

It has no page; the response contains the scores.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotate.instruments.base import (
    CORRECTNESS_CRITERIA,
    Answers,
    Criterion,
    InvalidResponse,
    Material,
)
from annotate.instruments.language_quality.instrument import QUALITY_CRITERIA


@dataclass(frozen=True)
class RecordedScores(Answers):
    key: str
    label: str
    criteria: tuple[Criterion, ...]
    version: str = "1"
    scoring: ClassVar = "1"
    title: str = "Judge texts"
    about: str = ""
    template: str = ""
    minutes: str = ""
    needs_paragraphs: bool = False
    needs_input: bool = False
    example: ClassVar = Material("")
    folder: ClassVar = None

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

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        return False

    def page(self, material: Material) -> dict[str, Any]:
        return {}

    def strings(self) -> dict[str, Any]:
        return {}

    def tutorial(self, language: str) -> None:
        return None


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
