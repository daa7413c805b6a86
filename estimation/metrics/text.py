"""Text made comparable (`normalise`) and cut into words (`words`)."""

from __future__ import annotations

import re
import unicodedata

_LINE_BREAKS = re.compile("\r\n|[\r\x85\u2028\u2029]")
# Space separators (Zs), the tab family, and three zero-width characters that nobody can see.
_SPACES = re.compile("[\t\x0b\x0c\x1c-\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_TRAILING = re.compile(" +(?=\n)")
_BLANK_LINES = re.compile("\n(?: *\n)+")
_JOINERS = "\u200c\u200d"  # they belong to words (Persian, Hindi) and to emoji


def normalise(text: str) -> str:
    """The form in which texts are compared: the same for a reader, the same code points.

    CRLF, CR, NEL and the Unicode line and paragraph separators become LF; every other white space
    (non-breaking, thin, ideographic, tab) becomes one space each; zero-width space, word joiner and
    byte order mark go (joiners inside words and emoji stay); then NFC; then spaces at the ends of
    lines and white space at the end of the text go. Leading and doubled spaces stay. Idempotent.
    """
    text = _INVISIBLE.sub("", _SPACES.sub(" ", _LINE_BREAKS.sub("\n", text)))
    # NFC comes after the removals: a zero-width space may have stood between letter and accent.
    text = unicodedata.normalize("NFC", text)
    return _TRAILING.sub("", text).rstrip(" \n")


def paragraphs(text: str) -> list[str]:
    """The paragraphs of an input, normalised: what blank lines separate; none for a blank text."""
    return [piece for piece in _BLANK_LINES.split(normalise(text).strip()) if piece.strip()]


class _Table(dict[int, str]):
    """`str.translate` table, filled as characters turn up: keep, drop or replace by a space."""

    def __init__(self, *, symbols: bool) -> None:
        super().__init__()
        self._symbols = symbols

    def __missing__(self, code: int) -> str:
        self[code] = self._replacement(chr(code))
        return self[code]

    def _replacement(self, char: str) -> str:
        if char.isascii():
            return char if char.isalnum() else " "
        kind = unicodedata.category(char)
        if kind[0] in "LMN" or char in _JOINERS or (kind == "So" and self._symbols):
            return char
        return "" if kind == "Cf" else " "


_WITH_SYMBOLS = _Table(symbols=True)
_LETTERS_ONLY = _Table(symbols=False)


def words(text: str, *, symbols: bool = True) -> list[str]:
    """Lower-case words: runs of letters, marks and digits of any script.

    Punctuation separates ("don't" is two words, as in ROUGE). `symbols` keeps emoji and signs such
    as U+2583 as (parts of) words. On ASCII text this is rouge-score's own tokenizer. Scripts
    without spaces between words (Chinese, Thai) come out as one word per clause.
    """
    pieces = text.lower().translate(_WITH_SYMBOLS if symbols else _LETTERS_ONLY).split()
    return [piece for piece in pieces if piece.isascii() or _is_word(piece)]


def _is_word(piece: str) -> bool:
    """Whether more than marks and joiners is left (as of an emoji whose symbol was dropped)."""
    return any(unicodedata.category(char)[0] in "LNS" for char in piece)
