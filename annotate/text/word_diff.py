"""Word by word: what an edit took out and put in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from estimation.metrics import word_spans

_BETWEEN = re.compile(r"\s+|.")
_LINE_BREAK = re.compile(r"\r\n?")


@dataclass(frozen=True)
class DiffRun:
    """Words in a row that share their fate: same, out or in."""

    kind: str
    text: str


def word_diff(before: str, after: str) -> list[DiffRun]:
    """Return the runs of words that turn one text into the other, laid out as the other is.

    Of white space only line breaks count: words that are only indented anew are the same.
    """
    a, b = _tokens(before), _tokens(after)
    matcher = SequenceMatcher(None, _compared(a), _compared(b), autojunk=False)
    return [run for code in matcher.get_opcodes() for run in _runs(code, a, b)]


def _tokens(text: str) -> list[str]:
    """The words, and what stands between them: runs of white space and single characters."""
    text = _LINE_BREAK.sub("\n", text).rstrip()
    found: list[str] = []
    at = 0
    for start, end in word_spans(text):
        found += [*_BETWEEN.findall(text[at:start]), text[start:end]]
        at = end
    return found + _BETWEEN.findall(text[at:])


def _compared(tokens: list[str]) -> list[str]:
    return ["\n" * one.count("\n") or " " if one.isspace() else one for one in tokens]


def _runs(code: tuple[str, int, int, int, int], a: list[str], b: list[str]) -> Iterator[DiffRun]:
    kind, a1, a2, b1, b2 = code
    if kind == "equal":
        yield DiffRun("same", "".join(b[b1:b2]))
        return
    if a2 > a1:
        yield DiffRun("out", "".join(a[a1:a2]))
    if b2 > b1:
        yield DiffRun("in", "".join(b[b1:b2]))
