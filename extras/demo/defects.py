"""Known faults of text generation systems, put into a sound text one at a time."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

Sentences = tuple[str, ...]

# Pairs that are wrong in almost any sentence, so every reader sees the fault.
WRONG_PREPOSITIONS = (
    (r"\bon (?=[A-Z][a-z]+day)", "at "),
    (r"\bin (?=(?:Jan|Febr|March|April|May|June|July|August|Septem|Octo|Novem|Decem))", "on "),
    (r"\bfrom (?=[A-Z])", "of "),
    (r"\b[Aa]ccording to\b", "according from"),
    (r"\bbecause of\b", "because from"),
    (r"\bof (?=[a-z£\d])", "from "),
    (r"\bfor (?=[a-z£\d])", "of "),
    (r"\bby (?=[a-z])", "at "),
    (r"\binto\b", "at"),
    (r"\bto (?=the\b)", "of "),
    (r"\bin (?=[A-Z])", "to "),
    (r"\bafter\b", "since"),
)

WRONG_VERBS = {
    "was": "were",
    "were": "was",
    "has": "have",
    "have": "has",
    "is": "are",
    "are": "is",
    "does": "do",
    "costs": "cost",
    "says": "say",
}

DOUBLED = ("the", "a", "of", "to", "in", "and", "for", "by", "that", "will", "has", "with", "on")

UNKNOWN = "<unk>"


@dataclass(frozen=True)
class DefectMaterial:
    """Material for faults: other wordings of a sentence, and wordings with repeated names."""

    reworded: Mapping[str, str]
    named: Mapping[str, str]


Fault = Callable[[Sentences, DefectMaterial, Random], Sentences | None]


def _swap(sentences: Sentences, index: int, *replacement: str) -> Sentences:
    return sentences[:index] + replacement + sentences[index + 1 :]


def repeated_sentence(sentences: Sentences, _material: DefectMaterial, rng: Random) -> Sentences:
    index = rng.randrange(len(sentences))
    return _swap(sentences, index, *(sentences[index],) * rng.choice((2, 2, 2, 2, 3)))


def restated(sentences: Sentences, material: DefectMaterial, rng: Random) -> Sentences | None:
    options = [i for i, s in enumerate(sentences) if s in material.reworded]
    if not options:
        return None
    index = rng.choice(options)
    return _swap(sentences, index, sentences[index], material.reworded[sentences[index]])


def repeated_name(sentences: Sentences, material: DefectMaterial, rng: Random) -> Sentences | None:
    options = [i for i, s in enumerate(sentences) if s in material.named]
    if not options:
        return None
    index = rng.choice(options)
    return _swap(sentences, index, material.named[sentences[index]])


def repeated_phrase(
    sentences: Sentences, _material: DefectMaterial, rng: Random
) -> Sentences | None:
    """Add a loop: the decoder repeats three to six words."""
    index = rng.randrange(len(sentences))
    words = sentences[index].rstrip(".").split()
    length = rng.randint(3, 6)
    if len(words) < length + 4:
        return None
    start = rng.randint(3, len(words) - length)
    loop = [word.rstrip(",;:") for word in words[start : start + length]]
    times = rng.choice((1, 1, 2))
    looped = words[: start + length] + loop * times + words[start + length :]
    return _swap(sentences, index, " ".join(looped) + ".")


def scrambled(sentences: Sentences, _material: DefectMaterial, rng: Random) -> Sentences | None:
    index = rng.randrange(len(sentences))
    words = sentences[index].rstrip(".").split()
    if len(words) < 10:
        return None
    start = rng.randint(2, len(words) - 7)
    window = words[start : start + 7]
    moved = window[3:5] + window[6:] + window[:2] + window[5:6] + window[2:3]
    return _swap(sentences, index, " ".join(words[:start] + moved + words[start + 7 :]) + ".")


def truncated(sentences: Sentences, _material: DefectMaterial, rng: Random) -> Sentences | None:
    words = sentences[-1].split()
    if len(words) < 7:
        return None
    kept = rng.randint(4, len(words) - 2)
    return _swap(sentences, len(sentences) - 1, " ".join(words[:kept]).rstrip(",;:"))


def _replace_one(
    sentences: Sentences, pattern: str, replacement: Callable[[re.Match[str]], str], rng: Random
) -> Sentences | None:
    hits = [(i, hit) for i, s in enumerate(sentences) for hit in re.finditer(pattern, s)]
    if not hits:
        return None
    index, hit = rng.choice(hits)
    text = sentences[index]
    return _swap(sentences, index, text[: hit.start()] + replacement(hit) + text[hit.end() :])


def doubled_word(sentences: Sentences, _material: DefectMaterial, rng: Random) -> Sentences | None:
    pattern = rf"(?<= )({'|'.join(DOUBLED)}) "
    return _replace_one(sentences, pattern, lambda hit: hit[0] * 2, rng)


def missing_article(
    sentences: Sentences, _material: DefectMaterial, rng: Random
) -> Sentences | None:
    return _replace_one(sentences, r"(?<= )(?:the|a|an) ", lambda _: "", rng)


def unknown_token(sentences: Sentences, _material: DefectMaterial, rng: Random) -> Sentences | None:
    """Remove rare words, mostly names and numbers, that a small vocabulary lacks."""
    pattern = r"(?<= )(?!\w+day)(?:[A-Z][a-z]{3,}|£?\d[\d,.]*\d|[a-z]{10,})"
    return _replace_one(sentences, pattern, lambda _: UNKNOWN, rng)


def wrong_agreement(
    sentences: Sentences, _material: DefectMaterial, rng: Random
) -> Sentences | None:
    pattern = rf"(?<= )(?:{'|'.join(WRONG_VERBS)})\b"
    return _replace_one(sentences, pattern, lambda hit: WRONG_VERBS[hit[0]], rng)


def wrong_preposition(
    sentences: Sentences, _material: DefectMaterial, rng: Random
) -> Sentences | None:
    candidates = list(WRONG_PREPOSITIONS)
    rng.shuffle(candidates)
    for pattern, wrong in candidates:
        changed = _replace_one(sentences, pattern, _constant(wrong), rng)
        if changed:
            return changed
    return None


def _constant(text: str) -> Callable[[re.Match[str]], str]:
    return lambda _: text


FAULTS: Mapping[str, Fault] = {
    "repeated_sentence": repeated_sentence,
    "restated": restated,
    "repeated_name": repeated_name,
    "repeated_phrase": repeated_phrase,
    "scrambled": scrambled,
    "doubled_word": doubled_word,
    "missing_article": missing_article,
    "unknown_token": unknown_token,
    "wrong_agreement": wrong_agreement,
    "wrong_preposition": wrong_preposition,
    "truncated": truncated,
}
