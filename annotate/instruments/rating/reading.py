"""A definition as JSON: read and checked whole, and written."""

import re
from dataclasses import fields
from typing import Any

from annotate.instruments.base import Material
from annotate.instruments.rating.definition import (
    EDITING,
    REQUIREMENTS,
    Choice,
    Definition,
    EditWording,
    Example,
    Question,
    Section,
    question,
)
from annotate.instruments.reader import Fields, Refused, shown, suggestion

__all__ = ["Refused", "as_data", "read"]

MOST_CRITERIA, MOST_LEVELS = 8, 7
FARTHEST = 100
EXAMPLE = ("label", "text", "note")
EDIT_WORDING = tuple(one.name for one in fields(EditWording))
# Names that a stored response or a draft uses for something else.
TAKEN = ("edit", "distance", "evidence", "active_seconds")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def read(value: Any, *, version: str = "1") -> Definition:
    """Return the definition that `value` is, or raise `Refused` with every problem."""
    given = Fields(value)
    input_label = given.text("input_label", most=60, needed=False)
    definition = Definition(
        key=given.identifier("key", most=40),
        version=version,
        language=_language(given),
        label=given.text("label", most=80),
        task=given.text("task", most=200),
        hint=given.text("hint", most=300, needed=False),
        about=given.text("about", most=600),
        steps=given.texts("steps", most=8, length=200),
        instructions=tuple(given.each("instructions", _section, most=20)),
        minutes=given.text("minutes", most=20, needed=False) or "1–3",
        input_label=input_label,
        criteria=_criteria(given),
        edit=_edit(given),
        example=_example(given, has_input=bool(input_label)),
    )
    given.nothing_else()
    given.finish()
    return definition


def _language(given: Fields) -> str:
    found = given.text("language", most=12, needed=False) or "en"
    if not LANGUAGE.fullmatch(found):
        given.wrong("language", "Is a code such as en, de or pt-BR.")
    return found


def _section(given: Fields) -> Section:
    section = Section(
        title=given.text("title", most=200, needed=False),
        text=given.text("text", most=5000, needed=False),
        examples=tuple(given.each("examples", _said_example, most=10)),
    )
    given.nothing_else()
    if not (section.title or section.text or section.examples):
        given.wrong("", "Is empty. Give it a title, a text or examples.")
    return section


def _said_example(given: Fields) -> Example:
    example = Example(
        label=given.text("label", most=80),
        text=given.text("text", most=1000, indented=True),
        note=given.text("note", most=300, needed=False),
    )
    given.nothing_else()
    return example


def _criteria(given: Fields) -> tuple[Question, ...]:
    found = given.each("criteria", _criterion, fewest=1, most=MOST_CRITERIA)
    given.distinct([(f"{path}.name", name) for path, name, _question in found], "name")
    return tuple(question for _path, _name, question in found if question is not None)


def _criterion(given: Fields) -> tuple[str, str, Question | None]:
    """Return a criterion with its path and its name; None for one without levels."""
    name = given.identifier("name", most=30)
    if name in TAKEN:
        given.wrong("name", f"“{name}” means something else here. Take another.")
    label = given.text("label", most=60)
    ask = given.text("question", most=300)
    higher = given.boolean("higher_is_better", default=True)
    evidence = given.text("evidence", most=200, needed=False)
    levels = _levels(given, _requires(given))
    given.nothing_else()
    if not levels:
        return given.path, name, None
    asked = question(
        name, *levels, label=label, ask=ask, higher_is_better=higher, evidence=evidence
    )
    return given.path, name, asked


def _levels(criterion: Fields, always: frozenset[str]) -> list[Choice]:
    """Return a criterion's levels; `always`: what every one of them requires."""

    def level(given: Fields) -> tuple[str, Choice] | None:
        found = _level(given, always)
        return None if found is None else (given.path, found)

    levels = criterion.each("levels", level, fewest=2, most=MOST_LEVELS)
    criterion.distinct([(f"{path}.value", one.value) for path, one in levels], "value")
    criterion.distinct([(f"{path}.label", one.label) for path, one in levels], "label")
    return [one for _path, one in levels]


def _level(given: Fields, always: frozenset[str]) -> Choice | None:
    value = given.whole("value", least=-FARTHEST, most=FARTHEST)
    label = given.text("label", most=60)
    cue = given.text("cue", most=200)
    required = always | _requires(given)
    given.nothing_else()
    if given.is_wrong("value"):
        return None
    return Choice(value, label, cue, tuple(one for one in REQUIREMENTS if one in required))


def _requires(given: Fields) -> frozenset[str]:
    found = set()
    for number, one in enumerate(given.members("requires", most=len(REQUIREMENTS))):
        if isinstance(one, str) and one in REQUIREMENTS:
            found.add(one)
        else:
            hint = suggestion(one, REQUIREMENTS) if isinstance(one, str) else ""
            message = f"“{shown(str(one))}” is not “edit” or “evidence”.{hint}"
            given.wrong(f"requires[{number}]", message)
    return frozenset(found)


def _edit(given: Fields) -> EditWording:
    wording = given.inner("edit") if given.has("edit") else None
    if wording is None:
        return EDITING
    texts = {name: wording.text(name, most=300, needed=False) for name in EDIT_WORDING}
    wording.nothing_else()
    return EditWording(**{name: text or getattr(EDITING, name) for name, text in texts.items()})


def _example(given: Fields, *, has_input: bool) -> Material:
    if not given.has("example"):
        given.wrong("example", "Missing. The preview shows it: an object with a “text”.")
        return Material("")
    example = given.inner("example")
    if example is None:
        return Material("")
    found = Material(
        text=example.text("text", most=5000, indented=True),
        input=example.text("input", most=20_000, needed=False, indented=True),
        paragraphs=example.texts("paragraphs", most=10, length=20_000, indented=True),
    )
    example.nothing_else()
    if has_input and not (found.input or found.paragraphs):
        example.wrong("input", "Missing: “input_label” says that the input is shown.")
    return found


def as_data(definition: Definition) -> dict[str, Any]:
    """Return a definition as JSON data, its words as they are shown now; `read` takes it back."""
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
        "example": _filled(
            text=definition.example.text,
            input=definition.example.input,
            paragraphs=list(definition.example.paragraphs),
        ),
    }
    return _filled(**data)


def _edit_data(definition: Definition) -> dict[str, Any]:
    """What differs from our wording, which is translated when it is shown."""
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
        "levels": levels,
    }


def _words(source: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return _filled(**{name: str(getattr(source, name)) for name in names})


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", [], {})}
