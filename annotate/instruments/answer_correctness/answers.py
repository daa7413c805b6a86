"""How responses about answers and paragraphs are read by reviewers, screens and annotators."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotate.instruments.answer_correctness.criteria import CORRECT, INCORRECT, NEITHER
from annotate.instruments.answers import Answers, Edges, Highlight, Key, Observed, Question
from annotate.instruments.base import Material
from annotate.screening.base import Highlights

PLAUSIBLE, PARAGRAPH = "plausible", "paragraph"
QUESTIONS = (
    Question(PLAUSIBLE, "Plausible", ((1.0, "yes"), (0.0, "no"))),
    Question(
        PARAGRAPH,
        "Paragraph",
        ((CORRECT, "correct"), (NEITHER, "neither"), (INCORRECT, "incorrect")),
        of_paragraphs=True,
    ),
)


class OfParagraphs(Answers):
    """Plausibility, the verdict on each paragraph, and the words highlighted for it."""

    def questions(self) -> tuple[Question, ...]:
        return QUESTIONS

    def answers(self, response: Mapping[str, Any]) -> dict[Key, float]:
        verdicts = enumerate(response["verdicts"], start=1)
        return {(PLAUSIBLE, 0): float(response["plausible"])} | {
            (PARAGRAPH, number): float(verdict["value"]) for number, verdict in verdicts
        }

    def highlights(self, response: Mapping[str, Any], material: Material) -> list[Highlight]:
        verdicts = zip(response["verdicts"], material.paragraphs, strict=False)
        return [
            Highlight(f"Paragraph {number}", text, verdict["spans"])
            for number, (verdict, text) in enumerate(verdicts, start=1)
            if verdict["spans"]
        ]

    def recalled(self, response: Mapping[str, Any]) -> str:
        if not response["plausible"]:
            return _("not plausible")
        names = [
            (CORRECT, _("%(n)d × correct")),
            (INCORRECT, _("%(n)d × incorrect")),
            (NEITHER, _("%(n)d × neither")),
        ]
        given = [verdict["value"] for verdict in response["verdicts"]]
        return ", ".join(
            name % {"n": given.count(value)} for value, name in names if value in given
        )

    def reopened(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return the page's columns: what was submitted had been confirmed."""
        verdicts = response["verdicts"]
        return {
            "plausible": "yes" if response["plausible"] else "no",
            "verdicts": [one["value"] for one in verdicts],
            "spans": [one["spans"] for one in verdicts],
            "confirmed": [one["value"] != NEITHER for one in verdicts],
        }

    def columns(self, judgments: Sequence[Observed]) -> dict[str, Any]:
        most = max((len(one.response["verdicts"]) for one in judgments), default=0)
        verdicts = np.full((len(judgments), most), np.nan)
        for i, one in enumerate(judgments):
            given = [verdict["value"] for verdict in one.response["verdicts"]]
            verdicts[i, : len(given)] = given
        plausible = [one.response["plausible"] for one in judgments]
        return {
            "levels": (-1.0, 0.0, 1.0),
            "words": np.array([_words_read(one) for one in judgments], dtype=np.float64),
            "plausible": np.array(plausible, dtype=np.float64),
            "verdicts": verdicts,
            "highlights": _highlights(judgments),
        }


def _words_read(one: Observed) -> int:
    """Return the words read: an implausible answer requires no paragraphs."""
    shown: Edges = one.paragraphs if one.response["plausible"] else []
    return one.text_words + one.input_words + sum(map(len, shown))


def _highlights(judgments: Sequence[Observed]) -> Highlights:
    found = [
        (i, p, _touched(one.paragraphs[p], verdict["spans"]), len(one.paragraphs[p]))
        for i, one in enumerate(judgments)
        for p, verdict in enumerate(one.response["verdicts"])
        if verdict["spans"]
    ]
    judgment, paragraph, tokens, length = zip(*found, strict=True) if found else ((), (), (), ())
    numbers = (np.array(column, dtype=np.int64) for column in (judgment, paragraph, length))
    judgments_, paragraphs, lengths = numbers
    return Highlights(judgments_, paragraphs, list(tokens), lengths)


def _touched(edges: list[tuple[int, int]], spans: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return the numbers of the words that these spans touch."""
    return frozenset(
        number
        for number, (first, last) in enumerate(edges)
        if any(start < last and end > first for start, end in spans)
    )
