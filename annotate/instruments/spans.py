"""Spans of a text: highlighted parts, as [start, end) pairs of code points.

Every instrument and tutorial that asks for evidence uses it. `static/js/spans.js` merges in the
same way, so people see what is stored.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

Span = list[int]  # as in JSON

# Unicode's White_Space, which is also a browser's \p{White_Space}; Python's \s has four more.
SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*")


class InvalidSpans(ValueError):
    """Spans that cannot be parts of their text."""


def read(given: Any, text: str) -> list[Span]:
    """Return the merged spans that a browser sent as `{start, end, text}`.

    Raises `InvalidSpans` for a malformed span, one out of range or of white space only, and one
    whose words differ from the text: it belongs to another paragraph, or counts other units.
    """
    if not isinstance(given, list):
        raise InvalidSpans(_("Highlights are a list."))
    return merge((_read_one(one, text) for one in given), text)


def merge(spans: Iterable[Iterable[int]], text: str) -> list[Span]:
    """Return the sorted spans. Those that overlap, touch or have only space between become one."""
    merged: list[Span] = []
    for start, end in sorted(map(tuple, spans)):
        if merged and _is_space(text[merged[-1][1] : start]):
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def _read_one(one: Any, text: str) -> Span:
    if not isinstance(one, Mapping):
        raise InvalidSpans(_("A highlight has a start, an end and its words."))
    start, end = one.get("start"), one.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise InvalidSpans(_("A highlight lies outside of the text."))
    words = text[start:end]
    if one.get("text") != words:
        raise InvalidSpans(_("A highlight has other words than the text. Highlight it again."))
    if _is_space(words):
        raise InvalidSpans(_("A highlight has no words in it."))
    return [start, end]


def _is_space(text: str) -> bool:
    return SPACE.fullmatch(text) is not None
