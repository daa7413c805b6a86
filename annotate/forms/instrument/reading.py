"""The definition of an instrument from the fields of a browser.

Nothing is checked here: the declared shape of definitions does. What the form has no fields for
(examples of instructions, paragraphs of the example) is kept as it is.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from django.http import QueryDict

from annotate.instruments.rating.definition import REQUIREMENTS
from annotate.instruments.rating.reading import MOST_CRITERIA, MOST_LEVELS, MOST_SECTIONS
from annotate.instruments.rating.writing import EDIT_WORDING
from annotate.schemas import Refused, identifier_from, parse
from annotate.text.json_text import storable
from annotate.text.numerals import number

Content = dict[str, Any]
HEAD = ("label", "key", "language", "task", "about", "hint", "minutes", "input_label")
CRITERION = ("label", "name", "question", "evidence")
CONSTANTS = ("balance", "person_share")
LEVEL = ("value", "label", "cue")
SECTION = ("title", "text")
EXAMPLE = ("text", "second", "input")
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def content_of(post: QueryDict) -> Content:
    """Return the definition that a browser's fields describe; what is wrong in it is kept."""
    head = {name: _text(post, name) for name in HEAD}
    head["key"] = head["key"] or identifier_from(head["label"])
    example = _named(post, "example-", EXAMPLE)
    example["paragraphs"] = _list(_text(post, "example-paragraphs"))
    found = head | {
        "steps": [line for line in _text(post, "steps").split("\n") if line.strip()],
        "compares": "compares" in post,
        "shows_others": "shows_others" in post,
        "instructions": [_section(post, i) for i in range(_count(post, "s", MOST_SECTIONS))],
        "edit": _filled(_named(post, "edit-", EDIT_WORDING)),
        "example": _filled(example),
    }
    criteria = [_criterion(post, i) for i in range(_count(post, "c", MOST_CRITERIA))]
    return _filled(found) | {"criteria": criteria}


def _text(post: QueryDict, name: str) -> str:
    return str(post.get(name, "")).replace("\r\n", "\n")


def _named(post: QueryDict, before: str, names: Sequence[str]) -> Content:
    return {name: _text(post, before + name) for name in names}


def _count(post: QueryDict, name: str, most: int) -> int:
    """Return how many parts the form has; one too many is kept, so that it is refused."""
    return min(number(post.get(name, "")) or 0, most + 1)


def _filled(values: Content) -> Content:
    """Leave out what is empty."""
    return {name: one for name, one in values.items() if one not in ("", [], {}, False)}


def _criterion(post: QueryDict, place: int) -> Content:
    at = f"c{place}-"
    own = _named(post, at, CRITERION)
    own["name"] = own["name"] or identifier_from(own["label"], otherwise=f"question_{place + 1}")
    optional = {name: _decimal(_text(post, at + name)) for name in CONSTANTS}
    if f"{at}lower" in post:
        own["higher_is_better"] = False
    optional["evidence"] = own.pop("evidence")
    levels = [_level(post, f"{at}l{j}-") for j in range(_count(post, f"{at}n", MOST_LEVELS))]
    return own | {name: one for name, one in optional.items() if one != ""} | {"levels": levels}


def _level(post: QueryDict, at: str) -> Content:
    found = _named(post, at, LEVEL) | {"value": _whole(_text(post, f"{at}value"))}
    requires = [one for one in REQUIREMENTS if one in post.getlist(f"{at}requires")]
    return found | ({"requires": requires} if requires else {})


def _section(post: QueryDict, place: int) -> Content:
    words = _named(post, f"s{place}-", SECTION)
    return _filled(words | {"examples": _list(_text(post, f"s{place}-kept"))})


def _whole(text: str) -> Any:
    plain = text.strip().replace("−", "-")
    return int(plain) if WHOLE.fullmatch(plain) else text


def _decimal(text: str) -> Any:
    plain = text.strip().replace(",", ".")
    return float(plain) if DECIMAL.fullmatch(plain) else text.strip()


def _list(text: str) -> list[Any]:
    """Return a kept list; nothing where somebody has changed it into something else."""
    try:
        found = parse(text) if text else []
    except Refused:
        return []
    fine = isinstance(found, list) and storable(json.dumps(found, ensure_ascii=False))
    return found if fine else []
