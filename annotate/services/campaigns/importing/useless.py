"""Which numbers of a sheet save no judgments: they cannot tell the outputs of a system apart."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from estimation.metrics import METRICS, Metric

MOST_TEXTS = 20_000  # in larger files nothing is said of computed metrics: this takes a second
BLOCK = 200  # texts that are scored before the values are compared again
FEW = 8  # fewer rows or items than this may be in the order of a score by chance
# Those that a new campaign chooses by itself; each needs the text alone.
CHOSEN = [one for one in METRICS.values() if one.efficiency and one.needs == "nothing"]


class Useless(StrEnum):
    """The reason why a column of numbers saves nothing. The first that holds is reported."""

    SAME = "same"  # for every output
    OF_SYSTEM = "of_system"  # for all outputs of a system: each system has its own estimate
    NUMBERS_ROWS = "numbers_rows"
    NUMBERS_ITEMS = "numbers_items"


class Reasons:
    """Reasons why numbers may be useless, by the rows read so far."""

    def __init__(self) -> None:
        self._possible: dict[str, set[Useless]] = {}
        self._expected: dict[tuple[str, Useless, int], float] = {}
        self._n_rows = self._n_items = self._n_systems = 0

    def take(self, row: int, item: int, system: int, values: Mapping[str, float]) -> None:
        """Take up a row with its numbers by name.

        row, item, system: each from 1, in the order in which the sheet names them first.
        """
        self._n_rows += 1
        self._n_items, self._n_systems = max(self._n_items, item), max(self._n_systems, system)
        for name, value in values.items():
            still = self._possible.setdefault(name, set(Useless))
            for why in tuple(still):
                place, seen = _expects(why, value, row, item, system)
                if self._expected.setdefault((name, why, place), seen) != seen:
                    still.discard(why)

    def of(self, name: str) -> Useless | None:
        """Return the first reason that holds for all rows, if there are enough of them."""
        sure = {Useless.SAME: True, Useless.OF_SYSTEM: self._n_rows > self._n_systems}
        sure |= {Useless.NUMBERS_ROWS: self._n_rows >= FEW}
        sure |= {Useless.NUMBERS_ITEMS: self._n_items >= FEW}
        return next((why for why in Useless if sure[why] and why in self._possible[name]), None)


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
