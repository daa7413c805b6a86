"""Correcting an unknown text: the faults that any reader can see."""

import re
from collections.abc import Callable

SENTENCE_END = re.compile(r'(?<=[.!?"])\s+(?=["A-Z0-9£<])')


def split_sentences(text: str) -> list[str]:
    return [sentence for sentence in SENTENCE_END.split(text) if sentence]


def _drop_repeated_sentences(text: str) -> str:
    return " ".join(dict.fromkeys(split_sentences(text)))


def _drop_loops(text: str) -> str:
    return re.sub(r"\b((?:[\w'’-]+[,;]? ){2,6}?[\w'’-]+),?(?: \1\b)+", r"\1", text)


def _drop_doubled_words(text: str) -> str:
    return re.sub(r"\b(\w+)(?: \1\b)+", r"\1", text, flags=re.IGNORECASE)


def _drop_unknown_tokens(text: str) -> str:
    return re.sub(r" ?(?:<unk>|\[UNK\])", "", text).strip()


def _drop_unfinished_sentence(text: str) -> str:
    sentences = split_sentences(text)
    if not sentences or re.search(r'[.!?]["”’)]?$', sentences[-1]):
        return text
    return " ".join(sentences[:-1]) if len(sentences) > 1 else text + "."


REPAIRS: dict[str, Callable[[str], str]] = {
    "truncated": _drop_unfinished_sentence,
    "repeated_sentence": _drop_repeated_sentences,
    "repeated_phrase": _drop_loops,
    "doubled_word": _drop_doubled_words,
    "unknown_token": _drop_unknown_tokens,
}


def repaired(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without visible faults, and the kinds of faults found."""
    found: list[str] = []
    for kind, repair in REPAIRS.items():
        better = repair(text)
        if better != text:
            found.append(kind)
            text = better
    return text, tuple(found)


# Changes of taste, tried in turn, for texts without faults.
POLISHES = (
    (r" because of\b", " owing to"),
    (r", and (?=[a-z])", ", while "),
    (r"\bis to be\b", "will be"),
    (r"\bis to\b", "will"),
    (r" after\b", " following"),
    (r"\babout (?=\d)", "around "),
    (r"\bwill be able to\b", "can"),
    (r"\balready ", ""),
    (r"\bagain\b", "once more"),
    (r"\bfor the first time in\b", "for the first time in more than"),
    (r"\bpeople\b", "residents"),
    (r"\bhas been\b", "was"),
)


def polished(text: str) -> str:
    """Return a slightly different wording of a sound text, never the text itself."""
    for pattern, replacement in POLISHES:
        better = re.sub(pattern, replacement, text, count=1)
        if better != text:
            return better
    sentences = split_sentences(text)
    if len(sentences) > 1:
        return " ".join(sentences[:-1])
    return "In short: " + text
