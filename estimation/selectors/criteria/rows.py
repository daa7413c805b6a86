"""All systems on one criterion: a row of the dashboard."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.campaigns.progress import ItemCounts
from estimation.selectors import weighing
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.criteria.forest import Forest, forest
from estimation.selectors.history import Newest

NO_ITEMS: Mapping[int, ItemCounts] = MappingProxyType({})
NO_PLACES: Mapping[tuple[str, str], str] = MappingProxyType({})


@dataclass(frozen=True)
class CriterionRow:
    """All systems on one criterion, plotted on one scale."""

    criterion: Criterion
    target: float | None
    cells: tuple[ShownCell, ...]
    is_primary: bool = False

    @cached_property
    def forest(self) -> Forest | None:
        """Return all systems as one picture; None where there are few."""
        return forest(self.cells)

    @property
    def newest_id(self) -> int | None:
        """Return the id of the row's newest estimate, for permanent addresses of the plots."""
        return max((cell.row.id for cell in self.cells if cell.row), default=None)

    @property
    def weighing(self) -> str:
        """What one person's share of these estimates is; "" before the first."""
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
) -> tuple[CriterionRow, ...]:
    """Return one row for each criterion, the primary ones first.

    items: of each system without an estimate.
    places: in a ranking, by criterion and system.
    """
    found = {(row.system_id, row.criterion): row for row in newest}
    targets, primary = facts.targets, facts.primary
    others = [criterion for criterion in facts.criteria if criterion not in primary]
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
                    final=facts.is_final,
                    place=places.get((criterion.name, system.name), ""),
                )
                for system in facts.systems
            ),
            is_primary=criterion in primary,
        )
        for criterion in (*primary, *others)
    )
