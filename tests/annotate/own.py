"""An instrument of a researcher's own, for tests."""

import copy
from dataclasses import replace
from typing import Any

from annotate.campaigns.problems import Row
from tests.factories import rows

HELPFUL: dict[str, Any] = {
    "key": "helpfulness",
    "label": "Helpfulness",
    "language": "en",
    "task": "Read the question and the answer. How much does the answer help?",
    "hint": "Judge the help, not the style.",
    "about": "You read answers that computer programs gave, and say how much they help.",
    "steps": ["Read the question and the answer.", "Rate the answer."],
    "minutes": "1–2",
    "input_label": "The question",
    "instructions": [
        {
            "title": "How much does it help?",
            "text": "Think of the person who asked.\n\nLength alone is no help.",
            "examples": [
                {"label": "Solves it", "text": "Hold the button for ten seconds.", "note": "Do."}
            ],
        }
    ],
    "criteria": [
        {
            "name": "helpful",
            "label": "Help",
            "question": "How far does the answer get the person who asked?",
            "levels": [
                {"value": 2, "label": "Solves it", "cue": "Nothing is left to ask"},
                {"value": 1, "label": "Helps much", "cue": "A small step is left"},
                {"value": 0, "label": "Helps a little", "cue": "The way is still long"},
                {"value": -1, "label": "Does not help", "cue": "As before"},
                {"value": -2, "label": "Misleads", "cue": "Worse than before"},
            ],
        },
        {
            "name": "invented",
            "label": "Invention",
            "question": "Is anything made up?",
            "higher_is_better": False,
            "levels": [
                {"value": 0, "label": "Nothing", "cue": "All of it can be checked"},
                {"value": 1, "label": "Something", "cue": "At least one claim"},
            ],
        },
    ],
    "example": {"text": "Hold the button for ten seconds.", "input": "How do I switch it off?"},
}


def helpful(**changes: Any) -> dict[str, Any]:
    """Return the definition with some fields changed."""
    return copy.deepcopy(HELPFUL) | changes


def marked(**changes: Any) -> dict[str, Any]:
    """The definition with evidence for what misleads or is made up, and an edit for the latter."""
    whole = helpful(key="marked")
    for level in whole["criteria"][0]["levels"][3:]:
        level["requires"] = ["evidence"]
    whole["criteria"][1]["evidence"] = "Highlight what is made up."
    whole["criteria"][1]["levels"][1]["requires"] = ["edit", "evidence"]
    return whole | changes


def side_by_side(**changes: Any) -> dict[str, Any]:
    """The definition as a study that shows all texts of an item, without their question."""
    example = {"text": "Hold the button for ten seconds.", "second": "Pull the plug."}
    whole = helpful(key="side_by_side", shows_others=True, example=example)
    del whole["input_label"]
    return whole | changes


def asked_rows(items: int = 4) -> list[Row]:
    """Outputs whose items have the question that this instrument shows."""
    return [replace(row, input="What happened?") for row in rows(items)]


KINDS: dict[str, Any] = {
    "key": "kinds",
    "label": "Every kind",
    "task": "Read the text and judge it.",
    "about": "You judge short texts in several ways.",
    "criteria": [
        {
            "name": "errors",
            "kind": "errors",
            "label": "Errors",
            "question": "Mark every error, and say what it is.",
            "categories": [
                {"name": "omission", "label": "Omission", "group": "Accuracy"},
                {"name": "addition", "label": "Addition", "group": "Accuracy"},
                {"name": "grammar", "label": "Grammar"},
            ],
        },
        {
            "name": "helpful",
            "label": "Help",
            "question": "Does it help?",
            "levels": [
                {"value": 1, "label": "Yes", "cue": "It answers the question"},
                {"value": 0, "label": "No", "cue": "It does not"},
            ],
        },
        {
            "name": "why",
            "kind": "text",
            "label": "Reason",
            "question": "Why does it not help?",
            "only_if": {"question": "helpful", "values": [0]},
        },
        {
            "name": "flaws",
            "kind": "choices",
            "label": "Flaws",
            "question": "Which of these apply?",
            "higher_is_better": False,
            "options": [
                {"name": "rude", "label": "Rude", "cue": "It offends"},
                {"name": "vague", "label": "Vague"},
            ],
        },
        {
            "name": "quality",
            "kind": "slider",
            "label": "Quality",
            "question": "How good is it as a whole?",
            "left": "Useless",
            "right": "Perfect",
        },
        {
            "name": "remark",
            "kind": "text",
            "label": "Remark",
            "question": "Is there anything else?",
            "optional": True,
        },
    ],
    "example": {"text": "The mill opens at nine. It are near the river."},
}


def every_kind(**changes: Any) -> dict[str, Any]:
    """Return a definition with a question of each kind."""
    return copy.deepcopy(KINDS) | changes
