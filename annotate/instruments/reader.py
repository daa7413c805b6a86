"""Reading data that researchers wrote: every problem with its path, all of them at once."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

Given = dict[str, Any] | None  # an object's fields; None where it is none, which is told already
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


@dataclass(frozen=True)
class Problem:
    """What is wrong at one path, such as `criteria[1].levels[0].cue`, and what to do."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Refused(ValueError):
    """Data that cannot be what it should; `problems` says where and why, completely."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def parse(text: str | bytes) -> Any:
    """Return the data of a JSON text, or raise `Refused`; nothing is read twice or dropped."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        message = f"Not UTF-8 at byte {error.start + 1}. Save the file with the encoding UTF-8."
    except json.JSONDecodeError as error:
        message = f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except RecursionError:
        message = "Nested far too deep."
    except ValueError as error:
        message = str(error)
    raise Refused([Problem("", message)])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"“{name[:80]}” stands twice in one object. Keep one of them.")
        found[name] = value
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that JSON has.")


@dataclass
class Reader:
    """Takes values out of nested data, and remembers what is wrong with them."""

    problems: list[Problem] = field(default_factory=list)

    def refuse(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, message))

    def finish(self) -> None:
        if self.problems:
            raise Refused(self.problems)

    def fields(self, value: Any, path: str, known: tuple[str, ...]) -> Given:
        """Return an object's fields; those that nobody knows are problems."""
        if not isinstance(value, dict):
            self.refuse(path, f"Must be an object with the fields {', '.join(known)}.")
            return None
        for name in value:
            if name not in known:
                self.refuse(join(path, shown(name)), f"Unknown field.{suggestion(name, known)}")
        return value

    def text(
        self, given: Given, path: str, name: str, *, longest: int, required: bool = True
    ) -> str:
        if given is None:
            return ""
        value = given.get(name)
        where = join(path, name)
        if value is None or value == "":
            if required:
                self.refuse(where, "Missing.")
            return ""
        return self.plain(value, where, longest=longest, required=required)

    def plain(self, value: Any, where: str, *, longest: int, required: bool = True) -> str:
        """Return one text; white space alone is none."""
        if not isinstance(value, str):
            self.refuse(where, "Must be text.")
        elif len(value) > longest:
            self.refuse(where, f"Has {len(value):,} characters; at most {longest:,} fit.")
        elif not storable(value):
            self.refuse(where, "Holds a character that no text has (NUL, or half a pair).")
        elif required and not value.strip():
            self.refuse(where, "Is empty.")
        else:
            return value.strip()
        return ""

    def name(self, given: Given, path: str, name: str, *, longest: int) -> str:
        """Return an identifier."""
        found = self.text(given, path, name, longest=longest)
        if found and not IDENTIFIER.fullmatch(found):
            self.refuse(
                join(path, name),
                "Takes small letters a–z, digits and _, and begins with a letter, such as "
                f"“{suggested_name(found, longest)}”.",
            )
            return ""
        return found

    def boolean(self, given: Given, path: str, name: str, *, default: bool) -> bool:
        value = default if given is None else given.get(name, default)
        if not isinstance(value, bool):
            self.refuse(join(path, name), "Must be true or false.")
            return default
        return value

    def whole(self, given: Given, path: str, name: str, *, low: int, high: int) -> int | None:
        if given is None:
            return None
        value = given.get(name)
        if type(value) is int and low <= value <= high:
            return value
        self.refuse(join(path, name), f"Must be a whole number from {low} to {high}.")
        return None

    def items(
        self, given: Given, path: str, name: str, *, fewest: int = 0, most: int
    ) -> Iterator[tuple[str, Any]]:
        """Yield each member of a list with its path."""
        if given is None:
            return
        value = given.get(name, [])
        where = join(path, name)
        if not isinstance(value, list):
            self.refuse(where, "Must be a list.")
            return
        if not fewest <= len(value) <= most:
            span = f"{fewest} to {most}" if fewest else f"at most {most}"
            self.refuse(where, f"Has {len(value)} members; {span} are possible.")
        for index, member in enumerate(value[:most]):
            yield f"{where}[{index}]", member

    def distinct(self, places: Iterable[tuple[str, Any]], what: str) -> None:
        """Refuse the second of two that are the same; `places`: paths with values."""
        first: dict[Any, str] = {}
        for path, value in places:
            if value in ("", None):
                continue
            if value in first:
                self.refuse(path, f"The same {what} as {first[value]}.")
            else:
                first[value] = path


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return “ Did you mean …?” where one of the known names is close, else ""."""
    close = get_close_matches(name, list(known), n=1)
    return f" Did you mean “{close[0]}”?" if close else ""


def suggested_name(text: str, longest: int) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "_".join(words).lstrip("0123456789_")[:longest].rstrip("_") or "helpful"


def shown(name: str) -> str:
    return name[:80].encode(errors="replace").decode()


def storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text
