"""A definition as JSON: read and checked whole, and written."""

import re
from collections.abc import Iterator
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
from annotate.instruments.reader import Given, Reader, Refused, join, shown, suggestion

__all__ = ["Refused", "as_data", "read"]

MOST_CRITERIA, MOST_LEVELS = 8, 7
FARTHEST = 100
WHOLE = (
    "key", "label", "language", "task", "hint", "about", "steps", "instructions", "minutes",
    "input_label", "criteria", "edit", "example",
)  # fmt: skip
SECTION = ("title", "text", "examples")
EXAMPLE = ("label", "text", "note")
CRITERION = ("name", "label", "question", "higher_is_better", "levels", "requires", "evidence")
LEVEL = ("value", "label", "cue", "requires")
MATERIAL = ("text", "input", "paragraphs")
EDIT_WORDING = tuple(one.name for one in fields(EditWording))
# Names that a stored response or a draft uses for something else.
TAKEN = ("edit", "distance", "evidence", "active_seconds")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


def read(value: Any, *, version: str = "1") -> Definition:
    """Return the definition that `value` is, or raise `Refused` with every problem."""
    reader = Reader()
    given = reader.fields(value, "", WHOLE)
    definition = Definition(
        key=reader.name(given, "", "key", longest=40),
        version=version,
        language=_language(reader, given),
        label=reader.text(given, "", "label", longest=80),
        task=reader.text(given, "", "task", longest=200),
        hint=reader.text(given, "", "hint", longest=300, required=False),
        about=reader.text(given, "", "about", longest=600),
        steps=_steps(reader, given),
        instructions=tuple(_sections(reader, given)),
        minutes=reader.text(given, "", "minutes", longest=20, required=False) or "1–3",
        input_label=reader.text(given, "", "input_label", longest=60, required=False),
        criteria=tuple(found for found in _criteria(reader, given) if found is not None),
        edit=_edit(reader, given),
        example=_example(reader, given, has_input=bool(given and given.get("input_label"))),
    )
    reader.finish()
    return definition


def _language(reader: Reader, given: Given) -> str:
    found = reader.text(given, "", "language", longest=12, required=False) or "en"
    if not LANGUAGE.fullmatch(found):
        reader.refuse("language", "Is a code such as en, de or pt-BR.")
    return found


def _steps(reader: Reader, given: Given) -> tuple[str, ...]:
    members = reader.items(given, "", "steps", most=8)
    return tuple(reader.plain(one, path, longest=200) for path, one in members)


def _sections(reader: Reader, given: Given) -> Iterator[Section]:
    for path, member in reader.items(given, "", "instructions", most=20):
        section = reader.fields(member, path, SECTION)
        found = Section(
            title=reader.text(section, path, "title", longest=200, required=False),
            text=reader.text(section, path, "text", longest=5000, required=False),
            examples=tuple(_examples(reader, section, path)),
        )
        if section is not None and not (found.title or found.text or found.examples):
            reader.refuse(path, "Is empty. Give it a title, a text or examples.")
        yield found


def _examples(reader: Reader, section: Given, path: str) -> Iterator[Example]:
    for where, member in reader.items(section, path, "examples", most=10):
        example = reader.fields(member, where, EXAMPLE)
        yield Example(
            label=reader.text(example, where, "label", longest=80),
            text=reader.text(example, where, "text", longest=1000),
            note=reader.text(example, where, "note", longest=300, required=False),
        )


def _criteria(reader: Reader, given: Given) -> list[Question | None]:
    members = list(reader.items(given, "", "criteria", fewest=1, most=MOST_CRITERIA))
    found = [_criterion(reader, member, path) for path, member in members]
    names = [
        (join(path, "name"), member.get("name") if isinstance(member, dict) else None)
        for path, member in members
    ]
    reader.distinct([(path, one) for path, one in names if isinstance(one, str)], "name")
    return found


def _criterion(reader: Reader, member: Any, path: str) -> Question | None:
    given = reader.fields(member, path, CRITERION)
    name = reader.name(given, path, "name", longest=30)
    if name in TAKEN:
        reader.refuse(join(path, "name"), f"“{name}” means something else here. Take another.")
    label = reader.text(given, path, "label", longest=60)
    ask = reader.text(given, path, "question", longest=300)
    higher = reader.boolean(given, path, "higher_is_better", default=True)
    evidence = reader.text(given, path, "evidence", longest=200, required=False)
    levels = _levels(reader, given, path, _requires(reader, given, path))
    if not levels:
        return None
    return question(name, *levels, label=label, ask=ask, higher_is_better=higher, evidence=evidence)


def _levels(reader: Reader, criterion: Given, path: str, always: frozenset[str]) -> list[Choice]:
    """Return a criterion's levels; `always`: what every one of them requires."""
    members = list(reader.items(criterion, path, "levels", fewest=2, most=MOST_LEVELS))
    found = [(where, _level(reader, member, where, always)) for where, member in members]
    known = [(where, level) for where, level in found if level is not None]
    reader.distinct([(join(where, "value"), level.value) for where, level in known], "value")
    reader.distinct([(join(where, "label"), level.label) for where, level in known], "label")
    return [level for _where, level in known]


def _level(reader: Reader, member: Any, path: str, always: frozenset[str]) -> Choice | None:
    given = reader.fields(member, path, LEVEL)
    value = reader.whole(given, path, "value", low=-FARTHEST, high=FARTHEST)
    label = reader.text(given, path, "label", longest=60)
    cue = reader.text(given, path, "cue", longest=200)
    required = always | _requires(reader, given, path)
    if value is None:
        return None
    return Choice(value, label, cue, tuple(one for one in REQUIREMENTS if one in required))


def _requires(reader: Reader, given: Given, path: str) -> frozenset[str]:
    found = set()
    for where, one in reader.items(given, path, "requires", most=len(REQUIREMENTS)):
        if isinstance(one, str) and one in REQUIREMENTS:
            found.add(one)
        else:
            hint = suggestion(one, REQUIREMENTS) if isinstance(one, str) else ""
            reader.refuse(where, f"“{shown(str(one))}” is not “edit” or “evidence”.{hint}")
    return frozenset(found)


def _edit(reader: Reader, given: Given) -> EditWording:
    if given is None or "edit" not in given:
        return EDITING
    wording = reader.fields(given["edit"], "edit", EDIT_WORDING)
    texts = {
        name: reader.text(wording, "edit", name, longest=300, required=False)
        for name in EDIT_WORDING
    }
    return EditWording(**{name: text or getattr(EDITING, name) for name, text in texts.items()})


def _example(reader: Reader, given: Given, *, has_input: bool) -> Material:
    if given is None:
        return Material("")
    if "example" not in given:
        reader.refuse("example", "Missing. The preview shows it: an object with a “text”.")
        return Material("")
    example = reader.fields(given["example"], "example", MATERIAL)
    members = reader.items(example, "example", "paragraphs", most=10)
    found = Material(
        text=reader.text(example, "example", "text", longest=5000),
        input=reader.text(example, "example", "input", longest=20_000, required=False),
        paragraphs=tuple(reader.plain(one, path, longest=20_000) for path, one in members),
    )
    if has_input and example is not None and not (found.input or found.paragraphs):
        reader.refuse("example.input", "Missing: “input_label” says that the input is shown.")
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
