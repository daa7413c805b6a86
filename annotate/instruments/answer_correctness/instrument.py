"""Answer correctness: is the answer plausible, and what do the paragraphs show?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.instruments import spans
from annotate.instruments.answer_correctness import strings
from annotate.instruments.answer_correctness.answers import OfParagraphs
from annotate.instruments.answer_correctness.criteria import (
    ALL,
    CORRECT,
    INCORRECT,
    NEITHER,
    VERDICTS,
)
from annotate.instruments.base import InvalidResponse, Material
from annotate.instruments.tutorials.content import Tutorial
from annotate.instruments.tutorials.reading import builtin


class AnswerCorrectness(OfParagraphs):
    key = "answer_correctness"
    version = scoring = "1"
    label = "Answer correctness"
    title = gettext_lazy("Check answers")
    about = gettext_lazy(
        "A computer program answered a question. You check its answer against a few paragraphs."
    )
    criteria = ALL
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

    def takes_long(self, response: Mapping[str, Any], *, material: Material) -> bool:
        return False

    def page(self, material: Material) -> dict[str, Any]:
        return {}  # the script reads the paragraphs from the page

    def strings(self) -> dict[str, Any]:
        return strings.judging()

    def tutorial(self, language: str) -> Tutorial | None:
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
    evidence = spans.read(answer.get("spans"), paragraph)
    if not evidence:
        raise ValueError(_("highlight the words that show it."))
    if answer.get("confirmed") is not True:
        raise ValueError(_("confirm what your answer and your highlights say."))
    return {"value": value, "spans": evidence}
