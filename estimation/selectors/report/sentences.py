"""Sentences whose numbers come from a campaign, so that each output may mark or escape them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class SentencePart:
    """A piece of a sentence. is_fact: it is taken from the campaign."""

    text: str
    is_fact: bool = False


Paragraph = tuple[SentencePart, ...]


def sentence(words: str, *facts: object) -> Paragraph:
    """Return a sentence; each `{}` in its words becomes one of the facts, in order.

    Raises ValueError where their numbers differ: facts may contain braces, words may not.
    """
    pieces = words.split("{}")
    if len(pieces) != len(facts) + 1:
        raise ValueError(f"{len(facts)} facts for {words!r}")
    runs = [SentencePart(pieces[0])]
    for fact, piece in zip(facts, pieces[1:], strict=True):
        runs += [SentencePart(str(fact), is_fact=True), SentencePart(piece)]
    return tuple(run for run in runs if run.text)


def paragraph(sentences: Iterable[Paragraph]) -> Paragraph:
    """Return one paragraph of these sentences, with spaces between them."""
    runs: list[SentencePart] = []
    for one in sentences:
        runs += [SentencePart(" "), *one] if runs else one
    return tuple(runs)


def plain(runs: Paragraph) -> str:
    """Return the text alone."""
    return "".join(run.text for run in runs)


def listed(names: Iterable[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
