"""The rows of a comparison: every two systems of a file as one, with both their texts.

Where two systems wrote the same text for an item there is nothing to compare, so that pair is left
out: results speak for the pairs whose texts differ.
"""

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol

from annotate.errors import Invalid
from annotate.instruments import pairs
from annotate.services.campaigns.importing.problems import Row
from annotate.services.campaigns.importing.sheet import Sheet


class Source(Protocol):
    """What a campaign is made of: a sheet, or its pairs."""

    def in_order(self) -> "array[int]": ...
    def groups(self) -> list[int]: ...
    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]: ...
    def size_of(self, item: int) -> int: ...


class Pairs:
    """The pairs of a sheet, item by item; an item without any is not one of its items."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._places = {name: place for place, name in enumerate(sheet.systems)}

    def in_order(self) -> "array[int]":
        """Return the numbers of the items with a pair, in the order of their keys."""
        return self._sheet.in_order(differing=True)

    def groups(self) -> list[int]:
        return self._sheet.groups(differing=True)

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        rows = self._sheet.group(item, loose)
        return list(paired(sorted(rows, key=lambda row: self._places[row.system])))

    def size_of(self, item: int) -> int:
        return len(self.group(item))


def paired(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield each two rows of an item as one; a metric is the difference of both."""
    for first, second in combinations(rows, 2):
        if first.output != second.output:
            yield replace(
                first,
                system=pairs.name(first.system, second.system),
                output=pairs.joined(first.output, second.output),
                metrics={
                    name: value - second.metrics[name]
                    for name, value in first.metrics.items()
                    if name in second.metrics
                },
            )


def names(systems: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the pairs of these systems by their names; `Invalid` where two have one name."""
    each = list(combinations(systems, 2))
    found = {pairs.name(*both): both for both in each}
    if len(found) < len(each):
        raise Invalid(
            {
                "instrument": "Two pairs of systems would have the same name, because a system’s "
                f"name contains “{pairs.BETWEEN.strip()}”. Rename that system in the file."
            }
        )
    return found
