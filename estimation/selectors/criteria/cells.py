"""One system × criterion as readers see it: its numbers, and its state in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import ListedSystem
from annotate.text import figures
from annotate.text.figures import many, number
from estimation.core import MIN_EFFECTIVE_ANNOTATORS
from estimation.selectors import savings, shown, weighing
from estimation.selectors.history import Newest
from estimation.selectors.savings import Saving
from estimation.selectors.shown import Awaited


@dataclass(frozen=True)
class ShownNotice:
    """A notice for readers, and the cells that it concerns."""

    text: str
    about: tuple[str, ...]


LEAST_SHARE = 0.005  # of the squared error; smaller shares are rounding


@dataclass(frozen=True)
class State:
    """A kind, for icon and colour, and the word with the meaning."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class ShownCell:
    """One system × criterion; `row` is None before its first estimate.

    judged, population: items of the system; used until there is a row with these numbers.
    decision: in a ranking, about a pair that is judged side by side.
    """

    system: ListedSystem
    criterion: Criterion
    target: float | None
    row: Newest | None
    price: Decimal  # of one judgment, with the fee
    judged: int = 0
    population: int | None = None
    final: bool = False
    place: str = ""  # in a ranking: among the systems, such as 2–3
    gauge_to: float = 0.0  # the width at the right end of every gauge of the criterion
    decision: State | None = None

    @property
    def name(self) -> str:
        return f"{self.system.name}, {self.criterion.name}"

    @property
    def at_target(self) -> bool:
        return self.row is not None and bool(self.row.detail.get("at_target"))

    @property
    def off_scale(self) -> bool:
        """Return whether the estimate or its centre is wrong, because it lies off the scale."""
        return self.row is not None and off_scale(self.row.detail)

    @property
    def awaited(self) -> Awaited | None:
        """Return why no number is shown; None if one is."""
        n = self.row.n_items if self.row else self.judged
        needed = shown.least(self.row.n_population if self.row else self.population)
        if self.row and n >= needed:
            return None
        return Awaited("Estimates", ("judged item", "judged items"), n, needed, self.final)

    @property
    def shown(self) -> Newest | None:
        """Return the estimate, if it rests on enough items to be shown."""
        return None if self.awaited else self.row

    @property
    def too_wide(self) -> float | None:
        """Return by how much the interval exceeds its target; None without both."""
        if self.target is None or self.width is None:
            return None
        return self.width - self.target if self.width > self.target else None

    @property
    def width(self) -> float | None:
        """Return the width that is compared with the target, at most the width of the scale."""
        if self.row is None or self.row.width is None:
            return None
        if self.off_scale:
            return self.row.width
        return min(self.row.width, shown.span(self.criterion))

    @property
    def low(self) -> float | None:
        return self.clipped(self.row.low) if self.row else None

    @property
    def high(self) -> float | None:
        return self.clipped(self.row.high) if self.row else None

    @property
    def width_shown(self) -> float | None:
        """Return the distance from `low` to `high`."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def cut(self) -> str:
        """Return a note if part of the interval lies beyond the scale, otherwise ""."""
        if self.row is None or (self.low, self.high) == (self.row.low, self.row.high):
            return ""
        whole, said = self.row.width, "The interval is cut to the scale."
        if self.target is None or whole is None or whole > shown.span(self.criterion):
            return said
        return f"{said} Collection stops by its whole width, {figures.width(whole)}."

    @property
    def saving(self) -> Saving:
        return savings.of_estimate(self.row, price=self.price) if self.row else savings.NO_INTERVAL

    @property
    def verdict(self) -> str:
        return str(self.row.detail.get("verdict", "")) if self.row else ""

    @property
    def _yet(self) -> str:
        return "" if self.final else " yet"

    @cached_property
    def state(self) -> State:
        if self.awaited or self.row is None:
            return State("", "clock", f"no estimate{self._yet}")
        if self.off_scale:
            return State("bad", "warning", "off the scale")
        if self.row.width is None:
            return State("", "clock", f"no interval{self._yet}")
        if self.decision:
            return self.decision
        if self.place:
            return State("", "info", f"place {self.place}")
        if self.target is None:
            return State("", "info", "no target")
        if self.at_target:
            return State("good", "check", "at target")
        if self.too_wide is not None:
            return State("warn", "warning", f"{figures.width(self.too_wide)} too wide")
        few_people = self.row.effective_annotators < MIN_EFFECTIVE_ANNOTATORS
        return State("", "clock", "too few people" if few_people else "too few items")

    @property
    def parts(self) -> str:
        """Return the sources of the squared error, such as `items 31 %, people 69 %`."""
        shares = self.row.detail.get("parts", {}) if self.row and self.row.width is not None else {}
        names = (("item", "items"), ("annotator", "people"), ("rest", "rest"))
        known = [(word, shares.get(name, 0.0)) for name, word in names]
        return ", ".join(
            f"{word} {figures.percent(share)}" for word, share in known if share >= 0.005
        )

    @property
    def evidence(self) -> str:
        """Return the basis of the estimate: `1 judgment of 1 item by 1 person`."""
        if self.row is None:
            return ""
        groups = self.row.detail.get("groups")
        among = f" in {many(groups[0], 'group')}" if groups else ""
        return (
            f"{many(self.row.n_judgments, 'judgment')} of {many(self.row.n_items, 'item')}{among} "
            f"by {many(self.row.n_annotators, 'person', 'people')}"
        )

    @property
    def other_mean(self) -> str:
        """The mean with people weighted otherwise."""
        return weighing.other_mean(self.row.detail) if self.row else ""

    @property
    def sign(self) -> State:
        """Return the state without its numbers, for the sign next to the width."""
        if self.state.kind == "warn" and self.too_wide is not None:
            return State("warn", "warning", "too wide")
        return self.state

    @property
    def gauge_end(self) -> float:
        """Return the width at the gauge's right end: 1.5 times the target, or the width itself."""
        own = max(1.5 * (self.target or 0.0), 1.05 * (self.width or 0.0)) or 1.0
        return max(own, self.gauge_to)

    @property
    def gauge_fill(self) -> str:
        return f"{100 * (self.width or 0.0) / self.gauge_end:.1f}"

    @property
    def gauge_tick(self) -> str:
        return f"{100 * (self.target or 0.0) / self.gauge_end:.1f}"

    @property
    def alternative(self) -> str:
        """Return the plot's content in words, for people who do not see it."""
        if self.row is None or self.row.width is None:
            return f"{self.name}: no interval{self._yet}."
        goal = f"; its target is {figures.width(self.target)}" if self.target else ""
        return (
            f"{self.name}: after {many(self.row.n_judgments, 'judgment')} the estimate is "
            f"{number(self.row.estimate)} with an interval from {number(self.low)} to "
            f"{number(self.high)}, {figures.width(self.width_shown)} wide{goal}."
        )

    def clipped(self, value: float | None) -> float | None:
        """Cut to the scale, for display only; the stopping rule uses the whole width.

        What is off the scale is shown as it is: cut, it would look exact.
        """
        if self.off_scale:
            return value
        return shown.of_scale(self.criterion, self.row.estimate if self.row else None).cut(value)


def off_scale(detail: Mapping[str, Any]) -> bool:
    """Return whether an estimate lies off the scale, by its details."""
    return any(notice["code"] == "off_scale" for notice in detail.get("notices", ()))


def notices_of(cells: Sequence[ShownCell]) -> tuple[ShownNotice, ...]:
    """Return the notices of these cells, each sentence once."""
    about: dict[str, list[str]] = {}
    for cell in cells:
        for notice in cell.shown.detail.get("notices", []) if cell.shown else []:
            about.setdefault(notice["text"], []).append(cell.name)
    everywhere = sum(cell.shown is not None for cell in cells)
    return tuple(
        ShownNotice(text, () if len(names) == everywhere else tuple(names))
        for text, names in about.items()
    )
