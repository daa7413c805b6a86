"""Words of a text as the rules of tutorials compare them, and patterns of such words.

Case, punctuation, hyphens and typographic forms do not count; numbers are digits, and contractions
are written out: “The bridge isn’t forty-two metres long” is
the, bridge, is, not, 42, metres, long.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from estimation.metrics import normalise

WORD = re.compile(r"\w+(?:['’]\w+)*")
KEPT = 4096  # texts and patterns of the rules, which are short
DEEPEST = 5  # choices inside choices
_PARTS = re.compile(r"[()|]|[^()|]+")
_TOKEN = re.compile(r"\*?\w+(?:'\w+)*\*?|[£$€]")
_NUMBER = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")  # 1,000 and 1.000
_CLOCK = re.compile(r"(?<=\d)[:.]00\b")  # 9:00 and 9.00
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_])")  # 42m, 9am
_SIGNS = {"£": "pounds", "$": "dollars", "€": "euro"}

_SHORT = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would", "m": "am"}
_PRONOUNS = ("i", "you", "he", "she", "we", "they", "that", "there", "who", "what")

Wording = list["str | list[Wording]"]  # words one after another, and choices between wordings


def plain(text: str) -> str:
    """Return the normalised text: single spaces, lower case, plain apostrophes."""
    return " ".join(normalise(text).replace("’", "'").casefold().split())


def same_words(one: str, other: str) -> bool:
    return words(one) == words(other)


def words(text: str) -> list[str]:
    """Return the words of a text as the rules compare them."""
    return list(_words(text))


@lru_cache(KEPT)
def _words(text: str) -> tuple[str, ...]:
    spelled = _UNIT.sub(" ", _CLOCK.sub("", _NUMBER.sub("", plain(text))))
    found = (part for token in _TOKEN.findall(spelled) for part in _parts(token))
    return tuple(_with_digits(found))


def count(text: str | Sequence[str], pattern: str) -> int:
    """Return at how many places of `text` the pattern occurs.

    A pattern is words with choices: `looking forward (to|towards)`; `repair*` is every word that
    begins so, `*konzert` every one that ends so.
    """
    found = words(text) if isinstance(text, str) else text
    wording = _wording(pattern)
    places = (_ends(wording, found, {start}) - {start} for start in range(len(found)))
    return sum(bool(ends) for ends in places)


def without(found: Sequence[str], patterns: Iterable[str]) -> list[str]:
    """Return the words that belong to no occurrence of the patterns."""
    left = list(range(len(found)))
    for pattern in patterns:
        wording = _wording(pattern)
        for start in range(len(found)):
            end = max(_ends(wording, found, {start}), default=start)
            left = [at for at in left if not start <= at < end]
    return [found[at] for at in left]


def problem(pattern: str) -> str:
    """Return what is wrong with the choices of a pattern; "" if nothing is."""
    depth = 0
    for part in _PARTS.findall(plain(pattern)):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth < 0 or (part == "|" and not depth):
            return "Choices stand between “(” and “)”, with “|” between them."
        if depth > DEEPEST:
            return f"Has choices inside choices, more than {DEEPEST} deep."
    return "Has a “(” without its “)”." if depth else ""


def akin(one: str, other: str) -> bool:
    """Return whether two words are probably forms of one: repaired and repairs, Saal and Säle."""
    if one == other:
        return True
    first, second = sorted((_folded(one), _folded(other)), key=len)
    shared = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    shared = len(first) if shared is None else shared
    return shared >= 4 and shared >= len(second) - 4


def compound(word: str, known: Iterable[str]) -> bool:
    """Return whether a word is made of two known ones: Konzertsaal of Konzert and Saal."""
    folded = _folded(word)
    parts = [_folded(one) for one in known if len(one) >= 4]
    starts = {len(one) for one in parts if folded.startswith(one)}
    ends = {len(folded) - len(one) for one in parts if folded.endswith(one)}
    return any(0 <= end - start <= 2 for start in starts for end in ends)


def _folded(word: str) -> str:
    """Return a word without accents."""
    return "".join(one for one in unicodedata.normalize("NFD", word) if one.isalnum())


def _parts(found: str) -> list[str]:
    """Return a contraction's words; a possessive is its noun, and “it's” stays as it is."""
    before, mark, after = found.partition("'")
    if found in ("cannot", "can't"):
        return ["can", "not"]
    if mark and found.endswith("n't"):
        return ["will" if found == "won't" else found[:-3], "not"]
    if mark and before in _PRONOUNS and after in _SHORT:
        return [before, _SHORT[after]]
    if mark and after == "s" and before != "it":
        return [before]
    return [_SIGNS.get(found, found)]


def _with_digits(found: Iterable[str]) -> list[str]:
    """Return the words with spelled numbers as digits, the longest first."""
    given, known, done = list(found), _numbers(), list[str]()
    at = 0
    while at < len(given):
        size = next((n for n in range(5, 0, -1) if tuple(given[at : at + n]) in known), 0)
        done.append(known[tuple(given[at : at + size])] if size else given[at])
        at += size or 1
    return done


@cache
def _numbers() -> dict[tuple[str, ...], str]:
    """Return the spelled numbers from 2 to 999, in English and German, as digits."""
    found = {}
    for n in range(2, 1000):
        for spelled in (*_english(n), *_german(n)):
            found[tuple(spelled.split())] = str(n)
    return found


_ENGLISH = (
    "- one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety"
_GERMAN = (
    "- ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
_GERMAN_TENS = "- - zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _english(n: int) -> list[str]:
    units, tens = _ENGLISH.split(), _ENGLISH_TENS.split()
    if n < 20:
        return [units[n]]
    if n < 100:
        return [tens[n // 10] + (f" {units[n % 10]}" if n % 10 else "")]
    hundreds = [units[n // 100], *(["a"] if n < 200 else [])]
    rest = [f" {join}{one}" for one in _english(n % 100) for join in ("", "and ")]
    return [f"{one} hundred{end}" for one in hundreds for end in (rest if n % 100 else [""])]


def _german(n: int) -> list[str]:
    units, tens = _GERMAN.split(), _GERMAN_TENS.split()
    if n < 20:
        return [units[n]]
    if n < 100:
        return [(f"{units[n % 10]}und" if n % 10 else "") + tens[n // 10]]
    hundreds = [units[n // 100] + "hundert", *(["hundert"] if n < 200 else [])]
    rest = ["eins" if n % 100 == 1 else one for one in _german(n % 100)] if n % 100 else [""]
    return [one + join + end for one in hundreds for end in rest for join in ("", "und")]


@lru_cache(KEPT)
def _wording(pattern: str) -> Wording:
    return _read(iter(_PARTS.findall(plain(pattern))))[0]


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
            choices[-1] += words(part)
    return choices


def _ends(wording: Wording, found: Sequence[str], starts: set[int]) -> set[int]:
    """Return where a reading can end that begins at one of `starts`."""
    for part in wording:
        if isinstance(part, str):
            starts = {at + 1 for at in starts if at < len(found) and _fits(part, found[at])}
        else:
            starts = {end for choice in part for end in _ends(choice, found, starts)}
    return starts


def _fits(part: str, word: str) -> bool:
    middle = part.strip("*")
    if part.startswith("*") and part.endswith("*"):
        return middle in word
    if part.endswith("*"):
        return word.startswith(middle)
    return word.endswith(middle) if part.startswith("*") else word == part
