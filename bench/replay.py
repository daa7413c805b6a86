"""How many judgments stopping would have saved on the paper's data: writes docs/replay.md.

    .venv/bin/python -m bench.replay FILE [--orders 50] [--checked 4]

Each cell is the median over random orders. The first order of some rows also goes through the real
services (`manage.py replay`), and must stop at the same judgment.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("seq2seq", "pointer", "ml", "ml+rl")
METRIC = "repetition"
WIDTHS = {
    ("overall", "population"): 0.35,
    ("overall", "panel"): 0.20,
    ("edit", "population"): 0.15,
    ("edit", "panel"): 0.10,
}
# What is compared: the estimator of the protocol, and whether it has the metric.
WAYS = {
    "mean": ("regression", False),
    "regression": ("regression", True),
    "balanced": ("balanced", True),
}
Row = tuple[str, tuple[str, str]]
ROWS: list[Row] = list(product(SYSTEMS, WIDTHS))
PAGE = """# Replay of the paper's judgments

How many of the released language-quality judgments would have been enough at a fixed width of the
95 % interval, with the plain mean, with regression on the metric `repetition` (which needs no
reference), and with balanced weights and the same metric, the default.

Over all {n} rows of the table below, how many times as many judgments the first takes as the second:

| | geometric mean | range |
|---|---|---|
{summary}

The rows differ widely. Judgments are replayed in {orders} random orders of the items, all
judgments of an item in turn, as recorded; the rule looks after every judgment and finishes the item
that was begun. Numbers of judgments are medians over the orders; where an order does not reach the
target with all the judgments there are, it counts with all of them, and brackets say how many
orders reached it. The cap per annotator is lifted because the people of 2018 kept none.

`population` speaks for people in general. A few people did most of the work (44 to 50 annotators a
system), and even all judgments leave `overall` over 0.2 wide; so a wide target was chosen for it.
`panel` speaks for exactly those annotators. The columns do not hold the same promise: `mean` and
`regression` are those of campaigns that opened before balanced weights. Their person variance is
not pulled up, so they stop earlier than the same estimators do now ([coverage](coverage.md)). For a
panel nothing is pulled. The three also count people differently ([statistics](statistics.md)).

The metric was chosen before these runs for needing no reference. That repetition correlates with
these judgments was known from this very file, so the table shows what it saves here, not what it
will save elsewhere. For `ml+rl`, whose outputs repeat little, regression saves next to nothing;
balanced weights also save by their weights, and cost some judgments for a panel.

The orders are computed by the library (`extras/replication/orders.py`). The first order of each of
the first {checked} rows also went through the real services with balanced weights (leasing,
submitting, estimating, stopping, draining): {agreed} of {checked} stopped at the same judgment.
Command: `python -m bench.replay FILE --orders {orders}`.

| system | criterion | estimand | width | mean | regression | balanced | mean / regression | mean / balanced | regression / balanced |
|---|---|---|---|---|---|---|---|---|---|
{rows}
"""
PAIRS = (("mean", "regression"), ("mean", "balanced"), ("regression", "balanced"))


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--orders", type=int, default=50)
    parser.add_argument("--checked", type=int, default=4, help="rows through the services, too")
    options = parser.parse_args()
    with ThreadPoolExecutor(1) as pool:
        checked = ROWS[: options.checked]
        real = pool.map(lambda row: services(options.file, row), checked)
        found = stops(options.file, options.orders)
        ends = dict(zip(checked, real, strict=True))
    text = page(found, ends, options.orders)
    (ROOT / "docs" / "replay.md").write_text(text, encoding="utf-8")
    print(text)


def stops(file: Path, orders: int) -> dict[tuple[Row, str], list[Any]]:
    """Return when each order of each row stops, for each way."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from estimation.metrics import score_all
    from extras.replication import released
    from extras.replication.orders import stopped
    from extras.replication.replaying import ReplayQuestion

    release = released.read(file)
    texts = {name: [one.text for one in release.outputs if name in one.systems] for name in SYSTEMS}
    metric = {name: score_all([METRIC], texts[name])[METRIC] for name in SYSTEMS}
    found = {}
    for row, (way, (estimator, corrected)) in product(ROWS, WAYS.items()):
        system, (criterion, estimand) = row
        width = WIDTHS[criterion, estimand]
        found[row, way] = [
            stopped(
                release,
                ReplayQuestion(
                    system, criterion, width, estimand=estimand, seed=seed, estimator=estimator
                ),
                metric[system] if corrected else None,
            )
            for seed in range(orders)
        ]
        print(row, way, cell(found[row, way]), flush=True)
    return found


def services(file: Path, row: Row) -> dict[str, Any]:
    """Replay the first order through the real services, with the default estimator."""
    system, (criterion, estimand) = row
    options = {
        "system": system,
        "criterion": criterion,
        "estimand": estimand,
        "width": str(WIDTHS[criterion, estimand]),
        "metric": METRIC,
    }
    asked = [part for name, value in options.items() for part in (f"--{name}", value)]
    command = [sys.executable, str(ROOT / "manage.py"), "replay", str(file), *asked, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    print(row, "services", flush=True)
    return dict(json.loads(done.stdout))


def page(found: dict[tuple[Row, str], list[Any]], real: dict[Row, Any], orders: int) -> str:
    ratios = {
        (row, pair): middle(found[row, pair[0]]) / middle(found[row, pair[1]])
        for row, pair in product(ROWS, PAIRS)
    }
    agreed = sum(real[row]["n_judgments"] == found[row, "balanced"][0].n_judgments for row in real)
    return PAGE.format(
        n=len(ROWS),
        orders=orders,
        agreed=agreed,
        checked=len(real),
        summary="\n".join(summary(pair, [ratios[row, pair] for row in ROWS]) for pair in PAIRS),
        rows="\n".join(line(row, found, [ratios[row, pair] for pair in PAIRS]) for row in ROWS),
    )


def summary(pair: tuple[str, str], ratios: list[float]) -> str:
    first, second = pair
    span = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"| {first} / {second} | {geometric_mean(ratios):.2f} | {span} |"


def line(row: Row, found: dict[tuple[Row, str], list[Any]], ratios: Iterable[float]) -> str:
    system, (criterion, estimand) = row
    cells = (
        system,
        criterion,
        estimand,
        f"{WIDTHS[criterion, estimand]:.2f}",
        *(cell(found[row, way]) for way in WAYS),
        *(f"{ratio:.2f}" for ratio in ratios),
    )
    return f"| {' | '.join(cells)} |"


def middle(runs: list[Any]) -> float:
    return median(run.n_judgments for run in runs)


def cell(runs: list[Any]) -> str:
    reached = sum(run.reached for run in runs)
    number = f"{middle(runs):.0f}"
    return number if reached == len(runs) else f"{number} ({reached}/{len(runs)})"


if __name__ == "__main__":
    main()
