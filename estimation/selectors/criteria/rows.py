"""All systems on one criterion: a row of the dashboard."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.campaigns.progress import ItemCounts
from estimation.selectors import weighing
from estimation.selectors.criteria.cells import ShownCell, State
from estimation.selectors.criteria.contrasts import ContrastTable
from estimation.selectors.criteria.forest import Forest, forest
from estimation.selectors.history import Newest

NO_ITEMS: Mapping[int, ItemCounts] = MappingProxyType({})
NO_PLACES: Mapping[tuple[str, str], str] = MappingProxyType({})
NO_DECISIONS: Mapping[tuple[str, str], State] = MappingProxyType({})


@dataclass(frozen=True)
class CriterionRow:
    """All systems on one criterion, plotted on one scale."""

    criterion: Criterion
    target: float | None
    cells: tuple[ShownCell, ...]
    is_primary: bool = False
    places: Mapping[str, str] = field(default_factory=dict)  # of systems, by name

    @cached_property
    def forest(self) -> Forest | None:
        """Return all systems as one picture; None where there are few."""
        return forest(self.cells, self.places)

    @property
    def newest_id(self) -> int | None:
        """Return the id of the row's newest estimate, for permanent addresses of the plots."""
        return max((cell.row.id for cell in self.cells if cell.row), default=None)

    @property
    def weighing(self) -> str:
        """The sentence about one person's share of these estimates; "" before the first."""
        return next((weighing.sentence(cell.row.detail) for cell in self.cells if cell.row), "")

    @property
    def is_shown(self) -> bool:
        """Return whether any system has an estimate to be shown."""
        return any(cell.shown for cell in self.cells)


def rows(
    facts: CampaignFacts,
    newest: list[Newest],
    *,
    price: Decimal,
    items: Mapping[int, ItemCounts] = NO_ITEMS,
    places: Mapping[tuple[str, str], str] = NO_PLACES,
    decisions: Mapping[tuple[str, str], State] = NO_DECISIONS,
    compared: Sequence[ContrastTable] = (),
) -> tuple[CriterionRow, ...]:
    """Return one row for each criterion, the primary ones first.

    items: of each system without an estimate.
    places, decisions: in a ranking, by criterion and system (a pair that is judged side by side).
    compared: the differences, which say what places systems can have outside of a ranking.
    """
    standing = {} if facts.is_ranking else {one.criterion.name: one.places for one in compared}
    found = {(row.system_id, row.criterion): row for row in newest}
    targets, primary = facts.targets, facts.primary
    others = [criterion for criterion in facts.criteria if criterion not in primary]
    return tuple(
        CriterionRow(
            criterion,
            targets.get(criterion.name),
            _on_one_scale(
                ShownCell(
                    system,
                    criterion,
                    targets.get(criterion.name),
                    found.get((system.system_id, criterion.name)),
                    price,
                    *items.get(system.system_id, ItemCounts()),
                    final=facts.is_final,
                    place=places.get((criterion.name, system.name), ""),
                    decision=decisions.get((criterion.name, system.name)),
                )
                for system in facts.systems
            ),
            is_primary=criterion in primary,
            places=standing.get(criterion.name, {}),
        )
        for criterion in (*primary, *others)
    )


def _on_one_scale(cells: Iterable[ShownCell]) -> tuple[ShownCell, ...]:
    """Return the cells of a criterion with gauges that end at the same width."""
    mine = tuple(cells)
    end = max((cell.gauge_end for cell in mine if cell.row), default=0.0)
    return tuple(replace(cell, gauge_to=end) for cell in mine)
