"""What the library takes for a whole campaign at once: estimates, comparisons, alpha, screens.

Every line is a process of its own, so peak memory (VmHWM) is that of one job; at rest it is what
imports and the arrays take before the job. Processor time in units of `bench.unit`, measured in
the same process.

Run from the checkout: python -m bench.bulk.library [judgments …]
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.unit import cpu, unit

SIZES = (100_000, 1_000_000)
PER_PERSON = 25


def incidence(judgments: int) -> tuple[Any, Any, int]:
    """Items, annotators and the number of items: a quarter of the items is judged twice."""
    items = judgments * 4 // 5
    once = np.arange(items)
    item = np.repeat(once, np.where(once % 4 == 0, 2, 1))[:judgments]
    people = max(judgments // PER_PERSON, 3)
    annotator = (np.arange(judgments) * 7919) % people
    twice = np.flatnonzero(item[1:] == item[:-1]) + 1
    same = twice[annotator[twice] == annotator[twice - 1]]
    annotator[same] = (annotator[same] + 1) % people
    return item, annotator, items


def sample(judgments: int, seed: int = 1) -> Any:
    from estimation.core import Sample, Scale

    item, annotator, n = incidence(judgments)
    rng = np.random.default_rng(seed)
    metric = rng.normal(size=n)
    style = rng.normal(size=annotator.max() + 1) / 3
    score = np.clip(
        np.round(metric[item] / 2 + style[annotator] + rng.normal(size=item.size)), -1, 1
    )
    return Sample(score, item, annotator, n, Scale(-1, 1), metric)


def estimating(judgments: int) -> Callable[[], object]:
    from estimation.core import estimate

    one = sample(judgments)
    return lambda: estimate(one, estimator="balanced").interval(0.95)


def comparing(judgments: int) -> Callable[[], object]:
    from estimation.core import difference

    first, second = sample(judgments // 2, 1), sample(judgments // 2, 2)
    return lambda: difference(first, second).interval(0.95)


def _agreeing(judgments: int, levels: int) -> tuple[Any, ...]:
    from bench.agreement import judged

    return judged(judgments, levels)


def alpha(judgments: int, levels: int, distance: str) -> Callable[[], object]:
    from estimation.core import krippendorff_alpha

    columns = _agreeing(judgments, levels)
    return lambda: krippendorff_alpha(*columns, distance=distance)  # type: ignore[arg-type]


def without(judgments: int, levels: int, distance: str) -> Callable[[], object]:
    from estimation.core import alpha_without_each

    columns = _agreeing(judgments, levels)
    return lambda: alpha_without_each(*columns, distance=distance)  # type: ignore[arg-type]


def others(judgments: int) -> Callable[[], object]:
    from estimation.core import fleiss_kappa, intraclass_correlation

    columns = _agreeing(judgments, 3)
    return lambda: (intraclass_correlation(*columns), fleiss_kappa(*columns))


def columns(judgments: int) -> Any:
    """Ratings on three criteria with an edit at every third judgment, by varied people."""
    from annotate.screening import Columns

    item, annotator, _n = incidence(judgments)
    rng = np.random.default_rng(5)
    quality, noise = rng.normal(size=item.max() + 1), rng.normal(size=(3, item.size))
    scores = np.clip(np.round(quality[item] + 0.7 * noise + 0.6), -1, 1)
    required = scores.min(axis=0) < 0
    return Columns(
        annotator=annotator,
        output=item,
        item=item // 4,
        order=np.arange(item.size, dtype=np.float64),
        seconds=rng.lognormal(4, 0.6, item.size),
        words=rng.integers(60, 180, item.size).astype(np.float64),
        scores=dict(zip(("fluency", "redundancy", "overall"), scores, strict=True)),
        edit_distance=np.where(required, rng.integers(1, 200, item.size), np.nan),
        edit_text=np.where(required, rng.integers(0, item.size, item.size), -1),
    )


def screens(judgments: int) -> Callable[[], object]:
    from annotate.screening import screen_all

    made = columns(judgments)
    return lambda: screen_all(made)


def screen(judgments: int, key: str) -> Callable[[], object]:
    from annotate.screening import SCREENS, Settings, run

    made = columns(judgments)
    return lambda: run(SCREENS[key], made, Settings())


def new_work(judgments: int) -> Callable[[], object]:
    """One more judgment: its person among a sample of the others."""
    from annotate.screening import screen_all
    from annotate.screening.base import taken
    from annotate.screening.sampled import SampledCrowd

    made = columns(judgments)
    crowd = SampledCrowd(taken(made, np.arange(judgments - 1)))
    last = taken(made, np.array([judgments - 1]))

    def look() -> object:
        crowd.add(last)
        return screen_all(crowd.around(last.annotator), flagged_only=True)

    return look


JOBS: dict[str, Callable[[int], Callable[[], object]]] = {
    "balanced estimate": estimating,
    "difference of two systems": comparing,
    "alpha, ordinal": lambda n: alpha(n, 3, "ordinal"),
    "alpha, nominal": lambda n: alpha(n, 2, "nominal"),
    "alpha, interval": lambda n: alpha(n, 0, "interval"),
    "alpha without each, ordinal": lambda n: without(n, 3, "ordinal"),
    "alpha without each, interval": lambda n: without(n, 0, "interval"),
    "ICC and Fleiss' kappa": others,
    "six screens": screens,
    "screens, one more judgment": new_work,
}


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print("| judgments | what | processor s | units | MB at rest | MB at most |")
    print("|---" * 6 + "|")
    for size in sizes:
        for job in JOBS:
            subprocess.run(
                [sys.executable, "-m", "bench.bulk.library", "one", job, str(size)], check=True
            )


def one(job: str, size: int) -> None:
    """Print what a job takes in this process."""
    act = JOBS[job](size)
    rest, fixed = peak(), unit()
    taken = cpu(act)
    print(
        f"| {size:,} | {job} | {taken:.2f} | {taken / fixed:.0f} | {rest:.0f} | {peak():.0f} |",
        flush=True,
    )


def peak() -> float:
    """Return the most memory that this process has had, in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], int(sys.argv[3]))
    else:
        main()
