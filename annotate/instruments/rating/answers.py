"""How responses of a rating study are read by reviewers, screens and annotators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotate.instruments.answers import Answers, Highlight, Observed
from annotate.instruments.base import Instrument, Material
from annotate.instruments.rating.definition import EDIT, EVIDENCE


class OfRatings(Answers):
    """The levels of criteria, the evidence for them, and the edit."""

    def highlights(
        self: Instrument, response: Mapping[str, Any], material: Material
    ) -> list[Highlight]:
        labels = {question.name: question.label for question in self.questions()}
        return [
            Highlight(labels.get(name, name), material.text, spans)
            for name, spans in response.get(EVIDENCE, {}).items()
        ]

    def columns(self: Instrument, judgments: Sequence[Observed]) -> dict[str, Any]:
        texts: dict[str, int] = {}
        edits = [one.response.get(EDIT) for one in judgments]
        distance = [
            np.nan if edit is None else one.response["distance"]
            for one, edit in zip(judgments, edits, strict=True)
        ]
        same = [
            -1 if edit is None else texts.setdefault(" ".join(edit.split()), len(texts))
            for edit in edits
        ]
        return Answers.columns(self, judgments) | {
            "edit_distance": np.array(distance, dtype=np.float64),
            "edit_text": np.array(same, dtype=np.int64),
        }
