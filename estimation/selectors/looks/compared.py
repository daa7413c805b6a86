"""The rows behind the dashboard's pictures of many systems: estimates, and differences of pairs."""

from collections.abc import Iterator
from decimal import Decimal

from annotate.selectors.campaigns.listing import CampaignFacts
from estimation.selectors import comparisons, history, rankings
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.criteria.contrasts import Adjustment, ContrastTable
from estimation.selectors.criteria.forest import place_of, ranked
from estimation.selectors.criteria.rows import CriterionRow, rows

ESTIMATES = (
    *("system", "place", "estimate", "low", "high", "width", "target"),
    *("items", "judgments", "people"),
)
HISTORY = ("system", "judgments", "width")
DIFFERENCES = ("first", "second", "difference", "low", "high", "items", "told_apart", "adjustment")


def estimates(
    facts: CampaignFacts, criterion: str, adjustment: Adjustment
) -> list[tuple[object, ...]]:
    """Return one row as `ESTIMATES` for each system with an estimate, the best first."""
    newest = history.latest(facts.campaign_id, facts.criterion_names)
    ranked = rankings.rankings(facts, tables := comparisons.tables(facts, adjustment), newest)
    known = rows(facts, newest, price=Decimal(0), places=ranked.places, compared=tables)
    return [line for row in known if row.criterion.name == criterion for line in _lines(row)]


def widths(facts: CampaignFacts, criterion: str) -> list[tuple[object, ...]]:
    """Return one row as `HISTORY` for each kept moment of each system's interval, in its order."""
    names = {system.system_id: system.name for system in facts.systems}
    found = [
        (names[one.system_id], one.n_judgments, one.high - one.low)
        for one in history.points(facts.campaign_id, criterion)
        if one.low is not None and one.high is not None and one.system_id in names
    ]
    return sorted(found, key=lambda row: (row[0], row[1]))


def _lines(row: CriterionRow) -> Iterator[tuple[object, ...]]:
    for cell, estimate in ranked(row.cells):
        yield (cell.system.name, place_of(cell, row.places), estimate, *_numbers(cell))


def _numbers(cell: ShownCell) -> tuple[object, ...]:
    row = cell.row
    assert row is not None
    counts = (row.n_items, row.n_judgments, row.n_annotators)
    return (cell.low, cell.high, cell.width_shown, cell.target, *counts)


def differences(
    facts: CampaignFacts, criterion: str, adjustment: Adjustment
) -> tuple[ContrastTable | None, list[tuple[object, ...]]]:
    """Return the table of a criterion, and one row as `DIFFERENCES` for each of its pairs."""
    tables = comparisons.tables(facts, adjustment)
    table = next((one for one in tables if one.criterion.name == criterion), None)
    if table is None:
        return None, []
    return table, [
        (
            *(*one.pair, one.row.difference, *(one.ends or (None, None)), one.row.n_items),
            *(one.pair in table.told_apart, adjustment),
        )
        for one in table.shown
    ]
