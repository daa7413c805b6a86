"""Language quality: three Likert questions, and a post-edit where anything falls short."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments.base import InvalidResponse, Material
from annotate.instruments.language_quality import strings
from annotate.instruments.language_quality.criteria import ALL, ASKED, BEST
from annotate.instruments.tutorials.content import Tutorial
from estimation.metrics.edits import hter, levenshtein, normalise

KEPT_SHARE = 0.1  # an edit shorter than this share of the text deletes nearly everything
LONGEST = 3  # times the text, plus room for a sentence: bounds what TER costs
ROOM = 200


class LanguageQuality:
    key = "language_quality"
    version = "1"
    label = "Language quality"
    criteria = ALL
    template = "work/language_quality.html"
    minutes = "1–3"
    needs_paragraphs = False
    example = Material(
        "The harbour museum opens again on Saturday. The museum opens again after the museum was "
        "closed for two years, and entry is free until end of the month."
    )

    def check(self, raw: Mapping[str, Any], *, material: Material) -> dict[str, Any]:
        levels, errors = _levels(raw)
        if errors:
            raise InvalidResponse(errors)
        if all(value == BEST for value in levels.values()):
            return {**levels, "edit": None, "distance": 0}
        edit = _edit(raw.get("edit"), text=material.text)
        return {**levels, "edit": edit, "distance": levenshtein(normalise(material.text), edit)}

    def scores(self, response: Mapping[str, Any], *, material: Material) -> dict[str, float]:
        """Levels as they are; `edit` is HTER, 0 where no edit was needed, unbounded above."""
        scores = {criterion.name: float(response[criterion.name]) for criterion in ASKED}
        edit = response["edit"]
        scores["edit"] = 0.0 if edit is None else hter(normalise(material.text), edit)
        return scores

    def page(self, material: Material) -> dict[str, Any]:
        shown = ("name", "label", "question", "levels")
        asked = [criterion.as_data() for criterion in ASKED]
        return {"criteria": [{key: one[key] for key in shown} for one in asked]}

    def strings(self) -> dict[str, Any]:
        return strings.editing()

    def tutorial(self, language: str) -> Tutorial | None:
        return None


def _levels(raw: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, str]]:
    levels: dict[str, int] = {}
    errors: dict[str, str] = {}
    for criterion in ASKED:
        value = raw.get(criterion.name)
        known = [level.value for level in criterion.levels]
        if value is None:
            errors[criterion.name] = _("“%(label)s” has no answer.") % {"label": criterion.label}
        elif type(value) is not int or value not in known:
            errors[criterion.name] = _("“%(label)s” takes one of its levels, nothing else.") % {
                "label": criterion.label
            }
        else:
            levels[criterion.name] = value
    return levels, errors


def _edit(given: Any, *, text: str) -> str:
    """Return the normalised edit, or say why it cannot be one."""
    if given is None or not isinstance(given, str):
        raise InvalidResponse(
            {"edit": _("Please improve the text: at least one answer was below the best level.")}
        )
    original = normalise(text)
    if len(given) > LONGEST * len(original) + ROOM:
        raise InvalidResponse({"edit": _("This edit is far longer than the text it improves.")})
    edit = normalise(given)
    if len(edit.strip()) < max(1, KEPT_SHARE * len(original.strip())):
        raise InvalidResponse(
            {"edit": _("This edit deletes nearly everything. Keep what the text says.")}
        )
    if edit.split() == original.split():
        raise InvalidResponse(
            {"edit": _("Nothing but spaces has changed. Improve the words, or raise the answers.")}
        )
    return edit
