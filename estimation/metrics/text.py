"""Text made comparable (`normalise`) and cut into words (`words`, `word_spans`, `cut`).

Scripts that write words without blanks (Chinese, Japanese, Thai, Lao, Khmer, Burmese) count by
characters, each with the marks on it. Other words are those of Unicode's annex 29: runs of letters
and digits, with an apostrophe, full stop or colon between letters, or a comma in a number.
static/js/word_diff.js has the same rule.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

import regex

_DENSE = r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc"
_SPELLED = r"\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}"
_SPELLED_LETTERS = 4  # of a word, about, in these scripts
_CHARACTER = rf"[{_DENSE}{_SPELLED}]\p{{M}}*"
_RUN = rf"(?:(?![{_DENSE}{_SPELLED}])[\p{{L}}\p{{N}}_][\p{{M}}\p{{Cf}}]*)+"
_WORD = rf"{_CHARACTER}|{_RUN}(?:(?:['’.·:](?=\p{{L}})|['’.,;](?=\p{{N}})){_RUN})*"
_WORDS = regex.compile(_WORD)
_SPELLED_CHARACTERS = regex.compile(rf"[{_SPELLED}]\p{{M}}*")
_PIECES = regex.compile(rf"{_CHARACTER}|(?:(?![{_DENSE}{_SPELLED}]).)+", regex.DOTALL)

_LINE_BREAKS = re.compile("\r\n|[\r\x85\u2028\u2029]")
# Space separators (Zs), the tab family, and three invisible zero-width characters.
_SPACES = re.compile("[\t\x0b\x0c\x1c-\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_TRAILING = re.compile(" +(?=\n)")
_BLANK_LINES = re.compile("\n(?: *\n)+")
_JOINERS = "\u200c\u200d"  # they belong to words (Persian, Hindi) and to emoji


def normalise(text: str) -> str:
    """Return the form in which texts are compared: equal for equal-looking texts; idempotent.

    CRLF, CR, NEL and the Unicode line and paragraph separators become LF. Each other white-space
    character (non-breaking, thin, ideographic, tab) becomes one space. Zero-width space, word
    joiner and byte order mark are removed; joiners inside words and emoji stay. The text is then
    composed (NFC), and spaces at the ends of lines and white space at the end of the text are
    removed. Leading and doubled spaces stay.

    text: any text.
    Returns: the normal form.

    >>> from estimation.metrics import normalise
    >>> normalise("one" + chr(160) + "two  three " + chr(13) + chr(10))
    'one two  three'
    """
    text = _INVISIBLE.sub("", _SPACES.sub(" ", _LINE_BREAKS.sub("\n", text)))
    # NFC comes after the removals: a zero-width space may have stood between letter and accent.
    text = unicodedata.normalize("NFC", text)
    return _TRAILING.sub("", text).rstrip(" \n")


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of an input, normalised: the parts between blank lines.

    text: the input.
    Returns: empty for a blank text.

    >>> from estimation.metrics import paragraphs
    >>> len(paragraphs("one" + 2 * chr(10) + "two" + chr(10) + "three"))
    2
    """
    return [piece for piece in _BLANK_LINES.split(normalise(text).strip()) if piece.strip()]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where each word of a text begins and ends, in code points.

    text: any text.
    Returns: (start, end) of each word, in order. Punctuation and emoji are no words.

    >>> from estimation.metrics import word_spans
    >>> [("It’s 3,000 公里")[a:b] for a, b in word_spans("It’s 3,000 公里")]
    ['It’s', '3,000', '公', '里']
    """
    return [found.span() for found in _WORDS.finditer(text)]


def reading_length(text: str) -> int:
    """Return how many words of reading a text is, for times.

    text: any text.
    Returns: its words. A Thai, Lao, Khmer or Burmese word is taken as four characters.

    >>> from estimation.metrics import reading_length
    >>> reading_length("The old mill."), reading_length("旧水车")
    (3, 3)
    """
    spelled = len(_SPELLED_CHARACTERS.findall(text))
    return len(_WORDS.findall(text)) - spelled + -(-spelled // _SPELLED_LETTERS)


def cut(token: str) -> list[str]:
    """Return a token with each character of a script without blanks by itself."""
    return [token] if token.isascii() else _PIECES.findall(token)


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
    """Return the lower-case words of a text: runs of letters, marks and digits of any script.

    Punctuation separates ("don't" is two words, as in ROUGE). On ASCII text the result is that of
    rouge-score's tokenizer. In scripts without blanks between words each character is one.

    text: any text.
    symbols: whether emoji and signs such as U+2583 count as (parts of) words.
    Returns: in order.

    >>> from estimation.metrics import words
    >>> words("Don't stop, it's 5 o'clock.")
    ['don', 't', 'stop', 'it', 's', '5', 'o', 'clock']
    """
    pieces = text.lower().translate(_WITH_SYMBOLS if symbols else _LETTERS_ONLY).split()
    cuts = (one for piece in pieces for one in cut(piece))
    return [piece for piece in cuts if piece.isascii() or _is_word(piece)]


def _is_word(piece: str) -> bool:
    """Whether letters, digits or symbols remain (not so for an emoji whose symbol was dropped)."""
    return any(unicodedata.category(char)[0] in "LNS" for char in piece)


def treebank_tokens(text: str) -> list[str]:
    """Penn Treebank tokens of nltk; no model is downloaded."""
    tokens: list[str] = _treebank().tokenize(text)
    return tokens


@cache
def _treebank() -> Any:
    """Return nltk's tokenizer. The first call imports nltk: half a second of the processor."""
    from nltk.tokenize import TreebankWordTokenizer

    return TreebankWordTokenizer()
