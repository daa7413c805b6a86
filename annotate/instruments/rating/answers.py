"""How responses of a rating study are read by reviewers, screens and annotators."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from annotate.instruments.answers import Answers, Highlight, Observed
from annotate.instruments.base import Instrument, Material
from annotate.instruments.rating import comparing
from annotate.instruments.rating.definition import EDIT, EVIDENCE


class OfRatings(Answers):
    """The levels of criteria, the evidence for them, and the edit; or a comparison's answers."""

    def recalled(self: Instrument, response: Mapping[str, Any]) -> str:
        """Return the answers in one line, as their annotator gave them."""
        return Answers.recalled(self, self.reopened(response))

    def answered(self: Instrument, response: Mapping[str, Any]) -> str:
        """Return the answers in one line for reviewers, who see a pair in its own order."""
        return Answers.recalled(self, response)

    def reopened(self: Instrument, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as the draft from which its annotator corrects it."""
        return comparing.as_seen(response) if self.compares else dict(response)

    def highlights(
        self: Instrument, response: Mapping[str, Any], material: Material
    ) -> list[Highlight]:
        labels = {question.name: question.label for question in self.questions()}
        return [
            Highlight(labels.get(name, name), material.text, spans)
            for name, spans in response.get(EVIDENCE, {}).items()
        ]

    def columns(self: Instrument, judgments: Sequence[Observed]) -> dict[str, Any]:
        if self.compares:
            turned = [one.response[comparing.TURNED] for one in judgments]
            return Answers.columns(self, judgments) | {"turned": np.array(turned, dtype=float)}
        edits = [one.response.get(EDIT) for one in judgments]
        distance = [
            np.nan if edit is None else one.response["distance"]
            for one, edit in zip(judgments, edits, strict=True)
        ]
        same = [-1 if edit is None else _label(" ".join(edit.split())) for edit in edits]
        return Answers.columns(self, judgments) | {
            "edit_distance": np.array(distance, dtype=np.float64),
            "edit_text": np.array(same, dtype=np.int64),
        }


def _label(text: str) -> int:
    """Return a number for a text, the same in every part of a campaign: 63 bits of its digest.

    Among a million different texts two share a number with a probability of 5 in 100 million.
    """
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()) >> 1
