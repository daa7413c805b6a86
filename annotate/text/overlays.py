"""The highlights of several people in one text, laid over each other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

Spans = Iterable[Iterable[int]]


@dataclass(frozen=True)
class OverlaidPiece:
    """A part of a text, and who highlighted it, in the order in which they were given."""

    text: str
    by: tuple[str, ...]


def overlaid(text: str, marks: Mapping[str, Spans]) -> tuple[OverlaidPiece, ...]:
    """Return the text in pieces; `marks`: (start, end) in code points, the end excluded, by name.

    The pieces joined are the text. Spans beyond the text are cut, empty ones are left out.
    """
    spans = {name: [_within(text, *span) for span in theirs] for name, theirs in marks.items()}
    ends = {end for theirs in spans.values() for span in theirs for end in span}
    cuts = sorted({0, len(text)} | ends)
    return tuple(
        OverlaidPiece(text[start:end], tuple(_over(spans, start, end)))
        for start, end in pairwise(cuts)
    )


def _within(text: str, start: int, end: int) -> tuple[int, int]:
    return min(max(start, 0), len(text)), min(max(end, 0), len(text))


def _over(spans: Mapping[str, list[tuple[int, int]]], start: int, end: int) -> Iterable[str]:
    """Yield who marked all of a piece; no span begins or ends inside it."""
    for name, theirs in spans.items():
        if any(first <= start and end <= last for first, last in theirs):
            yield name
