"""The sentences of a text, and whether a highlight shows the value that justifies a verdict."""

import re
from collections.abc import Sequence

Span = tuple[int, int]

_END = re.compile(r"""[.!?…]+["”“’»)]*(?=\s+["“„«(]?[^\W_a-zäöü])|\n+""")
_ABBREVIATED = re.compile(r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Prof|No|Nr|ca|bzw|usw|vs|approx))\.$")
_DAY = re.compile(r"\b\d{1,2}\.$")
_MONTH = re.compile(r"\s+(?:Jan|Feb|März|Mar|Apr|Mai|Juni|Juli|Aug|Sep|Okt|Nov|Dez)")


def sentences(text: str) -> list[Span]:
    """Return where the sentences of a text are, as [start, end) in code points."""
    ends = [found.end() for found in _END.finditer(text) if not _goes_on(text, found.end())]
    starts = [0, *ends]
    return [
        one for one in zip(starts, [*ends, len(text)], strict=True) if text[slice(*one)].strip()
    ]


def _goes_on(text: str, at: int) -> bool:
    """Return whether the full stop belongs to an abbreviation or a date."""
    before = text[:at]
    return bool(_ABBREVIATED.search(before) or (_DAY.search(before) and _MONTH.match(text, at)))


def shown(text: str, values: Sequence[Span], marked: Sequence[Sequence[int]]) -> str:
    """Return how a highlight shows the values: good, none, or poor.

    It is good if it touches a value and stays within the sentences of the values: the value alone
    and the whole sentence both are. none: it touches no value. poor: it goes beyond.
    """
    if not any(_touch(one, value) for one in marked for value in values):
        return "none"
    own = [one for one in sentences(text) if any(_touch(one, value) for value in values)]
    others = [one for one in sentences(text) if one not in own]
    beyond = any(_words_in(text, one, other) for one in marked for other in others)
    return "poor" if beyond else "good"


def _touch(one: Sequence[int], other: Sequence[int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _words_in(text: str, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two spans share letters or digits."""
    return bool(re.search(r"\w", text[max(one[0], other[0]) : max(0, min(one[1], other[1]))]))
