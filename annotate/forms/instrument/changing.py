"""Parts of a definition that are added, removed and moved in its form."""

from typing import Any

from annotate.instruments.rating import drafts
from annotate.instruments.rating.reading import MOST_CRITERIA, MOST_LEVELS, MOST_SECTIONS
from annotate.text.numerals import number

Content = dict[str, Any]


def changed(content: Content, act: str) -> str:
    """Add, remove or move a part of `content`; return the id of the field to go on with."""
    verb, *places = act.split(":")
    at = [number(place) or 0 for place in places]
    criteria, sections = content["criteria"], content.setdefault("instructions", [])
    match verb, at:
        case "add_criterion", [] if len(criteria) < MOST_CRITERIA:
            criteria.append(drafts.criterion())
            return f"c{len(criteria) - 1}-label"
        case "add_section", [] if len(sections) < MOST_SECTIONS:
            sections.append({})
            return f"s{len(sections) - 1}-title"
        case "add_level", [i] if i < len(criteria) and len(criteria[i]["levels"]) < MOST_LEVELS:
            levels = criteria[i]["levels"]
            levels.append(drafts.level(levels))
            return f"c{i}-l{len(levels) - 1}-label"
        case "remove_level", [i, j] if i < len(criteria) and j < len(criteria[i]["levels"]):
            criteria[i]["levels"].pop(j)
            return f"c{i}-label"
        case (("remove_criterion" | "up" | "down"), [i]) if i < len(criteria):
            return _moved(criteria, i, {"up": -1, "down": 1}.get(verb), "c")
        case "remove_section", [i] if i < len(sections):
            return _moved(sections, i, None, "s")
    return ""


def _moved(parts: list[Content], at: int, step: int | None, letter: str) -> str:
    """Remove a part, or move it by a step; return the field to go on with."""
    part = parts.pop(at)
    if step is not None:
        at = min(max(at + step, 0), len(parts))
        parts.insert(at, part)
    if not parts:
        return ""
    return f"{letter}{min(at, len(parts) - 1)}-{'label' if letter == 'c' else 'title'}"
