"""Writes a definition as JSON data that `reading.read` accepts."""

from dataclasses import fields
from typing import Any

from annotate.instruments.rating.definition import (
    EDITING,
    Definition,
    EditWording,
    Question,
    Section,
)
from estimation.core import BALANCE, PERSON_SHARE

EXAMPLE = ("label", "text", "note")
EDIT_WORDING = tuple(one.name for one in fields(EditWording))


def as_data(definition: Definition) -> dict[str, Any]:
    """Return a definition as JSON data, with its wording in the active language."""
    data = {
        "key": definition.key,
        "label": definition.label,
        "language": definition.language or "en",
        "task": str(definition.task),
        "hint": str(definition.hint),
        "about": str(definition.about),
        "steps": [str(step) for step in definition.steps],
        "minutes": definition.minutes,
        "input_label": str(definition.input_label),
        "instructions": [_section_data(section) for section in definition.instructions],
        "criteria": [_criterion_data(criterion) for criterion in definition.criteria],
        "edit": _edit_data(definition) if definition.asks_for_edits else {},
        "compares": definition.compares or "",
        "shows_others": definition.shows_others or "",
        "example": _filled(
            **_texts(definition),
            input=definition.example.input,
            paragraphs=list(definition.example.paragraphs),
        ),
    }
    return _filled(**data)


def _texts(definition: Definition) -> dict[str, str]:
    """Return the text of the example, or both of them."""
    shown: tuple[str, ...] = (definition.example.text,)
    if definition.compares:
        shown = definition.example.pair
    elif definition.shows_others:
        shown = tuple(one.text for one in definition.example.side_by_side)
    return dict(zip(("text", "second"), shown, strict=False))


def _edit_data(definition: Definition) -> dict[str, Any]:
    """Return the differences from the default wording, which is translated when it is shown."""
    own = [n for n in EDIT_WORDING if getattr(definition.edit, n) is not getattr(EDITING, n)]
    return _words(definition.edit, tuple(own))


def _section_data(section: Section) -> dict[str, Any]:
    examples = [_words(example, EXAMPLE) for example in section.examples]
    return _filled(title=str(section.title), text=str(section.text), examples=examples)


def _criterion_data(criterion: Question) -> dict[str, Any]:
    levels = [
        {"value": level.value}
        | _words(level, ("label", "cue"))
        | _filled(requires=list(level.requires))
        for level in criterion.levels
    ]
    return {
        "name": criterion.name,
        "label": str(criterion.label),
        "question": str(criterion.question),
        **({} if criterion.higher_is_better else {"higher_is_better": False}),
        **_filled(evidence=str(criterion.evidence)),
        **_unusual(criterion),
        "levels": levels,
    }


def _unusual(criterion: Question) -> dict[str, float]:
    """The constants of its estimates that differ from the usual ones."""
    usual = {"balance": BALANCE, "person_share": PERSON_SHARE}
    own = {name: float(getattr(criterion, name)) for name in usual}
    return {name: value for name, value in own.items() if value != usual[name]}


def _words(source: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return _filled(**{name: str(getattr(source, name)) for name in names})


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", [], {})}
