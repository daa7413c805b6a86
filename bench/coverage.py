"""Coverage of the stopping intervals, the figures in docs/statistics.md.

Run from the checkout: python -m bench.coverage [campaigns a row] [processes]
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from estimation.core.simulation import BINARY, HTER_LIKE, TERNARY, Plan, simulate

SEED = 2018
OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43)
GOOD = replace(OVERALL, marginal=BINARY)
EDIT = Plan(HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21)
BUSY = replace(OVERALL, places=50, unevenness=0.0, time_correlation=-0.38)
# The released data's times: between people (sd of the log .70) and within (.77, -.32).
BUSY_AS_RELEASED = replace(BUSY, unevenness=0.70, time_spread=0.77, time_correlation=-0.32)

Row = tuple[str, Plan, float, dict[str, Any]]

INTERVALS: list[Row] = [
    ("ternary", OVERALL, 0.2, {}),
    ("ternary", OVERALL, 0.15, {}),
    ("ternary, people agree", replace(OVERALL, person=0.0), 0.2, {}),
    ("ternary, people agree", replace(OVERALL, person=0.0), 0.15, {}),
    ("ternary, independent", OVERALL, 0.2, {"interval": "iid"}),
    ("ternary, independent", OVERALL, 0.15, {"interval": "iid"}),
    ("ternary, panel", OVERALL, 0.2, {"estimand": "panel"}),
    ("ternary, anytime", OVERALL, 0.2, {"look": "anytime"}),
    ("binary .9", GOOD, 0.15, {}),
    ("binary .9, people agree", replace(GOOD, person=0.0), 0.15, {}),
    ("HTER-like", EDIT, 0.15, {}),
    ("HTER-like", EDIT, 0.1, {}),
    ("HTER-like, people agree", replace(EDIT, person=0.0), 0.1, {}),
    ("HTER-like, no pseudo-rows", EDIT, 0.15, {"pseudo_rows": False}),
    ("HTER-like, no pseudo-rows", EDIT, 0.1, {"pseudo_rows": False}),
]
CROWDS: dict[str, Plan] = {
    "130 at work, uneven (default)": OVERALL,
    "130 at work, even": replace(OVERALL, unevenness=0.0),
    "60 at work, uneven": replace(OVERALL, places=60),
    "60 at work, even": replace(OVERALL, places=60, unevenness=0.0),
    "10 at work, even": replace(OVERALL, places=10, unevenness=0.0),
    "300 people, not replaced, uneven": replace(OVERALL, places=300, replaced=False),
    "300 people, not replaced, sd 2": replace(OVERALL, places=300, replaced=False, unevenness=2.0),
    "30 at work, stay for 5": replace(OVERALL, places=30, stay=5.0),
}
HAZARDS: list[Row] = [
    ("50 busy, at once", BUSY, 0.25, {"report": "at_once"}),
    ("50 busy, drained", BUSY, 0.25, {}),
    ("50 busy, at once", BUSY, 0.2, {"report": "at_once"}),
    ("50 busy, drained", BUSY, 0.2, {}),
    ("50 busy, released times, at once", BUSY_AS_RELEASED, 0.25, {"report": "at_once"}),
    ("50 busy, released times, drained", BUSY_AS_RELEASED, 0.25, {}),
    *(
        (
            f"spill, {share:.0%} shared, quality {quality}",
            replace(OVERALL, shared=share, shared_quality=quality),
            0.2,
            {"report": "spill"},
        )
        for share in (0.1, 0.2)
        for quality in (0.0, 0.2, 0.3)
    ),
    *(
        (
            f"leniency {link}, people count {weighing}",
            replace(OVERALL, leniency=link),
            0.2,
            {"weighing": weighing},
        )
        for link in (0.0, 0.32, 0.45)
        for weighing in ("work", "equal")
    ),
]


def crowds() -> Iterator[Row]:
    """Every crowd under every cap."""
    for name, plan in CROWDS.items():
        for cap in (10, 25, None):
            for width in (0.2, 0.15):
                yield f"{name}; cap {cap or 'none'}", replace(plan, cap=cap), width, {}


def main() -> None:
    """Print one row of figures for each scenario."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {replicates} campaigns a row, level .95, checked after every judgment")
    for title, rows in (("intervals", INTERVALS), ("crowds", crowds()), ("hazards", HAZARDS)):
        print(f"\n| {title} | width | coverage | judgments | people (worth) | stopped | notices |")
        print("|---|---|---|---|---|---|---|")
        for name, plan, width, options in rows:
            found = simulate(
                plan,
                target_width=width,
                level=0.95,
                replicates=replicates,
                seed=SEED,
                processes=processes,
                **options,
            )
            told = found.activity_notices / max(1, found.stopped)
            print(
                f"| {name} | {width} | {found.coverage:.3f} | {found.mean_judgments:.0f} "
                f"| {found.mean_annotators:.0f} ({found.mean_effective_annotators:.0f}) "
                f"| {found.stop_share:.2f} | {told:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
