"""What a rating takes as a response: levels, and the edit where one of them requires it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotate.instruments.base import InvalidResponse
from annotate.instruments.rating.definition import Question
from estimation.metrics.edits import normalise

KEPT_SHARE = 0.1  # an edit shorter than this share of the text deletes nearly everything
LONGEST = 3  # times the text, plus room for a sentence: bounds what TER costs
ROOM = 200


def levels(
    raw: Mapping[str, Any], criteria: Sequence[Question]
) -> tuple[dict[str, int], dict[str, str]]:
    """Return the level of each criterion, and what is wrong with the others."""
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
    """Return what the chosen levels require together."""
    return frozenset(what for c in criteria for what in c.choice(chosen[c.name]).requires)


def edit(given: Any, *, text: str, needed: str) -> str:
    """Return the normalised edit, or say why it cannot be one."""
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
    return edited
