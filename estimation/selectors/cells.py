"""One system × criterion as a reader sees it: its numbers, and its state in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts, ListedSystem
from annotate.selectors.campaigns.progress import ItemCounts
from annotate.text import figures
from annotate.text.figures import many, number
from estimation.core import MIN_EFFECTIVE_ANNOTATORS
from estimation.selectors import savings, shown, weighing
from estimation.selectors.history import Newest
from estimation.selectors.savings import Saving
from estimation.selectors.shown import Awaited


@dataclass(frozen=True)
class ShownNotice:
    """Something a reader must be told, and for which cells."""

    text: str
    about: tuple[str, ...]


LEAST_SHARE = 0.005  # of the squared error: less is rounding
NO_ITEMS: Mapping[int, ItemCounts] = MappingProxyType({})


@dataclass(frozen=True)
class State:
    """A kind for icon and colour, and the word that carries the meaning."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class ShownCell:
    """One system × criterion; `row` is None before its first estimate.

    judged, population: items of the system; used where there is no row that says so.
    """

    system: ListedSystem
    criterion: Criterion
    target: float | None
    row: Newest | None
    price: Decimal  # of one judgment, the fee included
    judged: int = 0
    population: int | None = None
    final: bool = False

    @property
    def name(self) -> str:
        return f"{self.system.name}, {self.criterion.name}"

    @property
    def at_target(self) -> bool:
        return self.row is not None and bool(self.row.detail.get("at_target"))

    @property
    def awaited(self) -> Awaited | None:
        """Why no number is shown; None where it is."""
        n = self.row.n_items if self.row else self.judged
        needed = shown.least(self.row.n_population if self.row else self.population)
        if self.row and n >= needed:
            return None
        return Awaited("Estimates", ("judged item", "judged items"), n, needed, self.final)

    @property
    def shown(self) -> Newest | None:
        """The estimate, once it rests on enough items to be shown."""
        return None if self.awaited else self.row

    @property
    def too_wide(self) -> float | None:
        """By how much the interval exceeds its target; None without both."""
        if self.target is None or self.width is None:
            return None
        return self.width - self.target if self.width > self.target else None

    @property
    def width(self) -> float | None:
        """What the stopping rule compares with the target, but never more than the scale."""
        if self.row is None or self.row.width is None:
            return None
        return min(self.row.width, shown.span(self.criterion))

    @property
    def low(self) -> float | None:
        return self.clipped(self.row.low) if self.row else None

    @property
    def high(self) -> float | None:
        return self.clipped(self.row.high) if self.row else None

    @property
    def width_shown(self) -> float | None:
        """From `low` to `high`."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def cut(self) -> str:
        """What to say where part of the interval lies beyond the scale, else ""."""
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

    @cached_property
    def state(self) -> State:
        if self.awaited or self.row is None:
            return State("", "clock", "no estimate yet")
        if self.row.width is None:
            return State("", "clock", "no interval yet")
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
        """Where the squared error comes from, such as `items 31 %, people 69 %`."""
        shares = self.row.detail.get("parts", {}) if self.row and self.row.width is not None else {}
        names = (("item", "items"), ("annotator", "people"), ("rest", "rest"))
        known = [(word, shares.get(name, 0.0)) for name, word in names]
        return ", ".join(
            f"{word} {figures.percent(share)}" for word, share in known if share >= 0.005
        )

    @property
    def evidence(self) -> str:
        """On what it rests: `1 judgment of 1 item by 1 person`."""
        if self.row is None:
            return ""
        return (
            f"{many(self.row.n_judgments, 'judgment')} of {many(self.row.n_items, 'item')} by "
            f"{many(self.row.n_annotators, 'person', 'people')}"
        )

    @property
    def other_mean(self) -> str:
        """The mean with people weighted otherwise."""
        return weighing.other_mean(self.row.detail) if self.row else ""

    @property
    def gauge_end(self) -> float:
        """The width at the right end of the gauge: half again the target, or the width itself."""
        return max(1.5 * (self.target or 0.0), 1.05 * (self.width or 0.0)) or 1.0

    @property
    def gauge_fill(self) -> str:
        return f"{100 * (self.width or 0.0) / self.gauge_end:.1f}"

    @property
    def gauge_tick(self) -> str:
        return f"{100 * (self.target or 0.0) / self.gauge_end:.1f}"

    @property
    def alternative(self) -> str:
        """What the plot shows, for those who do not see it."""
        if self.row is None or self.row.width is None:
            return f"{self.name}: no interval yet."
        goal = f"; its target is {figures.width(self.target)}" if self.target else ""
        return (
            f"{self.name}: after {many(self.row.n_judgments, 'judgment')} the estimate is "
            f"{number(self.row.estimate)} with an interval from {number(self.low)} to "
            f"{number(self.high)}, {figures.width(self.width_shown)} wide{goal}."
        )

    def clipped(self, value: float | None) -> float | None:
        """Cut to the scale: for display only, the stopping rule sees the whole width."""
        return shown.of_scale(self.criterion, self.row.estimate if self.row else None).cut(value)


@dataclass(frozen=True)
class CriterionRow:
    """All systems on one criterion, drawn on one scale."""

    criterion: Criterion
    target: float | None
    cells: tuple[ShownCell, ...]

    @property
    def newest_id(self) -> int | None:
        """What the plots of this row are drawn up to: their addresses never change meaning."""
        return max((cell.row.id for cell in self.cells if cell.row), default=None)

    @property
    def weighing(self) -> str:
        """What one person's share of these estimates is; "" before the first."""
        return next((weighing.sentence(cell.row.detail) for cell in self.cells if cell.row), "")

    @property
    def is_shown(self) -> bool:
        """Whether any system has an estimate to be shown."""
        return any(cell.shown for cell in self.cells)


def rows(
    facts: CampaignFacts,
    newest: list[Newest],
    *,
    price: Decimal,
    items: Mapping[int, ItemCounts] = NO_ITEMS,
) -> tuple[CriterionRow, ...]:
    """Return one row for each criterion, the primary ones first.

    items: of each system, for those that have no estimate yet.
    """
    found = {(row.system_id, row.criterion): row for row in newest}
    targets = facts.targets
    primary = [c for name in targets for c in facts.criteria if c.name == name]
    others = [c for c in facts.criteria if c.name not in targets]
    return tuple(
        CriterionRow(
            criterion,
            targets.get(criterion.name),
            tuple(
                ShownCell(
                    system,
                    criterion,
                    targets.get(criterion.name),
                    found.get((system.system_id, criterion.name)),
                    price,
                    *items.get(system.system_id, ItemCounts()),
                    facts.is_final,
                )
                for system in facts.systems
            ),
        )
        for criterion in (*primary, *others)
    )
