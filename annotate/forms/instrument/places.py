"""Where in the form a problem of a definition belongs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotate.schemas import Problem

STEP = re.compile(r"[^.\[\]]+")
SAID = {
    "about": "what it is for",
    "cue": "when to choose it",
    "input_label": "heading of the input",
    "name": "name in files",
    "person_share": "share of people",
    "second": "second text",
}
PARTS = {"criteria": "questions", "instructions": "sections"}


@dataclass(frozen=True)
class Located:
    """A problem in people's words. anchor: the field, without the number sign."""

    anchor: str
    where: str
    message: str


def placed(problems: Sequence[Problem]) -> list[Located]:
    """Return problems with their places in people's words, for the list above the form."""
    return [Located(anchor(one.path), _where(one.path), one.message) for one in problems]


def anchor(path: str) -> str:
    """Return the id of the field of a problem's path: `criteria[0].levels[1].cue`: `c0-l1-cue`."""
    match STEP.findall(path):
        case ["criteria", i, "levels", j, ("value" | "label" | "cue") as name, *_]:
            return f"c{i}-l{j}-{name}"
        case ["criteria", i, ("levels" | "requires"), *_]:
            return f"c{i}-levels"
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
