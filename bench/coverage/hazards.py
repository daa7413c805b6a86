"""What breaks coverage at the stop, and what other intervals give: docs/statistics.md.

Run from the checkout: python -m bench.coverage.hazards [campaigns a row] [processes]

Balanced weights beside regression, on the same campaigns, with the constants of "overall" and
"edit". Both have the S3 correction and the pull.
"""

import sys
from dataclasses import replace
from typing import Any

from estimation.core.simulation import HTER_LIKE, TERNARY, Marginal, Outcome, Plan, simulate

SEED = 2018
OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43)
EDIT = Plan(HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21)
BUSY = replace(OVERALL, places=50, unevenness=0.0, time_correlation=-0.38)
# The released data's times: between people (sd of the log .70) and within (.77, -.32).
BUSY_AS_RELEASED = replace(BUSY, unevenness=0.70, time_spread=0.77, time_correlation=-0.32)

ESTIMATORS = ("balanced", "regression")
FIGURES = ("covers", "error", "judgments", "worth", "notices")
CONSTANTS: dict[Marginal, dict[str, Any]] = {
    TERNARY: {"balance": 0.16, "person_share": 0.08},
    HTER_LIKE: {"balance": 0.03, "person_share": 0.03},
}
# Balanced weights know the two-way interval only.
INDEPENDENT: dict[str, Any] = {"estimator": "regression", "interval": "iid"}

Row = tuple[str, Plan, float, dict[str, Any]]

INTERVALS: list[Row] = [
    ("ternary", OVERALL, 0.2, {}),
    ("ternary, independent", OVERALL, 0.2, INDEPENDENT),
    ("ternary, independent", OVERALL, 0.15, INDEPENDENT),
    ("ternary, panel", OVERALL, 0.2, {"estimand": "panel"}),
    ("ternary, anytime", OVERALL, 0.2, {"look": "anytime"}),
    ("HTER-like", EDIT, 0.1, {}),
    ("HTER-like, no pseudo-rows", EDIT, 0.15, {"pseudo_rows": False}),
    ("HTER-like, no pseudo-rows", EDIT, 0.1, {"pseudo_rows": False}),
]
DRAINS: list[Row] = [
    ("50 busy, at once", BUSY, 0.25, {"report": "at_once"}),
    ("50 busy, drained", BUSY, 0.25, {}),
    ("50 busy, at once", BUSY, 0.2, {"report": "at_once"}),
    ("50 busy, drained", BUSY, 0.2, {}),
    ("50 busy, released times, at once", BUSY_AS_RELEASED, 0.25, {"report": "at_once"}),
    ("50 busy, released times, drained", BUSY_AS_RELEASED, 0.25, {}),
]
SPILLS: list[Row] = [
    (
        f"spill, {share:.0%} shared, quality {quality}",
        replace(OVERALL, shared=share, shared_quality=quality),
        0.2,
        {"report": "spill"},
    )
    for share in (0.1, 0.2)
    for quality in (0.0, 0.2, 0.3)
]
LENIENCIES: list[Row] = [
    (
        f"leniency {link}, people count {weighing}",
        replace(OVERALL, leniency=link),
        0.2,
        {"weighing": weighing},
    )
    for link in (0.0, 0.32, 0.45)
    for weighing in ("work", "equal")
]


def line(row: Row, replicates: int, processes: int) -> str:
    """One row of figures: those of balanced weights, then those of regression."""
    name, plan, width, options = row
    cells = [name, str(width)]
    for estimator in ESTIMATORS:
        if options.get("estimator", estimator) != estimator:
            cells += ["–"] * len(FIGURES)
            continue
        found = simulate(
            plan,
            target_width=width,
            level=0.95,
            replicates=replicates,
            seed=SEED,
            processes=processes,
            **(CONSTANTS[plan.marginal] | options | {"estimator": estimator}),
        )
        cells += figures(found)
    return f"| {' | '.join(cells)} |"


def figures(found: Outcome) -> list[str]:
    """What FIGURES names."""
    stopped = "" if found.stopped == found.replicates else f", {found.stop_share:.1%} stop"
    return [
        f"{found.coverage:.3f}",
        f"{found.mean_error:+.3f}".replace("-", "−"),
        f"{found.mean_judgments:,.0f}{stopped}",
        f"{found.mean_effective_annotators:.0f}",
        f"{found.activity_notices / max(1, found.stopped):.2f}",
    ]


def main() -> None:
    """Print one row of figures for each scenario."""
    given = [int(word) for word in sys.argv[1:]]
    replicates, processes = (given + [1000, 2][len(given) :])[:2]
    print(f"seed {SEED}, {replicates} campaigns a row, level .95, checked after every judgment")
    columns = [f"{name}: {figure}" for name in ESTIMATORS for figure in FIGURES]
    for title, rows in (("intervals", INTERVALS), ("hazards", DRAINS + SPILLS + LENIENCIES)):
        print(f"\n| {title} | width | {' | '.join(columns)} |")
        print("|---" * (2 + len(columns)) + "|")
        for row in rows:
            print(line(row, replicates, processes), flush=True)


if __name__ == "__main__":
    main()
