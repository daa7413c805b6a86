"""Reads JSON field by field and collects every fault with its path."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

SLUG = re.compile(r"[a-z0-9]+(?:[_-][a-z0-9]+)*\Z")
LONGEST = 4000  # characters of one text
MISSING = "is missing."
T = TypeVar("T")


class Fields:
    """One object of the JSON; faults go to `errors`, and reading goes on with a stand-in."""

    def __init__(self, raw: Any, path: str, errors: dict[str, str]) -> None:
        self.raw: dict[str, Any] = raw if isinstance(raw, dict) else {}
        self.path, self.errors = path, errors
        self._known: set[str] = set()
        if not isinstance(raw, dict):
            errors[path or "tutorial"] = "must be an object {…}."

    def has(self, name: str) -> bool:
        return name in self.raw

    def wrong(self, name: str, message: str) -> None:
        """Note a fault of one field; the first one stays."""
        self.errors.setdefault(f"{self.path}.{name}" if self.path else name, message)

    def text(self, name: str, *, most: int = LONGEST, needed: bool = True) -> str:
        value = self._get(name)
        if value is None:
            if needed:
                self.wrong(name, MISSING)
            return ""
        if not isinstance(value, str) or (needed and not value.strip()):
            self.wrong(name, "must be a text.")
            return ""
        if len(value) > most:
            self.wrong(name, f"is longer than {most:,} characters.")
        return value

    def slug(self, name: str) -> str:
        value = self.text(name, most=40)
        if value and not SLUG.match(value):
            self.wrong(name, "takes small letters, digits, hyphens and underscores.")
        return value

    def whole(self, name: str, *, least: int, most: int, default: int | None = None) -> int:
        value = self._get(name)
        if value is None and default is not None:
            return default
        if type(value) is not int or not least <= value <= most:
            self.wrong(name, f"must be a whole number from {least} to {most}.")
            return least
        return value

    def texts(
        self, name: str, *, most: int, length: int = LONGEST, needed: bool = True
    ) -> tuple[str, ...]:
        def one(value: Any, path: str) -> str | None:
            if isinstance(value, str) and value.strip() and len(value) <= length:
                return value
            self.errors[path] = f"must be a text of at most {length:,} characters."
            return None

        return tuple(self._list(name, one, most=most, needed=needed))

    def wholes(self, name: str, *, most: int) -> tuple[int, ...]:
        def one(value: Any, path: str) -> int | None:
            if type(value) is int:
                return value
            self.errors[path] = "must be a whole number."
            return None

        return tuple(self._list(name, one, most=most))

    def each(
        self, name: str, read: Callable[["Fields"], T | None], *, most: int, needed: bool = True
    ) -> list[T]:
        """Read a list of objects."""

        def one(value: Any, path: str) -> T | None:
            return read(Fields(value, path, self.errors)) if _is_object(self, value, path) else None

        return self._list(name, one, most=most, needed=needed)

    def inner(self, name: str) -> "Fields | None":
        """Return an object within this one; None, and a fault noted, where there is none."""
        value = self._get(name)
        path = f"{self.path}.{name}" if self.path else name
        if value is None:
            self.wrong(name, MISSING)
            return None
        return Fields(value, path, self.errors) if _is_object(self, value, path) else None

    def nothing_else(self) -> None:
        """Refuse fields that nobody reads: a slip of the pen would go unnoticed."""
        for name in self.raw.keys() - self._known:
            self.wrong(str(name), "is not a field of this.")

    def _get(self, name: str) -> Any:
        self._known.add(name)
        return self.raw.get(name)

    def _list(
        self, name: str, one: Callable[[Any, str], T | None], *, most: int, needed: bool = True
    ) -> list[T]:
        values = self._get(name)
        if values is None and not needed:
            return []
        if not isinstance(values, list) or (needed and not values) or len(values) > most:
            self.wrong(name, f"must be a list of 1 to {most}." if values is not None else MISSING)
            return []
        path = f"{self.path}.{name}" if self.path else name
        read = [one(value, f"{path}[{number}]") for number, value in enumerate(values)]
        return [value for value in read if value is not None]


def _is_object(fields: Fields, value: Any, path: str) -> bool:
    if not isinstance(value, dict):
        fields.errors[path] = "must be an object {…}."
    return isinstance(value, dict)
