"""What became of the campaigns of each cell, as numbers that can be kept as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.coverage.cells import Cell
from bench.coverage.running import Endings

FILE = Path(__file__).resolve().parents[2] / "docs" / "coverage.json"


@dataclass(frozen=True, slots=True)
class Tally:
    """One way of estimating in one cell; means are over the campaigns that stopped.

    judgments_sd: over campaigns. error: estimate less truth. own: how many intervals contain
    their own estimate.
    """

    campaigns: int
    stopped: int
    covered: int
    own: int
    judgments: float
    judgments_sd: float
    error: float
    width: float

    @property
    def coverage(self) -> float:
        """The share of stopped campaigns whose interval holds the truth."""
        return self.covered / self.stopped if self.stopped else float("nan")

    @property
    def coverage_error(self) -> float:
        """Its standard error."""
        share = self.coverage
        return float(np.sqrt(share * (1 - share) / self.stopped)) if self.stopped else float("nan")

    @property
    def stop_share(self) -> float:
        """The share of campaigns that stopped."""
        return self.stopped / self.campaigns


def tally(endings: Endings) -> Tally:
    """Count and average."""
    stopped = endings.stopped
    low, high, truth = endings.low[stopped], endings.high[stopped], endings.truth[stopped]
    estimate, judgments = endings.estimate[stopped], endings.judgments[stopped]
    some = bool(stopped.any())
    return Tally(
        campaigns=stopped.size,
        stopped=int(stopped.sum()),
        covered=int(((low <= truth) & (truth <= high)).sum()),
        own=int(((low <= estimate) & (estimate <= high)).sum()),
        judgments=float(judgments.mean()) if some else 0.0,
        judgments_sd=float(judgments.std()) if some else 0.0,
        error=float((estimate - truth).mean()) if some else 0.0,
        width=float((high - low).mean()) if some else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One cell and the tally of each way of estimating, by its name."""

    cell: Cell
    tallies: dict[str, Tally]


def as_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Plain values for JSON."""
    return [
        {
            "cell": asdict(row.cell),
            "ways": {name: _rounded(found) for name, found in row.tallies.items()},
        }
        for row in rows
    ]


def _rounded(found: Tally) -> dict[str, Any]:
    return {
        name: round(value, 5) if isinstance(value, float) else value
        for name, value in asdict(found).items()
    }


def rows_of(data: Sequence[dict[str, Any]]) -> list[Row]:
    """The reverse of `as_data`."""
    return [
        Row(Cell(**row["cell"]), {name: Tally(**found) for name, found in row["ways"].items()})
        for row in data
    ]


def read(path: Path = FILE) -> dict[str, Any]:
    """The kept results."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(results: dict[str, Any], path: Path = FILE) -> None:
    """Keep results, one line a cell."""
    head = {key: value for key, value in results.items() if not isinstance(value, list)}
    parts = [f'"{key}": {json.dumps(value)}' for key, value in head.items()]
    for key, value in results.items():
        if isinstance(value, list):
            lines = ",\n".join(f"  {json.dumps(row)}" for row in value)
            parts.append(f'"{key}": [\n{lines}\n]')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
