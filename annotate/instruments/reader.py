"""Reading data that researchers wrote: every problem with its path, all of them at once."""

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from annotate.schemas import SLUG, Problem, Refused, parse, without_blank_lines
from annotate.text.json_text import NO_TEXT, storable
from annotate.text.problem_sentences import shown, suggestion

__all__ = ["SLUG", "Fields", "Problem", "Refused", "parse", "shown", "suggestion"]

LONGEST = 4000  # characters of one text
MISSING = "Missing."
T = TypeVar("T")
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


class Fields:
    """One object of the data. Problems are collected for the whole; reading goes on with stand-ins.

    A value that is not an object is one problem: its fields are not reported as missing as well.
    """

    def __init__(self, value: Any, path: str = "", problems: list[Problem] | None = None) -> None:
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems
        self.raw: dict[str, Any] = value if isinstance(value, dict) else {}
        self.is_object = isinstance(value, dict)
        self._known: set[str] = set()
        if not self.is_object:
            self.problems.append(Problem(path, "Must be an object {…}."))

    def finish(self) -> None:
        """Raise `Refused` with all problems of the whole, if there are any."""
        if self.problems:
            raise Refused(self.problems)

    def wrong(self, name: str, message: str) -> None:
        """Note a problem of one field ("": of this object); the first one of a path stays."""
        where = self._at(name)
        if self.is_object and all(problem.path != where for problem in self.problems):
            self.problems.append(Problem(where, message))

    def is_wrong(self, name: str) -> bool:
        return any(problem.path == self._at(name) for problem in self.problems)

    def has(self, name: str) -> bool:
        return self._get(name) is not None

    def text(
        self, name: str, *, most: int = LONGEST, needed: bool = True, indented: bool = False
    ) -> str:
        """Read a text; `indented` keeps the space before its first words, which code may have."""
        value = self._get(name)
        if value is None or value == "":
            if needed:
                self.wrong(name, MISSING)
            return ""
        found = self._text(name, value, most=most, needed=needed)
        return without_blank_lines(found) if indented else found.strip()

    def slug(self, name: str) -> str:
        value = self.text(name, most=40)
        if value and not SLUG.match(value):
            self.wrong(name, "Takes small letters, digits, hyphens and underscores.")
        return value

    def identifier(self, name: str, *, most: int) -> str:
        found = self.text(name, most=most)
        if found and not IDENTIFIER.fullmatch(found):
            self.wrong(
                name,
                "Takes small letters a–z, digits and _, and begins with a letter, such as "
                f"“{suggested_name(found, most)}”.",
            )
            return ""
        return found

    def boolean(self, name: str, *, default: bool) -> bool:
        value = self._get(name, default)
        if not isinstance(value, bool):
            self.wrong(name, "Must be true or false.")
            return default
        return value

    def whole(self, name: str, *, least: int, most: int, default: int | None = None) -> int:
        value = self._get(name, default)
        if type(value) is not int or not least <= value <= most:
            self.wrong(name, f"Must be a whole number from {least} to {most}.")
            return least
        return value

    def members(self, name: str, *, fewest: int = 0, most: int) -> list[Any]:
        """Return a list as it is."""
        values = self._get(name, [])
        if not isinstance(values, list):
            self.wrong(name, "Must be a list.")
            return []
        if not fewest <= len(values) <= most:
            span = f"{fewest} to {most}" if fewest else f"at most {most}"
            self.wrong(name, f"Has {len(values)} members; {span} are possible.")
        return values[:most]

    def texts(
        self,
        name: str,
        *,
        most: int,
        fewest: int = 0,
        length: int = LONGEST,
        exact: bool = False,
        indented: bool = False,
    ) -> tuple[str, ...]:
        """Read a list of texts; `exact` keeps the white space around them; `indented`: as above."""
        values = self.members(name, fewest=fewest, most=most)
        found = [self._text(f"{name}[{n}]", one, most=length) for n, one in enumerate(values)]
        if indented:
            return tuple(map(without_blank_lines, found))
        return tuple(found if exact else (one.strip() for one in found))

    def wholes(self, name: str, *, most: int) -> tuple[int, ...]:
        values = self.members(name, fewest=1, most=most)
        for number, value in enumerate(values):
            if type(value) is not int:
                self.wrong(f"{name}[{number}]", "Must be a whole number.")
        return tuple(value for value in values if type(value) is int)

    def each(
        self, name: str, read: Callable[["Fields"], T | None], *, fewest: int = 0, most: int
    ) -> list[T]:
        """Read a list of objects, without those that are none or that `read` cannot make."""
        found = [
            Fields(value, self._at(f"{name}[{number}]"), self.problems)
            for number, value in enumerate(self.members(name, fewest=fewest, most=most))
        ]
        made = [read(one) for one in found if one.is_object]
        return [one for one in made if one is not None]

    def inner(self, name: str) -> "Fields | None":
        """Return an object within this one; None, and a problem noted, where there is none."""
        if not self.has(name):
            self.wrong(name, MISSING)
            return None
        inner = Fields(self._get(name), self._at(name), self.problems)
        return inner if inner.is_object else None

    def distinct(self, places: Iterable[tuple[str, Any]], what: str) -> None:
        """Refuse the second of two that are the same; `places`: whole paths with values."""
        first: dict[Any, str] = {}
        for path, value in places:
            if value in ("", None):
                continue
            if value in first:
                self.problems.append(Problem(path, f"The same {what} as {first[value]}."))
            else:
                first[value] = path

    def nothing_else(self) -> None:
        """Refuse fields that nobody reads: a slip of the pen would go unnoticed."""
        for name in self.raw:
            if name not in self._known:
                self.wrong(shown(name), f"Unknown field.{suggestion(name, sorted(self._known))}")

    def _get(self, name: str, default: Any = None) -> Any:
        self._known.add(name)
        return self.raw.get(name, default)

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def _text(self, name: str, value: Any, *, most: int, needed: bool = True) -> str:
        if not isinstance(value, str):
            self.wrong(name, "Must be text.")
        elif not storable(value):
            self.wrong(name, NO_TEXT)
        elif needed and not value.strip():
            self.wrong(name, "Is empty.")
        else:
            if len(value) > most:
                self.wrong(name, f"Has {len(value):,} characters; at most {most:,} fit.")
            return value
        return ""


def suggested_name(text: str, longest: int) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "_".join(words).lstrip("0123456789_")[:longest].rstrip("_") or "helpful"
