"""Reads JSON of any length: one value after the other, each of bounded length."""

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotate.services.campaigns.importing.decoding import LONGEST_LINE
from annotate.services.campaigns.importing.problems import RowError, UploadRefused
from annotate.text.figures import count

TOO_DEEP = "not such an object: it is nested far too deep."
NEAR_THE_END = 10  # characters: as long as the longest word of JSON, -Infinity
SPACE = " \t\n\r"


@dataclass(frozen=True)
class Constant:
    """NaN, Infinity or -Infinity. Python writes them, but JSON does not allow them."""

    name: str


def _integer(digits: str) -> int | float:
    # Python refuses very long whole numbers. As a float such a number is infinite and reported.
    return int(digits) if len(digits) < 400 else float(digits)


DECODER = json.JSONDecoder(parse_constant=Constant, parse_int=_integer)


class Values:
    """Reads values and the marks between them from blocks of UTF-8."""

    def __init__(self, blocks: Iterable[bytes], decoder: json.JSONDecoder = DECODER) -> None:
        self._blocks, self._json = iter(blocks), decoder
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at = "", 0
        self._line = 1  # of the start of `_text`
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not white space; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, mark: str) -> bool:
        """Skip this character if it comes next."""
        if self.peek() != mark:
            return False
        self._at += 1
        return True

    def value(self) -> Any:
        """Return the next value; raises `UploadRefused` where there is none."""
        self.peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._is_cut_off(error) or not self._more():
                    raise self.refused(error.msg, error.pos) from None
            except RecursionError:
                raise UploadRefused([RowError(self._line_at(self._at), TOO_DEEP)]) from None
            else:
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value

    def refused(self, why: str, at: int | None = None) -> UploadRefused:
        at = self._at if at is None else at
        column = at - self._text.rfind("\n", 0, at)
        return UploadRefused([RowError(self._line_at(at), not_json(why, column), kind="json")])

    def _line_at(self, at: int) -> int:
        return self._line + self._text.count("\n", 0, at)

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        """Return whether the error may come from a value that has not been read completely."""
        unterminated = error.msg.startswith("Unterminated")
        return unterminated or error.pos >= len(self._text) - NEAR_THE_END

    def _more(self) -> bool:
        """Read at least as much again as is in memory; return False at the end of the text."""
        if self._ended:
            return False
        self._line = self._line_at(self._at)
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > LONGEST_LINE:
            raise UploadRefused(
                [RowError(self._line, f"an entry is longer than {LONGEST_LINE >> 20} MB.")]
            )
        parts, wanted = [self._text], max(1, len(self._text))
        for block in self._blocks:
            parts.append(self._decoded(block))
            wanted -= len(parts[-1])
            if wanted <= 0:
                break
        else:
            parts.append(self._decoded(b"", final=True))
            self._ended = True
        self._text = "".join(parts)
        return True

    def _decoded(self, block: bytes, *, final: bool = False) -> str:
        try:
            return self._decoder.decode(block, final)
        except UnicodeDecodeError:
            message = "The file is not UTF-8. Save it with the encoding UTF-8."
            raise UploadRefused([RowError(0, message)]) from None


def not_json(why: str, column: int) -> str:
    return f"not JSON: {why.removesuffix(' at')} at column {count(column)}."


def entries(blocks: Iterable[bytes]) -> Iterator[Any]:
    """Yield the entries of one list, or values that follow each other without a list."""
    values = Values(blocks)
    if values.take("["):
        yield from listed(values)
        if values.peek():
            raise values.refused("something follows the list")
    while values.peek():
        yield values.value()


def listed(values: Values) -> Iterator[Any]:
    """Yield the entries of a list whose first bracket was taken; raises `UploadRefused`."""
    if values.take("]"):
        return
    yield values.value()
    while values.take(","):
        yield values.value()
    if not values.take("]"):
        raise values.refused("a comma or the end of the list is missing")
