"""Answer correctness: is the answer plausible, and what do the paragraphs show?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.instruments import base as instruments_base
from annotate.instruments.base import (
    CORRECT,
    CORRECTNESS_CRITERIA,
    INCORRECT,
    NEITHER,
    VERDICTS,
    Edges,
    Highlight,
    Instrument,
    InvalidResponse,
    Key,
    Material,
    Observed,
    Question,
    by_number,
)
from annotate.instruments.tutorials import Tutorial, builtin
from annotate.screening.base import Highlights

# How responses about answers and paragraphs are read by reviewers, screens and annotators.


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


# The texts of the page's script.


def _lacking() -> dict[str, Any]:
    """Return each missing part, as the bar says it for paragraphs, and as the paragraph does."""
    return {
        "no_plausible": _("whether the answer is plausible"),
        "lacking": {
            "todo": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s has no answer", "Paragraphs %(list)s have no answer", n
                )
            ),
            "highlight": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s needs a highlight",
                    "Paragraphs %(list)s need a highlight",
                    n,
                )
            ),
            "confirm": by_number(
                lambda n: ngettext(
                    "Paragraph %(list)s is not confirmed",
                    "Paragraphs %(list)s are not confirmed",
                    n,
                )
            ),
        },
        "lacking_here": {
            "todo": _("No answer yet"),
            "highlight": _("Needs a highlight"),
            "confirm": _("Not confirmed yet"),
        },
    }


class AnswerCorrectness(Instrument):
    """Plausibility, the verdict on each paragraph, and the words highlighted for it."""

    key = "answer_correctness"
    label = "Answer correctness"
    title = gettext_lazy("Check answers")
    about = gettext_lazy(
        "A computer program answered a question. You check its answer against a few paragraphs."
    )
    criteria = CORRECTNESS_CRITERIA
    verdicts = VERDICTS
    template = "work/answer_correctness.html"
    folder = Path(__file__).parent
    minutes = "1–3"
    needs_paragraphs = True
    needs_input = True

    @property
    def example(self) -> Material:
        return Material(
            _("in 1936"),
            input=_("when did the ferry to tarn island start"),
            paragraphs=(
                _(
                    "Tarn Island had no regular crossing until 1936, when the first ferry left "
                    "the new pier with eleven passengers and a cow."
                ),
                _("The pier was built of oak and has been repaired three times."),
                _(
                    "A mail boat rowed over every week from 1902 on. The ferry replaced it a "
                    "generation later."
                ),
            ),
        )

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        """Return the scored fields, without paragraphs if the answer is implausible."""
        plausible = raw.get("plausible")
        if plausible is False:
            return {"plausible": False, "verdicts": []}
        errors: dict[str, str] = {}
        if plausible is None:
            errors["plausible"] = _("The question above the paragraphs has no answer.")
        elif plausible is not True:
            errors["plausible"] = _("Whether it is plausible takes yes or no, nothing else.")
        verdicts = _verdicts(raw.get("verdicts"), material.paragraphs, errors)
        if errors:
            raise InvalidResponse(errors)
        return {"plausible": True, "verdicts": verdicts}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Return whether any paragraph shows it correct, and their share of the deciding ones."""
        decided = [one["value"] for one in response["verdicts"] if one["value"] != NEITHER]
        correct = decided.count(CORRECT)
        return {
            "any_correct": float(correct > 0),
            "avg_correct": correct / len(decided) if decided else 0.0,
        }

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

    def strings(self) -> dict[str, Any]:
        return _lacking() | {
            "highlighting": instruments_base.strings(),
            "remove": _("Remove"),
            "remove_number": _("Remove highlight %(n)s"),
            "unconfirmed": _("Changed: confirm it again"),
            "nothing_to_confirm": _("Nothing to confirm yet: answer and highlight first"),
            "done": _("%(n)s of %(all)s done"),
        }

    def tutorial(self, language: str) -> Tutorial:
        return builtin(self.folder, language, instrument=self.key)


def _verdicts(
    given: Any, paragraphs: Sequence[str], errors: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the verdict on each paragraph, and note problems in `errors`."""
    answers = given if isinstance(given, list) else []
    if len(answers) > len(paragraphs):
        errors["verdicts"] = _("There are more answers than paragraphs. Reload this page.")
    verdicts = []
    for index, paragraph in enumerate(paragraphs):
        try:
            verdicts.append(_verdict(answers[index : index + 1], paragraph))
        except ValueError as error:
            errors[f"paragraph-{index + 1}"] = _("Paragraph %(n)s: %(problem)s") % {
                "n": index + 1,
                "problem": error,
            }
    return verdicts


def _verdict(given: list[Any], paragraph: str) -> dict[str, Any]:
    """Return the one verdict in `given`; ValueError says what is missing or wrong."""
    answer = given[0] if given and isinstance(given[0], Mapping) else {}
    value = answer.get("value")
    if value is None:
        raise ValueError(_("it has no answer."))
    if type(value) is not int or value not in (CORRECT, NEITHER, INCORRECT):
        raise ValueError(_("it takes one of the three answers, nothing else."))
    if value == NEITHER:
        return {"value": value, "spans": []}  # earlier highlights do not count with this verdict
    evidence = instruments_base.read_spans(answer.get("spans"), paragraph)
    if not evidence:
        raise ValueError(_("highlight the words that show it."))
    if answer.get("confirmed") is not True:
        raise ValueError(_("confirm what your answer and your highlights say."))
    return {"value": value, "spans": evidence}
