"""The results as markdown tables, docs/coverage.md.

Run from the checkout: python -m bench.coverage.tables
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.coverage import metrics
from bench.coverage.cells import Cell
from bench.coverage.intervals import BALANCED, ENDLESS, REGRESSION, RELEASED
from bench.coverage.results import Row, Tally, read, rows_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
SLACK = 0.005  # below the level: the claim at the stop is .945 at 95 %
CENSUS_CLAIM = 0.935

HEAD = """# Coverage, simulated

`python -m bench.coverage {campaigns}` draws these campaigns and writes `docs/coverage.json` \
(seed {seed}, {campaigns:,} campaigns a cell, {rate:.0f} campaigns a second, or {per_unit:.0f} in the \
time of the bench's fixed work, `bench/unit.py`); `python -m bench.coverage.tables` writes this page from it.

The simulator computes many campaigns at once and has formulas of its own; \
`tests/core/simulation/test_batch.py` compares it with the engine.
"""

STOPPING = """
## At the stop

A campaign stops at the first look at which its interval is as narrow as asked; looks are every \
five judgments, from 30 items on (50 for HTER) and with at least 5 effective annotators. Coverage \
is the share of stopped campaigns whose interval holds the mean over the N outputs of the expected \
score over people. Ranges are two standard errors.

- **0.1.0**: regression as released: without S3 correction, without pull, with the finite-population correction of then.
- **regression**: with S3 correction, pull and the guarded finite-population correction.
- **balanced**: the same with balanced weights.

People work at the same time in the number given, log activity has the sd given; a new person \
replaces one who reaches the cap, except in a pool. "Doubles" is the share of outputs judged \
twice, ρ the correlation of the metric, "people" the share of people in the variance of scores. \
`*`: coverage is below {claim} by more than two standard errors. \
Where not all campaigns stop, the share that does is given; coverage and judgments are of those.
"""

CENSUS = """
## Small populations

A fixed number of judgments: those of the first outputs, as many as given, of N. `*`: coverage is below \
{claim} by more than two standard errors. "Own": the share of intervals that contain their own estimate.
"""


def page(results: dict[str, Any]) -> str:
    """The page's text."""
    stopping, census = rows_of(results["stopping"]), rows_of(results["census"])
    return "\n".join(
        [
            HEAD.format(**results),
            STOPPING.format(claim="the level less .005").lstrip("\n"),
            table(_STOPPING, stopping),
            CENSUS.format(claim=f"{CENSUS_CLAIM:.3f}"[1:]),
            table(_CENSUS, census),
            "",
            _of_metrics(),
        ]
    )


METRICS = """## Metrics of every kind

`python -m bench.coverage.metrics CAMPAIGNS` draws these campaigns and writes `docs/coverage_metrics.json` (seed {seed}; \
*n* is the number of campaigns of a row; balanced weights, level .95, 40 people at work, a quarter judged twice, and the widths \
of the rows above with the same scores; preferences: width .2, a fifth of the scale's five levels). The rules of a row see the same \
campaigns. *Raw*: the values themselves. *Winsorised*: cut at four robust standard deviations about the median. *Ranks*: \
`normal_scores`, for preferences `signed_scores`, the rule of campaigns ([how metrics enter](statistics.md#how-metrics-enter)). \
`*`: coverage is below .945 by more than two standard errors. Cauchy noise says nothing about the output; loops are mostly bad \
outputs; a calibrated metric is the expected score. `tests/core/test_gates_of_metrics.py` holds ranks to .945 on 1,000 campaigns a cell.
"""


def _of_metrics() -> str:
    results = read(metrics.FILE)
    names = ("raw", "winsorised", "ranks")
    heads = [f"{name} covers" for name in names] + [f"{name} takes" for name in names]
    lines = [f"| {' | '.join(['scores', 'metric', 'n', *heads])} |", "|" + "---|" * 9]
    for row in results["rows"]:
        found = [
            row["rules"].get(rule)
            for rule in ("raw", "winsorised", metrics.rules_of(row["scores"])[2])
        ]
        cells = [*(_covers(one, row["campaigns"]) for one in found), *_takes(found)]
        lines.append(
            f"| {' | '.join([row['scores'], row['kind'], str(row['campaigns']), *cells])} |"
        )
    return "\n".join([METRICS.format(**results), *lines, ""])


def _covers(one: Sequence[float] | None, campaigns: int) -> str:
    if one is None:
        return "–"
    error = (one[0] * (1 - one[0]) / campaigns) ** 0.5
    return f"{_share(one[0])}{'*' if one[0] + 2 * error < 1 - SLACK - 0.05 else ''}"


def _takes(found: Sequence[Sequence[float] | None]) -> list[str]:
    raw = found[0]
    told = []
    for one in found:
        ratio_of = f" ({one[1] / raw[1]:.2f})" if one and raw and one is not raw else ""
        told.append(f"{one[1]:.0f}{ratio_of}" if one else "–")
    return told


Columns = dict[str, Callable[[int, Row], str]]


def table(columns: Columns, rows: Sequence[Row]) -> str:
    """A markdown table."""
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    for number, row in enumerate(rows, 1):
        cells = (column(number, row) for column in columns.values())
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def falls_short(found: Tally, claim: float) -> bool:
    """Whether coverage is below the claim by more than two standard errors."""
    return found.coverage + 2 * found.coverage_error < claim


def claim_of(cell: Cell) -> float:
    """What is claimed at the stop."""
    return cell.level - SLACK


def _coverage(name: str, claim: Callable[[Cell], float]) -> Callable[[int, Row], str]:
    def cell(_: int, row: Row) -> str:
        found = row.tallies[name]
        short = "*" if falls_short(found, claim(row.cell)) else ""
        return f"{_share(found.coverage)} ± {_share(2 * found.coverage_error)}{short}"

    return cell


def _judgments(name: str) -> Callable[[int, Row], str]:
    def cell(_: int, row: Row) -> str:
        found = row.tallies[name]
        text = f"{found.judgments:.0f}"
        if name != RELEASED.name:
            text += f" ({found.judgments / row.tallies[RELEASED.name].judgments:.2f})"
        return text if found.stop_share >= 0.995 else f"{text}, {found.stop_share:.0%} stop"

    return cell


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _person(_: int, row: Row) -> str:
    person = row.cell.criterion.person if row.cell.person is None else row.cell.person
    return "none" if person == 0 else f"{person:.2f}".removeprefix("0")


_CELL: Columns = {
    "": lambda number, _: str(number),
    "scores": lambda _, row: row.cell.scores,
    "crowd": lambda _, row: row.cell.crowd,
    "doubles": lambda _, row: f"{row.cell.doubles:.0%}",
    "people": _person,
    "N": lambda _, row: f"{row.cell.outputs:,}",
}
_STOPPING: Columns = {
    **_CELL,
    "cap": lambda _, row: str(row.cell.cap or "none"),
    "ρ": lambda _, row: f"{row.cell.rho:g}",
    "level, width": lambda _, row: f"{row.cell.level:.2f}, {row.cell.width:g}",
    "0.1.0 covers": _coverage(RELEASED.name, claim_of),
    "regression": _coverage(REGRESSION.name, claim_of),
    "balanced": _coverage(BALANCED.name, claim_of),
    "0.1.0 takes": _judgments(RELEASED.name),
    "regression takes": _judgments(REGRESSION.name),
    "balanced takes": _judgments(BALANCED.name),
}


def _census_claim(_: Cell) -> float:
    return CENSUS_CLAIM


def _own(_: int, row: Row) -> str:
    shares = (row.tallies[way.name] for way in (RELEASED, REGRESSION, BALANCED))
    return " / ".join(_share(found.own / found.campaigns) for found in shares)


_CENSUS: Columns = {
    **_CELL,
    "judged": lambda _, row: f"{row.cell.judged:.0%}",
    "0.1.0 covers": _coverage(RELEASED.name, _census_claim),
    "0.1.0, N endless": _coverage(ENDLESS.name, _census_claim),
    "regression": _coverage(REGRESSION.name, _census_claim),
    "balanced": _coverage(BALANCED.name, _census_claim),
    "own: 0.1.0 / regression / balanced": _own,
}


if __name__ == "__main__":
    PAGE.write_text(page(read()), encoding="utf-8")
