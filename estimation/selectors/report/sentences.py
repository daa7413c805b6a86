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
    parts = [SentencePart(pieces[0])]
    for fact, piece in zip(facts, pieces[1:], strict=True):
        parts += [SentencePart(str(fact), is_fact=True), SentencePart(piece)]
    return tuple(part for part in parts if part.text)


def paragraph(sentences: Iterable[Paragraph]) -> Paragraph:
    """Return one paragraph of these sentences, with spaces between them."""
    parts: list[SentencePart] = []
    for one in sentences:
        parts += [SentencePart(" "), *one] if parts else one
    return tuple(parts)


def plain(parts: Paragraph) -> str:
    """Return the text alone."""
    return "".join(part.text for part in parts)
