"""Compares names that people typed: by how they look, not by how they are coded.

Names are one that differ only in case, in dots, spaces and other marks between letters, in
characters that are not drawn, or in letters that look alike. Letters may look alike in capitals
only (“Н” of анна and “H”) or in small letters only (“ν” and “v”), so each name has two keys, and
names are one that share either: taking both at once would make one name of Ana and Ava.
"""

import hashlib
import unicodedata
from dataclasses import dataclass
from functools import cache

from annotate.text.visible import DRAWN_EMPTY

LONGEST = 80
# Not drawn, though their category is that of a letter or a mark.
UNSEEN = DRAWN_EMPTY.union(
    "\u034f\u17b4\u17b5",
    *(map(chr, range(*ends)) for ends in ((0x180B, 0x1810), (0xFE00, 0xFE10), (0xE0100, 0xE01F0))),
)
# Capital i looks like a small L and like a one, capital o like a zero: of both no case is left.
LIKE_CAPITALS = str.maketrans({"i": "l", "1": "l", "|": "l", "0": "o"})


@dataclass(frozen=True)
class Keys:
    """The look of a name in small letters and in capitals, 32 characters each."""

    small: str
    large: str


def tidy(typed: str) -> str:
    """Return a name as it is kept and shown: composed, with single spaces."""
    text = unicodedata.normalize("NFC", typed.replace("\0", " "))
    return " ".join(text.split())


def can_be_seen(name: str) -> bool:
    return any(_drawn(c) for c in name)


def keys(name: str) -> Keys:
    """Return how a name looks as it was typed, whatever its case, and how it looks in capitals."""
    return Keys(_digest(_looks(_looks(name).casefold())), _digest(_looks(_plain(name).upper())))


def are_one(name: str, other: str) -> bool:
    """Return whether two names are one."""
    mine, theirs = keys(name), keys(other)
    return mine.small == theirs.small or mine.large == theirs.large


def _looks(text: str) -> str:
    """Return the text with one letter for all that look like it, and nothing between letters."""
    alike = "".join(_alike().get(c, c) for c in unicodedata.normalize("NFD", _plain(text)))
    plain = _plain(alike)
    letters = "".join(c for c in plain if not _between(c))
    return letters or "".join(c for c in plain if _drawn(c))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _between(character: str) -> bool:
    return unicodedata.category(character)[0] == "P" or not _drawn(character)


def _drawn(character: str) -> bool:
    return unicodedata.category(character)[0] not in "ZC" and character not in UNSEEN


def _digest(text: str) -> str:
    raw = text.casefold().translate(LIKE_CAPITALS).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


@cache
def _alike() -> dict[str, str]:
    """Return for each character that looks like others the one text that stands for all of them.

    Unicode's list, read when it is first needed: half a second, six megabytes.
    """
    from confusable_homoglyphs.confusables import confusables_data

    found = {}
    for character, others in confusables_data.items():
        if len(character) == 1:
            texts = {character, *(other["c"].strip("\u200e") for other in others)}
            # The list maps all of a group to one of them: that one has the most others.
            found[character] = max(texts, key=lambda text: (_n(text, confusables_data), text))
    return found


def _n(text: str, data: dict[str, list[dict[str, str]]]) -> int:
    return len(data.get(text, ()))
