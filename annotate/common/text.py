"""Texts that people wrote: names, tables, edits, highlights, languages, and QR codes."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from unicodedata import category, east_asian_width

import segno
from django.conf import settings
from django.utils.translation import get_supported_language_variant

from estimation.metrics import word_spans

# Letters and signs that are drawn as nothing: fillers of Hangul, and Braille without a dot.
DRAWN_EMPTY = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


def is_visible(text: str) -> bool:
    """Return whether it holds more than spaces and invisible characters."""
    return any(one not in DRAWN_EMPTY and category(one) not in _UNSEEN for one in text)


# Compares names that people typed: by how they look, not by how they are coded.
#
# Names are one that differ only in case, in dots, spaces and other marks between letters, in
# characters that are not drawn, or in letters that look alike. Letters may look alike in capitals
# only (“Н” of анна and “H”) or in small letters only (“ν” and “v”), so each name has two keys, and
# names are one that share either: taking both at once would make one name of Ana and Ava.


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
    letters = "".join(c for c in plain if category(c)[0] != "P" and _drawn(c))
    return letters or "".join(c for c in plain if _drawn(c))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


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
            found[character] = max(
                texts, key=lambda text: (len(confusables_data.get(text, ())), text)
            )
    return found


# The tab width of a text whose columns are separated by tabs.


STOPS = (4, 6, 9, 12)  # in em: `.tabs-4` and so on in static/css/base.css
LETTER = 0.5  # em, about the width of a letter
GAP = 1.0  # em, between a cell and the next
LINE = 34  # em, what fits beside the questions


def tab_stops(text: str) -> int | None:
    """Return how many em apart the tabs of a table are; None for a text that is no table.

    In a table tabs stand between cells, none at the start of a line as in code; cells are short,
    and their lines fit beside the questions.
    """
    lines = text.splitlines()
    if "\t" not in text or any(line.startswith("\t") for line in lines):
        return None
    rows = [line.rstrip().split("\t") for line in lines]
    widest = max((_width(cell) for row in rows for cell in row[:-1]), default=0)
    stops = [stop for stop in STOPS if widest and widest * LETTER + GAP <= stop]
    if not stops:
        return None
    longest = max((len(row) - 1) * stops[0] + _width(row[-1]) * LETTER for row in rows)
    return stops[0] if longest <= LINE else None


def _width(cell: str) -> int:
    """The letters of a cell; those of East Asian scripts are twice as wide."""
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in cell)


# Word by word: what an edit took out and put in.


_BETWEEN = re.compile(r"\s+|.")
_LINE_BREAK = re.compile(r"\r\n?")


@dataclass(frozen=True)
class DiffRun:
    """Words in a row that share their fate: same, out or in."""

    kind: str
    text: str


def word_diff(before: str, after: str) -> list[DiffRun]:
    """Return the runs of words that turn one text into the other, laid out as the other is.

    Of white space only line breaks count: words that are only indented anew are the same.
    """
    a, b = _tokens(before), _tokens(after)
    matcher = SequenceMatcher(None, _compared(a), _compared(b), autojunk=False)
    return [run for code in matcher.get_opcodes() for run in _runs(code, a, b)]


def _tokens(text: str) -> list[str]:
    """The words, and what stands between them: runs of white space and single characters."""
    text = _LINE_BREAK.sub("\n", text).rstrip()
    found: list[str] = []
    at = 0
    for start, end in word_spans(text):
        found += [*_BETWEEN.findall(text[at:start]), text[start:end]]
        at = end
    return found + _BETWEEN.findall(text[at:])


def _compared(tokens: list[str]) -> list[str]:
    return ["\n" * one.count("\n") or " " if one.isspace() else one for one in tokens]


def _runs(code: tuple[str, int, int, int, int], a: list[str], b: list[str]) -> Iterator[DiffRun]:
    kind, a1, a2, b1, b2 = code
    if kind == "equal":
        yield DiffRun("same", "".join(b[b1:b2]))
        return
    if a2 > a1:
        yield DiffRun("out", "".join(a[a1:a2]))
    if b2 > b1:
        yield DiffRun("in", "".join(b[b1:b2]))


# The highlights of several people in one text, laid over each other.


Spans = Iterable[Iterable[int]]


@dataclass(frozen=True)
class OverlaidPiece:
    """A part of a text, and who highlighted it, in the order in which they were given."""

    text: str
    by: tuple[str, ...]


def overlaid(text: str, marks: Mapping[str, Spans]) -> tuple[OverlaidPiece, ...]:
    """Return the text in pieces; `marks`: (start, end) in code points, the end excluded, by name.

    The pieces joined are the text. Spans beyond the text are cut, empty ones are left out.
    """
    size = len(text)
    spans = {
        name: [(min(max(start, 0), size), min(max(end, 0), size)) for start, end in theirs]
        for name, theirs in marks.items()
    }
    ends = {end for theirs in spans.values() for span in theirs for end in span}
    cuts = sorted({0, len(text)} | ends)
    return tuple(
        OverlaidPiece(text[start:end], tuple(_over(spans, start, end)))
        for start, end in pairwise(cuts)
    )


def _over(spans: Mapping[str, list[tuple[int, int]]], start: int, end: int) -> Iterable[str]:
    """Yield who marked all of a piece; no span begins or ends inside it."""
    for name, theirs in spans.items():
        if any(first <= start and end <= last for first, last in theirs):
            yield name


# Which language annotators are spoken to in.
#
# One wording for all annotators of a campaign: what is asked, and how, decides how much they
# differ. So the campaign decides, not the browser.


def interface_language(content_language: str) -> str:
    """Return the content's language where there is a translation of it, else English."""
    try:
        return get_supported_language_variant(content_language)
    except LookupError:
        return settings.LANGUAGE_CODE


# QR codes as inline SVG.


def svg(text: str) -> str:
    """Return an `<svg>` element without a size, dark on light in both themes.

    Not all cameras read light on dark.
    """
    made = segno.make_qr(text, error="m")
    return made.svg_inline(dark="#000", light="#fff", border=4, omitsize=True)
