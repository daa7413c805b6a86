"""The questions of a tutorial as people met them, for the report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PARTS = (
    ("Question", "question"),
    ("Answer", "answer"),
    ("Text", "text"),
    ("Second text", "second"),
)


@dataclass(frozen=True)
class ToldQuestion:
    """parts: (what it is, the text). right: what was accepted; "" where nothing is graded."""

    section: str
    prompt: str
    parts: tuple[tuple[str, str], ...]
    right: str


def questions(tutorial: Any) -> tuple[ToldQuestion, ...]:
    """Return every version of every question once; () without a tutorial."""
    if tutorial is None:
        return ()
    return tuple(
        ToldQuestion(one.section, one.prompt, tuple(_parts(one)), _right(one))
        for one in tutorial.samples
    )


def _parts(one: Any) -> Iterator[tuple[str, str]]:
    for label, name in PARTS:
        if text := getattr(one, name, ""):
            yield label, str(text)
    if ask := getattr(one, "ask", ""):
        yield "Asked", str(ask)
    for number, paragraph in enumerate(getattr(one, "paragraphs", ()), 1):
        yield f"Paragraph {number}", paragraph.text
    for number, step in enumerate(getattr(one, "steps", ()), 1):
        yield f"Step {number}", "\n".join(filter(None, (step.title, step.text)))


def _right(one: Any) -> str:
    labels = {option.value: str(option.label) for option in getattr(one, "options", ())}
    if accepted := getattr(one, "accepted", ()):
        return " or ".join(labels[value] for value in accepted)
    if paragraphs := getattr(one, "paragraphs", ()):
        told = (f"paragraph {n}: {labels[p.verdict]}" for n, p in enumerate(paragraphs, 1))
        return "; ".join(told)
    return str(getattr(one, "feedback", "")) if hasattr(one, "distance") else ""
