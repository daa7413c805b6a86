"""Accepted wordings of an edit: a text with choices, such as `is (closed|shut|) this week`.

Case, white space and punctuation do not count; the words and their order do.
"""

import re
from collections.abc import Iterator, Sequence

from annotate.instruments.tutorials.words import plain

WORDS = re.compile(r"[$£€%]|\w+(?:['-]\w+)*")
PARTS = re.compile(rf"[()|]|{WORDS.pattern}")
DEEPEST = 5  # choices inside choices

Wording = list["str | list[Wording]"]  # words one after another, and choices between wordings


def problem(text: str) -> str:
    """Return what is wrong with the choices of a wording; "" if nothing is."""
    depth = 0
    for part in PARTS.findall(plain(text)):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth < 0 or (part == "|" and not depth):
            return "Choices stand between “(” and “)”, with “|” between them."
        if depth > DEEPEST:
            return f"Has choices inside choices, more than {DEEPEST} deep."
    return "Has a “(” without its “)”." if depth else ""


def matches(wording: str, text: str) -> bool:
    """Return whether `text` is one of the texts that `wording` accepts."""
    words = WORDS.findall(plain(text))
    return len(words) in _ends(_read(iter(PARTS.findall(plain(wording))))[0], words, {0})


def _read(parts: Iterator[str]) -> list[Wording]:
    """Return the choices up to the closing bracket, or to the end."""
    choices: list[Wording] = [[]]
    for part in parts:
        if part == "(":
            choices[-1].append(_read(parts))
        elif part == "|":
            choices.append([])
        elif part == ")":
            break
        else:
            choices[-1].append(part)
    return choices


def _ends(wording: Wording, words: Sequence[str], starts: set[int]) -> set[int]:
    """Return where a reading can end that begins at one of `starts`."""
    for part in wording:
        if isinstance(part, str):
            starts = {at + 1 for at in starts if at < len(words) and words[at] == part}
        else:
            starts = {end for choice in part for end in _ends(choice, words, starts)}
    return starts
