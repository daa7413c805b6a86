"""Names of systems or items that look alike: two names of one thing, as a rule."""

import sqlite3
import unicodedata

from annotate.text.names import UNSEEN

ALIKE = {
    "systems": "SELECT min(name), max(name) FROM system GROUP BY looks(name) HAVING count(*) > 1",
    "items": "SELECT min(key), max(key) FROM item GROUP BY looks(key) HAVING count(*) > 1",
}
MOST = 10  # pairs of a kind that are told


def sentences(db: sqlite3.Connection) -> list[str]:
    """Return a sentence for each two systems, or items, whose names look alike."""
    db.create_function("looks", 1, looks, deterministic=True)
    found: list[str] = []
    for kind, query in ALIKE.items():
        rows = db.execute(query).fetchall()
        found += [
            f"Two {kind} have names that look alike: “{_shown(one)}” and “{_shown(other)}” differ "
            f"only in {_difference(one, other)}."
            for one, other in rows[:MOST]
        ]
        if len(rows) > MOST:
            found.append(f"{len(rows) - MOST:,} more names of {kind} look alike.")
    return found


def looks(name: str) -> str:
    """Return what a reader sees: without case, outer and double blanks, and what is not drawn."""
    return _composed(_drawn(name)).casefold()


def _drawn(name: str) -> str:
    kept = (one for one in name if one not in UNSEEN and unicodedata.category(one) != "Cf")
    return " ".join("".join(kept).split())


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _difference(one: str, other: str) -> str:
    if _composed(one) == _composed(other):
        return "how their accents are coded (NFC and NFD)"
    if _composed(_drawn(one)) == _composed(_drawn(other)):
        return "blanks, or characters that are not drawn"
    if one.casefold() == other.casefold():
        return "capital letters"
    return "capital letters, blanks, or how accents are coded"


def _shown(name: str) -> str:
    """Return a name with marks for what is not seen."""
    text = name if name == _composed(name) else _escaped(name)
    inner = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    text = "·" * start + inner.replace("  ", "··") + "·" * (len(text) - start - len(inner))
    return "".join(_code(one) if _is_unseen(one) else one for one in text)


def _escaped(name: str) -> str:
    return "".join(_code(one) if unicodedata.combining(one) else one for one in name)


def _is_unseen(one: str) -> bool:
    if one in UNSEEN or unicodedata.category(one) in ("Cf", "Cc"):
        return True
    return one.isspace() and one != " "


def _code(one: str) -> str:
    return f"\\u{ord(one):04x}"
