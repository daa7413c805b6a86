"""Every primary estimate under stress: with all flags applied, and without those who pull most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotate.text.figures import many, number
from estimation.models import StressTest
from estimation.selectors.criteria.cells import ShownCell


@dataclass(frozen=True)
class Tested:
    """A stress test as it is stored (`services.stress` describes its rows)."""

    rows: Sequence[Mapping[str, Any]] = ()
    judgments: int | None = None
    flagged: int = 0


@dataclass(frozen=True)
class WorstShare:
    """The range of an estimate when at most `people` are left out; see `core.worst_removals`.

    low_anew, high_anew: the estimate computed anew without the people of that end; None if too few
    judgments are left.
    """

    share: float
    people: int
    low: float
    high: float
    low_anew: float | None
    high_anew: float | None


@dataclass(frozen=True)
class StressedEstimate:
    """One system × criterion; `found` is its row of the newest stress test, if it has one."""

    cell: ShownCell
    found: Mapping[str, Any] | None

    @property
    def is_shown(self) -> bool:
        return self.found is not None and self.cell.shown is not None

    @property
    def worst(self) -> tuple[WorstShare, ...]:
        return tuple(WorstShare(**one) for one in self.found["removals"]) if self.found else ()

    @property
    def flagged_people(self) -> int:
        return self.found["flagged"]["people"] if self.found else 0

    @property
    def flagged_judgments(self) -> int:
        return self.found["flagged"]["judgments"] if self.found else 0

    @property
    def unflagged(self) -> Mapping[str, Any] | None:
        """Return the estimate with all flags applied; None if nothing is left of it."""
        return self.found["without_flagged"] if self.found else None

    @property
    def half_width(self) -> float | None:
        if self.found is None or self.found["low"] is None:
            return None
        return float(self.found["high"] - self.found["low"]) / 2

    @property
    def breaks(self) -> WorstShare | None:
        """Return the smallest share that moves the estimate by more than its half-width."""
        half = self.half_width
        if self.found is None or half is None:
            return None
        here = self.found["estimate"]
        return next((w for w in self.worst if max(here - w.low, w.high - here) > half), None)

    @property
    def moved_by_flags(self) -> bool:
        """Return whether all flags applied move the estimate by more than its half-width."""
        half = self.half_width
        if self.found is None or half is None or self.unflagged is None:
            return False
        return bool(abs(self.unflagged["estimate"] - self.found["estimate"]) > half)

    @property
    def rests_on_flags(self) -> bool:
        """Return whether too little is left for an estimate without the flagged work."""
        return bool(self.flagged_people) and self.unflagged is None

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON values."""
        names = ("n_judgments", "people", "estimate", "flagged")
        return {
            "system": self.cell.system.name,
            "criterion": self.cell.criterion.name,
            **{name: self.found[name] if self.found else None for name in names},
            "without_flagged": dict(self.unflagged) if self.unflagged else None,
            "worst": [asdict(one) for one in self.worst],
        }


@dataclass(frozen=True)
class Stress:
    """What the newest stress test says. judgments: those that it rests on; None before it."""

    rows: tuple[StressedEstimate, ...]
    judgments: int | None = None
    flagged: int = 0

    @property
    def is_shown(self) -> bool:
        return any(row.is_shown and row.worst for row in self.rows)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what it says, in sentences."""
        return tuple(self._sentences()) if self.is_shown else ()

    @property
    def tested(self) -> tuple[StressedEstimate, ...]:
        return tuple(row for row in self.rows if row.found)

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "judgments": self.judgments,
            "flagged": self.flagged,
            "estimates": [row.as_data() for row in self.tested],
        }

    def _about_flags(self, shown: list[StressedEstimate]) -> Iterator[str]:
        if not self.flagged:
            yield "No screen has flagged anybody."
            return
        moved = [row.cell.name for row in shown if row.moved_by_flags]
        if moved:
            yield (
                "If all flagged work were left out, these estimates would move by more than the "
                f"half-width of their intervals: {'; '.join(moved)}."
            )
        gone = [row.cell.name for row in shown if row.rests_on_flags]
        if gone:
            yield (
                "If all flagged work were left out, too little would be left for these estimates: "
                f"{'; '.join(gone)}."
            )
        if not moved and not gone:
            people = many(self.flagged, "flagged person", "flagged people")
            yield (
                f"If the work of all {people} were left out, no estimate would move by more than "
                "the half-width of its interval."
            )

    def _sentences(self) -> Iterator[str]:
        shown = [row for row in self.rows if row.is_shown]
        yield from self._about_flags(shown)
        fragile = [row for row in shown if row.breaks and row.breaks.share <= 0.05]
        for row in fragile:
            assert row.breaks is not None
            yield (
                f"{row.cell.name}: leaving out {many(row.breaks.people, 'person', 'people')} could "
                f"move it beyond its interval, to between {number(row.breaks.low)} and "
                f"{number(row.breaks.high)}."
            )


def newest(campaign_id: int) -> Tested:
    """Return the newest stress test; without rows before the first."""
    tests = StressTest.objects.filter(campaign=campaign_id).order_by("-pk")
    row = tests.values_list("rows", "judgments", "flagged").first()
    return Tested(*row) if row else Tested()


def of_cells(cells: Sequence[ShownCell], test: Tested) -> Stress:
    """Return what a stress test says of these cells."""
    by_key = {(row["system"], row["criterion"]): row for row in test.rows}
    rows = (
        StressedEstimate(cell, by_key.get((cell.system.system_id, cell.criterion.name)))
        for cell in cells
    )
    return Stress(tuple(rows), test.judgments, test.flagged)
