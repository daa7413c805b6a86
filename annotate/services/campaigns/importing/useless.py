"""Which numbers of a sheet save no judgments: they cannot tell the outputs of a system apart."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from enum import StrEnum

from estimation.metrics import METRICS, Metric

MOST_TEXTS = 20_000  # in larger files nothing is said of computed metrics: this takes a second
BLOCK = 200  # texts that are scored before the values are compared again
FEW = 8  # fewer rows or items than this may be in the order of a score by chance
# Those that a new campaign chooses by itself; each needs the text alone.
CHOSEN = [one for one in METRICS.values() if one.efficiency and one.needs == "nothing"]
Row = tuple[int, int, int, str | None]


class Useless(StrEnum):
    """Why a column of numbers saves nothing. The first one that holds is told."""

    SAME = "same"  # for every output
    OF_SYSTEM = "of_system"  # for all outputs of a system: each system has its own estimate
    NUMBERS_ROWS = "numbers_rows"
    NUMBERS_ITEMS = "numbers_items"


def useless_columns(rows: Iterable[Row]) -> dict[str, Useless]:
    """Return the names of numbers that save nothing, and why.

    rows: the numbers of the row, its item and its system, each from 1 in the order in which the
        sheet names them first, and a JSON object of the row's values.
    """
    possible: dict[str, set[Useless]] = {}
    expected: dict[tuple[str, Useless, int], float] = {}
    n_rows = n_items = n_systems = 0
    for row, item, system, packed in rows:
        n_rows, n_items, n_systems = n_rows + 1, max(n_items, item), max(n_systems, system)
        for name, value in json.loads(packed or "{}").items():
            still = possible.setdefault(name, set(Useless))
            for why in tuple(still):
                place, seen = _expects(why, value, row, item, system)
                if expected.setdefault((name, why, place), seen) != seen:
                    still.discard(why)
    sure = {Useless.SAME: True, Useless.OF_SYSTEM: n_rows > n_systems}
    sure |= {Useless.NUMBERS_ROWS: n_rows >= FEW, Useless.NUMBERS_ITEMS: n_items >= FEW}
    told = [why for why in Useless if sure[why]]
    found = {name: [why for why in told if why in still] for name, still in possible.items()}
    return {name: why[0] for name, why in found.items() if why}


def _expects(why: Useless, value: float, row: int, item: int, system: int) -> tuple[int, float]:
    """Return what is the same wherever this reason holds, and where that is one place of many."""
    match why:
        case Useless.SAME:
            return 0, value
        case Useless.OF_SYSTEM:
            return system, value
        case Useless.NUMBERS_ROWS:
            return 0, value - row
        case Useless.NUMBERS_ITEMS:
            return 0, value - item


def constant_metrics(db: sqlite3.Connection) -> list[str]:
    """Return the metrics that a new campaign would choose and that are the same for every text.

    A metric is computed only until two of its values differ, and not for very many texts.
    """
    (n_texts,) = db.execute("SELECT count(*) FROM row").fetchone()
    if n_texts > MOST_TEXTS:
        return []
    return [one.name for one in CHOSEN if not _differs(one, _texts(db))]


def _texts(db: sqlite3.Connection) -> Iterator[list[str]]:
    found = db.execute("SELECT output FROM row ORDER BY id")
    while rows := found.fetchmany(BLOCK):
        yield [output for (output,) in rows]


def _differs(metric: Metric, texts: Iterable[list[str]]) -> bool:
    first: float | None = None
    for block in texts:
        scores = metric.score(block)
        first = float(scores[0]) if first is None else first
        if (scores != first).any():
            return True
    return False
