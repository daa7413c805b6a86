"""The fields of a definition, as the page of the form shows them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.forms.instrument.places import anchor
from annotate.forms.instrument.reading import (
    CONSTANTS,
    CRITERION,
    EXAMPLE,
    HEAD,
    LEVEL,
    SECTION,
)
from annotate.instruments.rating.writing import EDIT_WORDING
from annotate.schemas import Problem

Content = Mapping[str, Any]


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

    def named(self, before: str, values: Content, names: Sequence[str]) -> dict[str, Box]:
        return {name: self.one(before + name, values.get(name)) for name in names}

    def criterion(self, place: int, given: Content) -> dict[str, Any]:
        at = f"c{place}"
        return {
            "at": at,
            "place": place,
            "number": place + 1,
            "lower": not given.get("higher_is_better", True),
            "levels": [self.level(f"{at}-l{j}", one) for j, one in enumerate(given["levels"])],
            "all_levels": self.one(f"{at}-levels"),
            "whole": self.one(at),
            **self.named(f"{at}-", given, (*CRITERION, *CONSTANTS)),
        }

    def level(self, at: str, given: Content) -> dict[str, Any]:
        requires = given.get("requires", ())
        return {"at": at, "requires": requires, **self.named(f"{at}-", given, LEVEL)}

    def section(self, place: int, given: Content) -> dict[str, Any]:
        at, kept = f"s{place}", given.get("examples", [])
        return {
            "at": at,
            "place": place,
            "number": place + 1,
            "examples": len(kept),
            "kept": _kept(kept),
            "whole": self.one(at),
            **self.named(f"{at}-", given, SECTION),
        }


def shown(content: Content, problems: Sequence[Problem], *, focus: str = "") -> dict[str, Any]:
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


def _told(problems: Sequence[Problem]) -> dict[str, str]:
    told: dict[str, str] = {}
    for one in problems:
        at = anchor(one.path)
        told[at] = f"{told[at]} {one.message}" if at in told else one.message
    return told


def _kept(parts: Sequence[Any]) -> str:
    """Return what the form has no fields for as JSON; "" if nothing."""
    return json.dumps(parts, ensure_ascii=False) if parts else ""
