"""Reading JSON that somebody else wrote: the one parser of the API, the pages' scripts and files.

It takes what every part of the product can keep: UTF-8, 64 levels at most, each name once in an
object, numbers that a float holds, and text without NUL and without halves of a pair. A request
holds a process only as long as its values take: what has too many of them is refused.
"""

import json
import math
from collections.abc import Callable
from typing import Any

DEEPEST = 64
MOST_VALUES = 100_000  # members of all lists and objects of one text
NO_TEXT = "Holds a character that no text has (NUL, or half a pair)."
Text = Callable[[str], str]


class NotJson(ValueError):
    """The text is not JSON, or not accepted; the message says where and what to do."""


class Room:
    """The number of further values that one text may have."""

    def __init__(self, most: int = MOST_VALUES) -> None:
        self.most = self.left = most

    def take(self, n: int) -> None:
        """Count `n` more; raise `NotJson` where they are too many."""
        self.left -= n
        if self.left < 0:
            raise NotJson(f"Holds more than {self.most:,} values. Send less at once.")


def parse_json(raw: bytes | str, *, text: Text | None = None) -> Any:
    """Return the data of a JSON text; raise `NotJson` where it cannot be taken.

    text: what becomes of each text that is a value; without it, texts that no database keeps are
    refused. Names of fields are never changed: odd ones are always refused.
    """
    try:
        data = DECODER.decode(raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw)
    except UnicodeDecodeError as error:
        message = f"Not UTF-8 at byte {error.start + 1}. Save or send it as UTF-8."
        raise NotJson(message) from None
    except json.JSONDecodeError as error:
        message = f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise NotJson(message) from None
    except RecursionError:
        raise NotJson(_too_deep()) from None
    return checked(data, text=text)


def checked(data: Any, *, text: Text | None = None, room: Room | None = None) -> Any:
    """Return what `DECODER` has read, as `parse` does; raise `NotJson` where it cannot be taken.

    room: for several values that count together.
    """
    return _checked([data], 0, text or _storable, room or Room())[0]


def storable(text: str) -> bool:
    """Return whether every database keeps this text as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def mended(text: str) -> str:
    """Return the text without NUL, and with a mark in place of each half of a pair."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _checked(values: Any, depth: int, text: Text, room: Room) -> Any:
    """Check a list or an object with all that is in it; its texts are replaced in place."""
    room.take(len(values))
    if depth > DEEPEST:
        raise NotJson(_too_deep())
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        if isinstance(key, str):
            _storable(key)
        if isinstance(value, str):
            values[key] = text(value)
        elif isinstance(value, list | dict):
            _checked(value, depth + 1, text, room)
        elif not _finite(value):
            raise NotJson(_too_large_a_number())
    return values


def _storable(text: str) -> str:
    if not storable(text):
        shown = text[:80].encode(errors="replace").decode().replace("\0", "?")
        raise NotJson(f"“{shown}”: {NO_TEXT}")
    return text


def _finite(value: Any) -> bool:
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these names and values; raise `NotJson` where a name comes again."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotJson(twice(name))
        found[name] = value
    return found


def twice(name: str) -> str:
    shown = name[:80].encode(errors="replace").decode()
    return f"“{shown}” stands twice in one object. Keep one of them."


def _no_constant(name: str) -> float:
    raise NotJson(f"{name} is not a number that JSON has.")


def _too_deep() -> str:
    return f"Nested far too deep: at most {DEEPEST} levels are taken."


def _too_large_a_number() -> str:
    return "A number is too large: at most about 1.8e308 is taken."


def _whole(digits: str) -> int:
    if len(digits) > 400:  # Python refuses thousands of digits with words of its own
        raise NotJson(_too_large_a_number())
    return int(digits)


DECODER = json.JSONDecoder(object_pairs_hook=once, parse_constant=_no_constant, parse_int=_whole)
