"""Coverage of the stopping intervals, the figures in docs/statistics.md.

Run from the checkout: python -m bench.coverage [replicates]
"""

import sys
from dataclasses import replace
from typing import Any

from estimation.core.simulate import BINARY, HTER_LIKE, TERNARY, Plan, simulate

SEED = 2018
OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43)
GOOD = replace(OVERALL, marginal=BINARY)
EDIT = Plan(HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21)

ROWS: list[tuple[str, Plan, float, dict[str, Any]]] = [
    ("ternary, cap 10", replace(OVERALL, cap=10), 0.2, {}),
    ("ternary, cap 10", replace(OVERALL, cap=10), 0.15, {}),
    ("ternary, cap 25", OVERALL, 0.2, {}),
    ("ternary, cap 25", OVERALL, 0.15, {}),
    ("ternary, cap 25, people agree", replace(OVERALL, person=0.0), 0.15, {}),
    ("ternary, cap 25, independent", OVERALL, 0.2, {"interval": "iid"}),
    ("ternary, cap 25, independent", OVERALL, 0.15, {"interval": "iid"}),
    ("binary .9, cap 25", GOOD, 0.15, {}),
    ("binary .9, cap 25, people agree", replace(GOOD, person=0.0), 0.15, {}),
    ("HTER-like, cap 25", EDIT, 0.15, {}),
    ("HTER-like, cap 25", EDIT, 0.1, {}),
    ("HTER-like, cap 25, people agree", replace(EDIT, person=0.0), 0.1, {}),
    ("HTER-like, cap 25, no pseudo-rows", EDIT, 0.15, {"pseudo_rows": False}),
    ("HTER-like, cap 25, no pseudo-rows", EDIT, 0.1, {"pseudo_rows": False}),
]


def main() -> None:
    """Print one row of figures for each scenario."""
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"seed {SEED}, {replicates} campaigns a row, level .95, checked after every judgment\n")
    print("| scores | target width | coverage | mean judgments | stopped |\n|---|---|---|---|---|")
    for name, plan, width, options in ROWS:
        found = simulate(
            plan, target_width=width, level=0.95, replicates=replicates, seed=SEED, **options
        )
        print(
            f"| {name} | {width} | {found.coverage:.3f} | {found.mean_judgments:.0f} "
            f"| {found.stop_share:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
