"""The names that the API takes: another is a TypeError here, before anything is sent."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

PLAN = (
    *("public_title", "public_about", "texts", "targets", "margins", "instrument", "tutorial"),
    *("tutorial_id", "tutorial_bonus", "bonus_after", "failed_try_pay", "open_link_bonus"),
    *("metrics", "reward", "crowd", "fee_rate", "budget", "max_judgments", "deadline"),
    *("annotator_cap", "double_share", "raters", "lease_minutes", "estimand", "level", "stop_mode"),
    *("experts", "planned_items", "people", "language", "output_form", "input_form", "shows_input"),
    *("shows_reference", "contact", "seed", "gold_share", "gold"),
    *("screening", "distinct_names", "join_names", "columns"),
)
TERMS = (
    *("title", "description", "keywords", "tasks", "minutes", "duration", "lifetime"),
    *("auto_approval", "approve_after", "audience"),
)
REVIEWS = ("campaign", "q", "sort", "show", "screen", "tier", "crowd", "by", "page_size")


def check(function: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise TypeError for a keyword that is not known, with the nearest name."""
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(known)}."
            raise TypeError(f"{function}() takes no keyword {name!r}. {hint}")
