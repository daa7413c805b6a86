"""What the form of an instrument begins with, as the JSON data of a definition."""

from typing import Any

Content = dict[str, Any]
LEVELS = (2, 1, 0)


def instrument() -> Content:
    """Return an instrument with one question of three levels, without words."""
    return {
        "key": "",
        "label": "",
        "language": "en",
        "task": "",
        "about": "",
        "criteria": [criterion()],
        "example": {"text": ""},
    }


def criterion() -> Content:
    levels = [{"value": value, "label": "", "cue": ""} for value in LEVELS]
    return {"name": "", "label": "", "question": "", "levels": levels}


def level(levels: list[Content]) -> Content:
    """Return the level after these, one step on in their direction."""
    values = [one["value"] for one in levels if type(one["value"]) is int]
    step = values[-1] - values[-2] if len(values) > 1 else -1
    value = values[-1] + (step or -1) if values else 0
    return {"value": value, "label": "", "cue": ""}
