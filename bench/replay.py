"""How many judgments stopping would have saved on the paper's data: writes docs/replay.md.

    .venv/bin/python bench/replay.py FILE [--seeds 5] [--processes 2]

Each cell is the median over seeds of `manage.py replay`, which goes through the real services.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("seq2seq", "pointer", "ml", "ml+rl")
WIDTHS = {
    ("overall", "population"): 0.35,
    ("overall", "panel"): 0.20,
    ("edit", "population"): 0.15,
    ("edit", "panel"): 0.10,
}
METRICS = ("none", "repetition")
HEADER = """# Replay of the paper's judgments

How many of the released language-quality judgments would have been enough, with the plain mean
and with control variates (metric `repetition`, which needs no reference), both with Plumbline's
default interval at 95 % and its precision rule. Judgments are replayed in random item order
through the real services (leasing, submitting, estimating, stopping, draining), all judgments of
an item in turn, as recorded; the cap per annotator is lifted because the people of 2018 kept none.

`population` speaks for people in general. A few people did most of the work (44 to 50 annotators a
system are worth 13 to 15 equally busy ones), and even all judgments leave `overall` 0.21 to 0.29
wide; so a wide target was chosen for it. `panel` speaks for exactly those annotators. `exhausted`
means that the target was not reached with all the judgments there are. Medians over {seeds} random orders; in brackets how many
of them reached the target. "Final" is the interval at the stop of the first order; "all data" the
estimate from every judgment of the system.

The metric was chosen before these runs for needing no reference. That repetition correlates with
these judgments was known from this very file, so the table shows what it saves here, not what it
will save elsewhere; for `ml+rl`, whose outputs repeat little, it saves nothing. Command: `python bench/replay.py FILE --seeds {seeds}`.

| system | criterion | estimand | width | judgments, mean | judgments, control variates | saved | final | all data |
|---|---|---|---|---|---|---|---|---|
"""


def replay(file: Path, system: str, criterion: str, estimand: str, metric: str, seed: int) -> dict:
    command = [
        sys.executable,
        str(ROOT / "manage.py"),
        "replay",
        str(file),
        "--system",
        system,
        "--criterion",
        criterion,
        "--width",
        str(WIDTHS[criterion, estimand]),
        "--estimand",
        estimand,
        "--metric",
        metric,
        "--seed",
        str(seed),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


def line(results: dict, system: str, criterion: str, estimand: str, seeds: int) -> str:
    mean, cv = (
        [results[system, criterion, estimand, metric, seed] for seed in range(seeds)]
        for metric in METRICS
    )
    saved = 1 - middle(cv) / middle(mean)
    both = all(r["stopped"] == "target" for r in mean + cv)
    first, everything = cv[0], cv[0]["all_data"]
    cells = (
        system,
        criterion,
        estimand,
        f"{WIDTHS[criterion, estimand]:.2f}",
        cell(mean),
        cell(cv),
        f"{saved:.0%}" if both else "–",
        ends(first),
        ends(everything),
    )
    return f"| {' | '.join(cells)} |"


def middle(runs: list[dict]) -> float:
    return median(run["n_judgments"] for run in runs)


def cell(runs: list[dict]) -> str:
    reached = sum(run["stopped"] == "target" for run in runs)
    if reached == 0:
        return f"exhausted at {middle(runs):.0f}"
    return f"{middle(runs):.0f} ({reached}/{len(runs)})"


def ends(outcome: dict) -> str:
    text = f"{outcome['estimate']:.2f} [{outcome['low']:.2f}, {outcome['high']:.2f}]"
    return text.replace("-", "−")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    jobs = [
        (system, criterion, estimand, metric, seed)
        for system, (criterion, estimand), metric, seed in product(
            SYSTEMS, WIDTHS, METRICS, range(options.seeds)
        )
    ]
    with ThreadPoolExecutor(options.processes) as pool:
        outcomes = pool.map(lambda job: replay(options.file, *job), jobs)
        results = {}
        for job, outcome in zip(jobs, outcomes, strict=True):
            results[job] = outcome
            print(f"{len(results)}/{len(jobs)} {job} {outcome['stopped']} {outcome['n_judgments']}")
    rows = [
        line(results, system, criterion, estimand, options.seeds)
        for system, (criterion, estimand) in product(SYSTEMS, WIDTHS)
    ]
    page = HEADER.format(seeds=options.seeds) + "\n".join(rows) + "\n"
    (ROOT / "docs" / "replay.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
