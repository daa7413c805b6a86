"""The forms of instruments and of tutorials: JSON from the fields of a browser, and back."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.http import QueryDict

from annotate.common.json import storable
from annotate.common.numbers import number_from
from annotate.common.schemas import Problem, Refused, identifier_from, parse
from annotate.instruments.base import Criterion, Level
from annotate.instruments.rating import instrument as rating_instrument
from annotate.instruments.rating.instrument import (
    EDIT_WORDING,
    MOST_CRITERIA,
    MOST_SECTIONS,
)
from annotate.instruments.rating.questions import (
    MOST_CATEGORIES,
    MOST_LEVELS,
    MOST_OPTIONS,
    MOST_SEVERITIES,
    REQUIREMENTS,
    SHAPES,
)
from annotate.instruments.tutorials import MOST_QUESTIONS

Content = dict[str, Any]
T = TypeVar("T", list[Any], dict[str, Any])


# Parts of the lists that the form edits: each by its fields, the letter of their ids, and how many
# there may be. A question has the lists of its kind.
ROWS = {
    "levels": ("l", MOST_LEVELS, ("value", "label", "cue")),
    "options": ("o", MOST_OPTIONS, ("label", "cue", "name")),
    "categories": ("k", MOST_CATEGORIES, ("label", "group", "name")),
    "severities": ("v", MOST_SEVERITIES, ("label", "weight", "name")),
}
MOST = {"criteria": MOST_CRITERIA, "instructions": MOST_SECTIONS} | {
    name: most for name, (_letter, most, _fields) in ROWS.items()
}
KINDS = (
    ("choice", "Question with levels"),
    ("choices", "Several choices"),
    ("slider", "Slider"),
    ("text", "Free text"),
    ("errors", "Errors in the text"),
    ("rank", "Order of all texts"),
)
REMOVED = "removed"  # marks a part that can still be put back


def changed(content: Content, act: str) -> str:
    """Add, remove, put back or move a part of `content`; return the field to go on with.

    act: the verb and the path to a list or to one of its parts, such as `remove:criteria:0` and
    `add:criteria:0:levels`. A question is added by its kind, as in `add_slider:criteria`.
    """
    verb, *path = act.split(":")
    verb, _, kind = verb.partition("_")
    if verb == "add":
        return _added(content, path, kind)
    *above, last = path or [""]
    parts, place = _reached(content, above), number_from(last)
    if parts is None or place is None or place >= len(parts):
        return ""
    match verb:
        case "remove" | "undo":
            parts[place].pop(REMOVED, None)
            if verb == "remove":
                parts[place][REMOVED] = True
        case "up" | "down":
            part = parts.pop(place)
            place = min(max(place + (1 if verb == "down" else -1), 0), len(parts))
            parts.insert(place, part)
        case _:
            return ""
    return _focus([*above, str(place)])


def _added(content: Content, path: Sequence[str], kind: str) -> str:
    parts = _reached(content, path)
    if parts is None or len(parts) >= MOST[path[-1]]:
        return ""
    match path[-1]:
        case "criteria" if kind in ("", *SHAPES):
            parts.append(rating_instrument.criterion(kind or "choice"))
        case "levels":
            parts.append(rating_instrument.level(parts))
        case name if not kind:
            parts.append(dict.fromkeys(ROWS[name][2], "") if name in ROWS else {})
        case _:
            return ""
    return _focus([*path, str(len(parts) - 1)])


def _reached(content: Content, path: Sequence[str]) -> list[Content] | None:
    """Return the list at the end of a path; None if it leads to none that the form edits."""
    match path:
        case [("criteria" | "instructions") as name]:
            found: list[Content] = content.setdefault(name, [])
            return found
        case ["criteria", number, name]:
            place, criteria = number_from(number), content["criteria"]
            if place is None or place >= len(criteria):
                return None
            return criteria[place].get(name) if name in ROWS else None
    return None


def _focus(path: Sequence[str]) -> str:
    """Return the id of the first words of a part."""
    whole = anchor("".join(f"[{step}]" if step.isdecimal() else f".{step}" for step in path)[1:])
    return f"{whole}-{'title' if path[0] == 'instructions' else 'label'}"


def without_removed(content: Content) -> Content:
    """Return a definition without the parts that were removed."""

    def left(parts: list[Content]) -> list[Content]:
        return [one for one in parts if not one.get(REMOVED)]

    kept = dict(content)
    for name in ("criteria", "instructions"):
        if name in kept:
            kept[name] = left(kept[name])
    kept["criteria"] = [
        one | {name: left(one[name]) for name in ROWS if name in one} for one in kept["criteria"]
    ]
    return _filled(kept) | {"criteria": kept["criteria"]}


# Where in the form a problem of a definition belongs.


STEP = re.compile(r"[^.\[\]]+")
SAID = {
    "about": "what it is for",
    "both_bad": "“Both are bad”",
    "best_only": "the best text only",
    "only_if": "asked only after",
    "left": "words at 0",
    "right": "words at 100",
    "cue": "when to choose it",
    "input_label": "heading of the input",
    "name": "name in files",
    "person_share": "share of people",
    "second": "second text",
}
PARTS = {"criteria": "questions", "instructions": "sections"}


Located = tuple[str, str, str]  # the id of a field, its place in people's words, what is wrong


def placed(problems: Sequence[Problem]) -> list[Located]:
    """Return problems with their places, for the list above the form."""
    return [(anchor(one.path), _where(one.path), one.message) for one in problems]


def anchor(path: str) -> str:
    """Return the id of the field of a problem's path: `criteria[0].levels[1].cue`: `c0-l1-cue`."""
    match STEP.findall(path):
        case ["criteria", i, part, j, *rest] if part in ROWS:
            at = f"c{i}-{ROWS[part][0]}{j}"
            return f"{at}-{rest[0]}" if rest and rest[0] in ROWS[part][2] else at
        case ["criteria", i, "requires", *_]:
            return f"c{i}-levels"
        case ["criteria", i, "only_if", *rest]:
            return f"c{i}-only_{rest[0] if rest else 'question'}"
        case ["criteria", i, name, *_]:
            return f"c{i}-{name}"
        case ["criteria", i]:
            return f"c{i}"
        case ["instructions", i, name, *_]:
            return f"s{i}-{name}"
        case ["instructions", i]:
            return f"s{i}"
        case [("edit" | "example") as part, name, *_]:
            return f"{part}-{name}"
        case ["example"]:
            return "example-text"
        case [name, *_]:
            return str(name)
    return "label"


def _where(path: str) -> str:
    words: list[str] = []
    for step in STEP.findall(path):
        if step.isdecimal():
            words[-1] = f"{words[-1].removesuffix('s')} {int(step) + 1}"
        else:
            words.append(PARTS.get(step, step))
    said = [SAID.get(word, word) for word in words]
    return ", ".join(said).capitalize() or "The definition"


# The definition of an instrument from the fields of a browser.
#
# Nothing is checked here: the declared shape of definitions does. What the form has no fields for
# (examples of instructions, paragraphs of the example) is kept as it is.


HEAD = ("label", "key", "language", "task", "about", "hint", "minutes", "input_label")
CRITERION = ("label", "name", "question")
CONSTANTS = ("balance", "person_share")
# What only a question of a kind has, beside its lists.
OWN = {"choice": ("evidence",), "slider": ("left", "right")}
CONDITION = ("question", "values", "hidden")
SECTION = ("title", "text")
EXAMPLE = ("text", "second", "input")
LISTS = {"choice": ("levels",), "choices": ("options",), "errors": ("categories", "severities")}
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def content_of(post: QueryDict) -> Content:
    """Return the definition that a browser's fields describe; what is wrong in it is kept."""
    head = {name: _text(post, name) for name in HEAD}
    head["key"] = head["key"] or identifier_from(head["label"])
    example = _named(post, "example-", EXAMPLE)
    example["paragraphs"] = _stored(_text(post, "example-paragraphs"), [])
    found = head | {
        "steps": [line for line in _text(post, "steps").split("\n") if line.strip()],
        "compares": "compares" in post,
        "shows_others": "shows_others" in post,
        "instructions": [_section(post, i) for i in range(_count(post, "s", 2 * MOST_SECTIONS))],
        "edit": _filled(_named(post, "edit-", EDIT_WORDING)),
        "example": _filled(example),
    }
    criteria = [_criterion(post, i) for i in range(_count(post, "c", 2 * MOST_CRITERIA))]
    return _filled(found) | {"criteria": criteria}


def _text(post: QueryDict, name: str) -> str:
    return str(post.get(name, "")).replace("\r\n", "\n")


def _named(post: QueryDict, before: str, names: Sequence[str]) -> Content:
    return {name: _text(post, before + name) for name in names}


def _count(post: QueryDict, name: str, most: int) -> int:
    """Return how many parts the form has; one too many is kept, so that it is refused."""
    return min(number_from(post.get(name, "")) or 0, most + 1)


def _filled(values: Content) -> Content:
    """Leave out what is empty."""
    return {name: one for name, one in values.items() if one not in ("", [], {}, False)}


def _criterion(post: QueryDict, place: int) -> Content:
    at = f"c{place}-"
    kind = _text(post, f"{at}kind") or "choice"
    own = _named(post, at, CRITERION)
    own["name"] = own["name"] or identifier_from(own["label"], otherwise=f"question_{place + 1}")
    optional = {name: _decimal(_text(post, at + name)) for name in CONSTANTS}
    optional |= _named(post, at, OWN.get(kind, ()))
    if kind != "choice":
        optional["kind"] = kind
    if f"{at}lower" in post and kind not in ("text", "errors", "rank"):
        own["higher_is_better"] = False
    if f"{at}optional" in post:
        optional["optional"] = True
    if f"{at}best_only" in post:
        optional["best_only"] = True
    if f"{at}both_bad" in post and "compares" in post:
        optional["both_bad"] = True
    if kind == "errors" and (per := _text(post, f"{at}per")) != "words":
        optional["per"] = per
    condition = _filled(_named(post, f"{at}only_", CONDITION))
    if condition:
        optional["only_if"] = _condition(condition)
    lists = {name: _rows(post, at, name) for name in LISTS.get(kind, ())}
    if not lists.get("severities", True):
        del lists["severities"]  # the usual ones
    return (
        own | {name: one for name, one in optional.items() if one != ""} | lists | _mark(post, at)
    )


def _condition(given: Content) -> Content:
    values = [_whole(one) for one in str(given.get("values", "")).replace(",", " ").split()]
    hidden = _signed_decimal(str(given.get("hidden", "")))
    return _filled({"question": given.get("question", "")}) | (
        {"values": values} | ({"hidden": hidden} if hidden != "" else {})
    )


def _rows(post: QueryDict, before: str, name: str) -> list[Content]:
    letter, most, _fields = ROWS[name]
    number = _count(post, f"{before}{letter}n", 2 * most)
    return [_part(post, f"{before}{letter}{j}-", name, j + 1) for j in range(number)]


def _part(post: QueryDict, at: str, name: str, number: int) -> Content:
    found = _named(post, at, ROWS[name][2])
    if name == "levels":
        found["value"] = _whole(found["value"])
        requires = [one for one in REQUIREMENTS if one in post.getlist(f"{at}requires")]
        return found | ({"requires": requires} if requires else {}) | _mark(post, at)
    found["name"] = (
        found["name"] or identifier_from(found["label"], otherwise=f"number_{number}")[:20]
    )
    if name == "severities":
        found["weight"] = _decimal(found["weight"])
    optional = {"options": "cue", "categories": "group"}.get(name, "")
    if optional and not found[optional]:
        del found[optional]
    return found | _mark(post, at)


def _mark(post: QueryDict, at: str) -> Content:
    return {REMOVED: True} if f"{at}{REMOVED}" in post else {}


def _section(post: QueryDict, place: int) -> Content:
    words = _named(post, f"s{place}-", SECTION)
    kept = {"examples": _stored(_text(post, f"s{place}-kept"), [])}
    return _filled(words | kept) | _mark(post, f"s{place}-")


def _whole(text: str) -> Any:
    plain = text.strip().replace("−", "-")
    return int(plain) if WHOLE.fullmatch(plain) else text


def _decimal(text: str) -> Any:
    plain = text.strip().replace(",", ".")
    return float(plain) if DECIMAL.fullmatch(plain) else text.strip()


def _signed_decimal(text: str) -> Any:
    plain = text.strip().replace("−", "-")
    found = _decimal(plain.removeprefix("-"))
    return -found if plain.startswith("-") and isinstance(found, float) else found


def _stored(text: str, otherwise: T) -> T:
    """Return what the form has kept as JSON, of the type of `otherwise`, else that.

    Somebody may have changed it into something else; an unpaired surrogate cannot be shown.
    """
    try:
        found = parse(text) if text else otherwise
    except Refused:
        return otherwise
    fine = isinstance(found, type(otherwise)) and storable(json.dumps(found, ensure_ascii=False))
    return found if fine else otherwise


# The fields of a definition, as the page of the form shows them.


@dataclass(frozen=True)
class Box:
    """A field. id: in the page, and its name in the form."""

    id: str
    value: Any = ""
    problem: str = ""
    is_first: bool = False  # has the focus when the page is shown


@dataclass(frozen=True)
class Boxes:
    """Makes the fields. told: the problem of each id; focus: the id that has the focus."""

    told: Mapping[str, str]
    focus: str

    def one(self, at: str, value: Any = "") -> Box:
        shown = "" if value is None else value
        return Box(at, shown, self.told.get(at, ""), at == self.focus)

    def named(self, before: str, values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Box]:
        return {name: self.one(before + name, values.get(name)) for name in names}

    def criterion(self, place: int, given: Mapping[str, Any]) -> dict[str, Any]:
        at, kind = f"c{place}", given.get("kind", "choice")
        condition = given.get("only_if", {})
        values = " ".join(str(one) for one in condition.get("values", ()))
        return {
            "at": at,
            "place": place,
            "number": place + 1,
            "kind": kind,
            "removed": given.get(REMOVED, False),
            "lower": not given.get("higher_is_better", True),
            "optional": given.get("optional", False),
            "best_only": given.get("best_only", False),
            "both_bad": self.one(f"{at}-both_bad", given.get("both_bad", False)),
            "per": given.get("per", "words"),
            "lists": [self.rows(at, name, given.get(name, ())) for name in LISTS.get(kind, ())],
            "whole": self.one(at),
            "only": self.named(f"{at}-only_", {**condition, "values": values}, CONDITION),
            **self.named(f"{at}-", given, (*CRITERION, *CONSTANTS, *OWN.get(kind, ()))),
        }

    def rows(self, at: str, name: str, given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        letter, most, fields = ROWS[name]
        return {
            "name": name,
            "letter": letter,
            "all": self.one(f"{at}-{name}"),
            "is_full": len(given) >= most,
            "left": sum(not one.get(REMOVED) for one in given),
            "rows": [self.row(f"{at}-{letter}{j}", fields, one) for j, one in enumerate(given)],
        }

    def row(self, at: str, fields: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "at": at,
            "removed": given.get(REMOVED, False),
            "requires": given.get("requires", ()),
            **self.named(f"{at}-", {name: _plain(one) for name, one in given.items()}, fields),
        }

    def section(self, place: int, given: Mapping[str, Any]) -> dict[str, Any]:
        at, kept = f"s{place}", given.get("examples", [])
        return {
            "at": at,
            "place": place,
            "number": place + 1,
            "removed": given.get(REMOVED, False),
            "examples": len(kept),
            "kept": _kept(kept),
            "whole": self.one(at),
            **self.named(f"{at}-", given, SECTION),
        }


def form_fields(
    content: Mapping[str, Any], problems: Sequence[Problem], *, focus: str = ""
) -> dict[str, Any]:
    """Return the fields for the page, in the shape of the definition."""
    boxes, example = Boxes(_told(problems), focus), content.get("example", {})
    criteria, sections = content["criteria"], content.get("instructions", [])
    return {
        **boxes.named("", content, HEAD),
        "steps": boxes.one("steps", "\n".join(content.get("steps", []))),
        "compares": content.get("compares", False),
        "shows_others": boxes.one("shows_others", content.get("shows_others", False)),
        "criteria": [boxes.criterion(i, one) for i, one in enumerate(criteria)],
        "all_criteria": boxes.one("criteria"),
        "sections": [boxes.section(i, one) for i, one in enumerate(sections)],
        "all_sections": boxes.one("instructions"),
        "edit": boxes.named("edit-", content.get("edit", {}), EDIT_WORDING),
        "example": boxes.named("example-", example, EXAMPLE),
        "paragraphs": _kept(example.get("paragraphs", [])),
    }


def _plain(value: Any) -> Any:
    """Return a whole number without the point that JSON or a form gave it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _told(problems: Sequence[Problem]) -> dict[str, str]:
    told: dict[str, str] = {}
    for one in problems:
        at = anchor(one.path)
        told[at] = f"{told[at]} {one.message}" if at in told else one.message
    return told


def _kept(parts: Any) -> str:
    """Return what the form has no fields for as JSON; "" if nothing."""
    return json.dumps(parts, ensure_ascii=False) if parts else ""


# The form of a tutorial: its JSON from the fields of a browser, and the fields from the JSON.
#
# The form checks nothing itself: the declared shape of tutorials does. Questions that the form has
# no fields for (edits, evidence, examples, versions) are kept as they are.


SHARED = ("replaces", "slots", "cases")  # fields of a tutorial that the form only keeps
TUTORIAL_HEAD = ("title", "version", "language")
WORDS = ("key", "section", "prompt", "question", "reference", "text", "second", "criterion")
FIELDS = {*WORDS, "kind", "accepted", "feedback"}
AT = re.compile(r"questions\[(\d+)\](?:\.(.*))?")


@dataclass(frozen=True)
class ShownQuestion:
    """A question as the form shows it. kept: its JSON, where the form has no fields for it.

    answers: each level, whether it is right, what is said to people who choose it, and what is
    wrong with that.
    """

    place: int
    raw: Mapping[str, Any]
    label: str = ""
    answers: Sequence[tuple[Level, bool, str, str]] = ()
    kept: str = ""
    takes_input: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return self.place + 1

    @property
    def lacks_text(self) -> bool:
        lacks = not self.raw.get("text") or self.raw.get("second") == ""
        return not self.kept and lacks


def tutorial_content(
    post: QueryDict, *, instrument: str, criteria: Mapping[str, Criterion]
) -> Content:
    """Return the tutorial that a browser's fields describe; what is wrong in it is kept."""
    n = min(number_from(post.get("n", "")) or 0, MOST_QUESTIONS + 1)
    asked, given = _text(post, "asked"), _stored(_text(post, "shared"), {})
    return {
        "instrument": instrument,
        **{name: _text(post, name) for name in TUTORIAL_HEAD},
        **({"asked": number_from(asked) or asked} if asked else {}),
        **{name: given[name] for name in SHARED if name in given},
        "questions": [_question(post, place, criteria) for place in range(n)],
    }


def tutorial_questions(
    content: Content, problems: Sequence[Problem], criteria: Mapping[str, Criterion]
) -> list[ShownQuestion]:
    """Return the questions for display, with their problems next to the fields."""
    found: dict[int, dict[str, str]] = {}
    for one in problems:
        if at := AT.fullmatch(one.path):
            found.setdefault(int(at[1]), {})[at[2] or ""] = one.message
    return [
        _row(place, raw, found.get(place, {}), criteria)
        for place, raw in enumerate(content["questions"])
    ]


def question_placed(problem: Problem) -> Located:
    """Return a problem with the number of the question and the field, for the list above."""
    at = AT.fullmatch(problem.path)
    if at is None:
        head = problem.path.partition(".")[0].partition("[")[0]
        anchor = head if head in (*TUTORIAL_HEAD, "asked") else "questions"
        return anchor, problem.path, problem.message
    place, name = int(at[1]), at[2] or ""
    anchor = f"q{place}-{_field(name)}" if name else f"q{place}"
    where = f"Question {place + 1}{', ' if name else ''}{_said(name)}"
    return anchor, where, problem.message


def shared(content: Content) -> str:
    """Return what all questions share, and the form has no fields for, as JSON; "" if nothing."""
    return _kept({name: content[name] for name in SHARED if content.get(name)})


def _question(post: QueryDict, place: int, criteria: Mapping[str, Criterion]) -> Content:
    at = f"q{place}-"
    if kept := _text(post, f"{at}kept"):
        return _stored(kept, {})
    criterion = criteria.get(_text(post, f"{at}criterion"))
    levels = criterion.levels if criterion else ()
    words = {name: _text(post, at + name) for name in WORDS if at + name in post}
    right = set(post.getlist(f"{at}right"))
    return words | {
        "kind": "choice",
        "accepted": [one.value for one in levels if str(one.value) in right],
        "feedback": {str(one.value): _text(post, f"{at}why_{one.value}") for one in levels},
    }


def _row(
    place: int, raw: Any, problems: Mapping[str, str], criteria: Mapping[str, Criterion]
) -> ShownQuestion:
    if not _has_fields(raw, criteria):
        shown = raw if isinstance(raw, dict) else {}
        kept = json.dumps(raw, ensure_ascii=False)
        return ShownQuestion(place, shown, kept=kept, problems=problems)
    criterion = criteria[raw["criterion"]]
    answers = [
        (
            one,
            one.value in raw["accepted"],
            raw["feedback"].get(str(one.value), ""),
            problems.get(f"feedback.{one.value}", ""),
        )
        for one in criterion.levels
    ]
    return ShownQuestion(
        place,
        raw,
        label=str(criterion.label),
        answers=answers,
        takes_input="question" in raw,
        problems=problems,
    )


def _has_fields(raw: Any, criteria: Mapping[str, Criterion]) -> bool:
    """Return whether the form can show all of a question."""
    if not isinstance(raw, dict) or not set(raw) <= FIELDS or raw.get("kind") != "choice":
        return False
    words = all(isinstance(raw.get(name, ""), str) for name in WORDS)
    return words and raw.get("criterion") in criteria and _answers_fit(raw, criteria)


def _answers_fit(raw: Content, criteria: Mapping[str, Criterion]) -> bool:
    values = [one.value for one in criteria[raw["criterion"]].levels]
    accepted, feedback = raw.get("accepted"), raw.get("feedback")
    return (
        isinstance(accepted, list)
        and all(type(one) is int and one in values for one in accepted)
        and isinstance(feedback, dict)
        and set(feedback) <= set(map(str, values))
        and all(isinstance(why, str) for why in feedback.values())
    )


def _field(name: str) -> str:
    return f"why_{name.partition('.')[2]}" if name.startswith("feedback.") else name


def _said(name: str) -> str:
    kind, _point, value = name.partition(".")
    known = {"accepted": "right answer", "feedback": f"explanation of {value.replace('-', '−')}"}
    return known.get(kind, name)
