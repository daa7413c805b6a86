"""Recognises the fields of a record by their names and common alternatives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

REQUIRED = ("item", "system", "output")
OPTIONAL = ("reference", "input", "paragraphs", "group", "metrics")
FIELDS = REQUIRED + OPTIONAL
METRIC = "metrics."  # the prefix of a column that holds a metric
MOST_UNKNOWN = 50  # unknown names that are reported; a file may have a new one on every line
MOST_SHAPES = 100
MOST_FIELDS = 1000  # per record
SHOWN = 60  # characters of a name that comes from the file
LONGEST_COLUMN = 200  # characters of a name that somebody types

_USUAL = {
    "item": "itemid itemkey id docid documentid articleid exampleid sampleid sourceid questionid "
    "qid promptid segmentid segid index key",
    "system": "systemid systemname model modelid modelname engine",
    "output": "outputtext systemoutput modeloutput generated generatedtext generation generations "
    "summary answer response prediction predicted hypothesis candidate completion translation",
    "reference": "references ref referencetext gold goldsummary goldanswer target groundtruth",
    "input": "inputtext source sourcetext src document article question query prompt context",
    "paragraphs": "passages",
    "group": "groupid cluster clusterid dialogueid dialogid conversationid threadid",
    "metrics": "scores",
}
USUAL = {alias: name for name, aliases in _USUAL.items() for alias in aliases.split()}


class AmbiguousError(ValueError):
    """Several fields could be the same required one."""


@dataclass(frozen=True)
class Shape:
    """The field names of one record: known names by the file's names, and unknown ones."""

    ours: Mapping[str, str]
    unknown: tuple[str, ...]


@dataclass
class FieldNames:
    """Sorts the fields of records and collects the messages about their names.

    named: which column is which, by our names, where somebody said so.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    read_as: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    unclear: dict[str, tuple[str, ...]] = field(default_factory=dict)  # optional field -> names
    _shapes: dict[tuple[str, ...], Shape] = field(default_factory=dict)

    def sort(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the known fields under our names, and the unknown ones.

        Raises `AmbiguousError` where several fields could be the same required one.
        """
        names = tuple(record)
        shape = self._shapes.get(names)
        if shape is None:
            shape = self._remember(names)
        known = {ours: record[theirs] for theirs, ours in shape.ours.items()}
        return known, {name: record[name] for name in shape.unknown}

    def _remember(self, names: tuple[str, ...]) -> Shape:
        if len(self._shapes) >= MOST_SHAPES:
            self._shapes.clear()
        shape = self._shapes[names] = self._shape(names)
        return shape

    def _shape(self, names: tuple[str, ...]) -> Shape:
        ours: dict[str, str] = {}
        for wanted in FIELDS:
            found = self.candidates(wanted, names)
            if len(found) == 1:
                ours[found[0]] = wanted
            elif found and wanted in REQUIRED:
                both = " and ".join(f"“{shown(name)}”" for name in found)
                raise AmbiguousError(
                    f"{both} could each be the {wanted}. Rename the one that you mean to "
                    f"“{wanted}”."
                )
            elif found:
                self.unclear[wanted] = found
        self.read_as |= {theirs: name for theirs, name in ours.items() if theirs != name}
        unknown = tuple(name for name in names if name not in ours)
        for name in unknown:
            if len(self.unknown) < MOST_UNKNOWN and not name.startswith(METRIC):
                self.unknown[name] = None
        return Shape(ours, unknown)

    def candidates(self, wanted: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that may mean this field: the named one, or its own and usual ones."""
        if wanted in self.named:
            return tuple(name for name in names if name == self.named[wanted])
        taken = set(self.named.values())
        return _candidates(wanted, [name for name in names if name not in taken])

    def means_something(self, names: Iterable[str]) -> int:
        """Return how many of our fields these names stand for."""
        names = tuple(names)
        return sum(bool(self.candidates(wanted, names)) for wanted in FIELDS)


def _candidates(wanted: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that may mean this field: its own in any spelling, before the usual ones."""
    names = tuple(names)
    if wanted in names:
        return (wanted,)
    alike = tuple(name for name in names if folded(name) == wanted)
    return alike or tuple(name for name in names if USUAL.get(folded(name)) == wanted)


def folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def usual_names() -> dict[str, list[str]]:
    """Return the names, folded, that are understood for each of our fields."""
    return {name: [name, *_USUAL.get(name, "").split()] for name in FIELDS}


def looks_like(wanted: str, names: Iterable[str]) -> str:
    """Return the name that may be a misspelling of `wanted`; "" if there is none."""
    return next(iter(get_close_matches(wanted, list(names)[:MOST_UNKNOWN], n=1)), "")


def shown(name: str) -> str:
    """Return a name from a file, shortened and cleaned for use in a sentence."""
    short = name if len(name) <= SHOWN else name[: SHOWN - 1] + "…"
    return short.encode(errors="replace").decode().replace("\0", "?")
