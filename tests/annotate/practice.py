"""Tutorials that ask an instrument's own questions, of every kind that has a right answer."""

import copy
from typing import Any

SLIDER: dict[str, Any] = {
    "kind": "practice",
    "key": "slider",
    "section": "Quality",
    "prompt": "How good is it?",
    "text": "The mill opens at nine.",
    "criterion": "quality",
    "right": {"at_least": 60},
    "feedback": {"right": "Yes, it is good.", "wrong": "Look again: it is good."},
}
CHOICES = SLIDER | {
    "key": "choices",
    "criterion": "flaws",
    "right": {"chosen": ["vague"]},
    "feedback": {"right": "Yes, it is vague.", "wrong": "It is vague, and nothing else."},
}
ERRORS = SLIDER | {
    "key": "errors",
    "criterion": "errors",
    "text": "The mill open at nine. It are near the river.",
    "right": {
        "errors": [
            {"text": "open", "categories": ["grammar"], "severities": ["minor", "major"]},
            {"text": "are"},
        ],
        "others": 1,
    },
    "feedback": {"right": "You found both.", "wrong": "Two verbs are wrong."},
}
PLACES = SLIDER | {
    "key": "places",
    "section": "Places",
    "criterion": "rank",
    "text": "It opens at nine.",
    "others": ["Mills are old.", "It opens."],
    "right": {"places": [1, 3, 2]},
    "feedback": {"right": "Yes.", "wrong": "The second says nothing."},
}


def tutorial(*questions: dict[str, Any], instrument: str = "kinds") -> dict[str, Any]:
    return {
        "instrument": instrument,
        "version": "1",
        "language": "en",
        "title": "Ours",
        "questions": copy.deepcopy(list(questions)),
    }
