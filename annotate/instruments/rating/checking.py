"""Checks of a rating's response: levels, and the edit and highlights that they require."""

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import category

from django.utils.translation import gettext as _

from annotate.instruments import spans
from annotate.instruments.base import InvalidResponse
from annotate.instruments.rating.definition import EVIDENCE, Question
from annotate.text.visible import is_visible
from estimation.metrics import normalise

KEPT_SHARE = 0.1  # an edit shorter than this share of the text deletes nearly everything
LONGEST = 3  # times the text's length, plus a sentence; limits the cost of TER
ROOM = 200


def levels(
    raw: Mapping[str, Any], criteria: Sequence[Question]
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the level of each criterion, and the problems with the others."""
    found: dict[str, int] = {}
    errors: dict[str, str] = {}
    for criterion in criteria:
        value = raw.get(criterion.name)
        known = [level.value for level in criterion.levels]
        if value is None:
            errors[criterion.name] = _("“%(label)s” has no answer.") % {"label": criterion.label}
        elif type(value) is not int or value not in known:
            errors[criterion.name] = _("“%(label)s” takes one of its levels, nothing else.") % {
                "label": criterion.label
            }
        else:
            found[criterion.name] = value
    return found, errors


def required(chosen: Mapping[str, int], criteria: Sequence[Question]) -> frozenset[str]:
    """Return everything that the chosen levels require."""
    return frozenset(what for c in criteria for what in c.choice(chosen[c.name]).requires)


def evidence(
    raw: Any, *, text: str, chosen: Mapping[str, int], criteria: Sequence[Question]
) -> tuple[dict[str, list[spans.Span]], dict[str, str]]:
    """Return the highlights of each criterion whose level requires some, and the problems."""
    given = raw if isinstance(raw, Mapping) else {}
    found: dict[str, list[spans.Span]] = {}
    errors: dict[str, str] = {}
    for criterion in criteria:
        if EVIDENCE not in criterion.choice(chosen[criterion.name]).requires:
            continue
        try:
            found[criterion.name] = spans.read(given.get(criterion.name, []), text)
        except spans.InvalidSpans as problem:
            errors[f"evidence.{criterion.name}"] = str(problem)
            continue
        if not found[criterion.name] and has_words(text):
            errors[f"evidence.{criterion.name}"] = _(
                "Please highlight the words that led you to your answer to “%(label)s”."
            ) % {"label": criterion.label}
    return found, errors


def has_words(text: str) -> bool:
    """Return whether there is anything to highlight, by the same rule as `static/js/spans.js`."""
    return any(is_visible(one) and category(one)[0] != "P" for one in text)


def edit(given: Any, *, text: str, needed: str) -> str:
    """Return the edit as it was typed, including tabs, or raise with its problem."""
    if given is None or not isinstance(given, str):
        raise InvalidResponse({"edit": needed})
    original = normalise(text)
    if len(given) > LONGEST * len(original) + ROOM:
        raise InvalidResponse({"edit": _("This edit is far longer than the text it improves.")})
    edited = normalise(given)
    if len(edited.strip()) < max(1, KEPT_SHARE * len(original.strip())):
        raise InvalidResponse(
            {"edit": _("This edit deletes nearly everything. Keep what the text says.")}
        )
    if edited.split() == original.split():
        raise InvalidResponse(
            {"edit": _("Nothing but spaces has changed. Improve the words, or change the answers.")}
        )
    return given
