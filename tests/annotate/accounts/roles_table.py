"""The table of docs/roles.md: who sees and does what, at which addresses."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "roles.md"
WHO = ("owner", "collaborator", "reviewer", "viewer", "others", "visitors")
SAID = {"yes", "no", "once closed", "–", "log in"}


@dataclass(frozen=True)
class Right:
    """One row: what each of `WHO` gets at these addresses; `methods` of each, all if empty."""

    what: str
    given: dict[str, str]
    addresses: dict[str, set[str]]


def rights() -> list[Right]:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    head, *body = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert tuple(head[1:-1]) == WHO
    return [_right(cells) for cells in body]


def _right(cells: list[str]) -> Right:
    what, *given, named = cells
    assert set(given) <= SAID, what
    addresses: dict[str, set[str]] = {}
    for one in re.findall(r"`([^`]+)`", named):
        *method, name = one.split()
        addresses.setdefault(name, set()).update(word.lower() for word in method)
    return Right(what, dict(zip(WHO, given, strict=True)), addresses)


def rows_of(method: str, name: str) -> list[Right]:
    """Return the rows that speak of this method at this address: there should be one."""
    asked = [right for right in rights() if name in right.addresses]
    return [one for one in asked if not one.addresses[name] or method in one.addresses[name]]


def named(who: str, *said: str) -> set[str]:
    """Return the addresses where these people get one of these answers, whatever the method."""
    return {name for one in rights() if one.given[who] in said for name in one.addresses}
