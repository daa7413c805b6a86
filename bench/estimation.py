"""How fast estimates follow judgments, and what memory they take.

Prints the library alone; all screens and one refresh by the size of the campaign, in seconds on the
clock and in units of `bench.unit` of the worker and its server process; and a million judgments
from Postgres to all estimates. A refresh reads all facts, so one after one more judgment is like
any other. `python -m bench.estimation [core|postgres]` measures one of them;
`python -m bench.estimation postgres 1000 10000` other sizes.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from bench.database import prepare, taken
from bench.unit import cpu, unit

ROOT = Path(__file__).resolve().parent.parent
SIZES = (5_000, 50_000, 200_000, 1_000_000)
REPEATS = 5
LARGE = 1_000_000  # sizes from here on are only read and estimated, in a process of their own


def main() -> None:
    if len(sys.argv) == 1:
        for part in ("core", "postgres"):
            subprocess.run([sys.executable, "-m", "bench.estimation", part], check=True, cwd=ROOT)
    elif sys.argv[1] == "core":
        core()
    elif sys.argv[1] == "large":
        large(int(sys.argv[2]))
    else:
        database([int(size) for size in sys.argv[2:]] or SIZES)


def timed(act: Callable[[], object], *, repeats: int) -> float:
    """Return the median time of `act`, in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return median(times)


def core() -> None:
    """Measure the library alone: arrays in, estimates out."""
    print("\ncore")
    all_at_once()
    several_metrics()
    against_ppi()


def incidence(judgments: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Items, annotators and N: a quarter of the items judged twice, 25 judgments a person."""
    q = np.arange(judgments)
    item = 4 * (q // 5) + np.where(q % 5 < 2, 0, q % 5 - 1)
    n = int(item.max() * 1.1) + 2
    order = np.random.default_rng(0).permutation(n)
    return order[item], (q * 7919) % (judgments // 25 + 1), n


def all_at_once(judgments: int = 1_000_000, systems: int = 4, criteria: int = 4) -> None:
    """From arrays to all estimates: 1,000,000 judgments with 4 scores each, of 4 systems."""
    from estimation.core import Incidence, Sample, Scale, estimate

    item, annotator, n = incidence(judgments // systems)
    rng = np.random.default_rng(1)
    scores = rng.integers(-1, 2, (systems, criteria, item.size)).astype(np.float64)
    metric = rng.normal(size=(systems, n))
    scale = Scale(-1, 1)

    def shared() -> None:
        for system in range(systems):
            who = Incidence(item, annotator, n)
            for score in scores[system]:
                estimate(Sample.on(who, score=score, scale=scale, metric=metric[system]))

    def apart() -> None:
        for system in range(systems):
            for score in scores[system]:
                estimate(Sample(score, item, annotator, n, scale, metric[system]))

    quick, slow = timed(shared, repeats=5), timed(apart, repeats=3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {judgments:,} judgments x {criteria} scores, {systems} systems, arrays to estimates:"
        f" {quick:.2f} s, peak {peak:.0f} MB (each criterion by itself: {slow / quick:.1f} x)"
    )


def several_metrics(judgments: int = 10_000, metrics: int = 21) -> None:
    """Estimate and difference with several metrics, in processor time, against those without.

    Processor time, because another process on the machine changes the time on the clock; one
    thread for linear algebra (`OPENBLAS_NUM_THREADS=1`), because waiting threads count as well.
    """
    from estimation.core import Sample, Scale, difference, estimate

    item, annotator, n = incidence(judgments)
    rng = np.random.default_rng(4)

    def system() -> Sample:
        metric = rng.normal(size=(n, metrics))
        score = np.clip(np.round(metric[item, 0] / 2 + rng.normal(size=item.size)), -1, 1)
        return Sample(score, item, annotator, n, Scale(-1, 1), metric)

    first, second = system(), system()
    acts: dict[str, Callable[..., object]] = {
        "estimate": lambda estimator: estimate(first, estimator=estimator),
        "difference": lambda estimator: difference(first, second, estimator=estimator),
    }
    fixed = unit()
    for name, act in acts.items():
        several, plain = (
            median(cpu(act, estimator) for _ in range(15)) for estimator in ("multi", "mean")
        )
        print(
            f"  {name}, {metrics} metrics, {judgments:,} judgments: {several * 1000:.1f} ms of"
            f" processor time, {several / fixed:.3f} units ({several / plain:.1f} x that of mean)"
        )


def against_ppi(n: int = 10_000) -> None:
    """The default interval against `ppi_py`'s interval for a mean, on the same numbers."""
    try:
        from ppi_py import ppi_mean_ci
    except ImportError:
        print("  ppi_py is not installed: no comparison")
        return
    from estimation.core import Sample, Scale, estimate

    rng = np.random.default_rng(3)
    metric, who = rng.normal(size=5 * n), np.arange(n)
    score = np.clip(metric[:n] + rng.normal(size=n), -3, 3)

    def ours() -> None:
        estimate(Sample(score, who, who % 400, 5 * n, Scale(-3, 3), metric)).interval(0.95)

    def theirs() -> None:
        ppi_mean_ci(score, metric[:n], metric[n:], alpha=0.05)

    theirs()  # imports and compiles
    quick, slow = timed(ours, repeats=30), timed(theirs, repeats=30)
    print(
        f"  two-way interval, {n:,} judged of {5 * n:,}: {quick * 1000:.2f} ms"
        f" (ppi_py: {slow * 1000:.2f} ms, {slow / quick:.1f} x)"
    )


def database(sizes: list[int] | tuple[int, ...]) -> None:
    """Measure on the servers of the tests, in a database of its own."""
    prepare()
    from bench import campaigns

    print("\n4 systems and 4 criteria; seconds (units of worker and server)")
    print(f"  {'judgments':>10} {'all screens':>16} {'refresh':>16} {'queries':>8}")
    for size in sizes:
        if size >= LARGE:
            reading(campaigns.judged(size))
        else:
            refresh(campaigns.judged(size), size)


def refresh(campaign_id: int, size: int) -> None:
    """Print what all screens and the middle one of a few refreshes take."""
    from annotate.models import Campaign
    from annotate.review import reviews
    from estimation import refresh as estimating
    from tests import factories

    campaign = Campaign.objects.get(pk=campaign_id)
    who = [factories.person(campaign, f"one-more-{i}") for i in range(REPEATS)]
    fixed = unit()
    screens = taken(lambda: reviews.screen(campaign_id))
    found = []
    for one in who:
        factories.judge(one)
        found.append(taken(lambda: estimating.refresh(campaign_id)))
    middle = tuple(median(each) for each in zip(*found, strict=True))
    cells = (f"{wall:.2f} ({cpu / fixed:.1f})" for wall, cpu, _n in (screens, middle))
    print(f"  {size:>10,} {' '.join(f'{one:>16}' for one in cells)} {middle[2]:>8}", flush=True)


def reading(campaign_id: int) -> None:
    """Read and estimate in a new process, so that its memory is its own."""
    place = {**os.environ, "PYTEST_XDIST_WORKER": "bench"}  # the servers run already
    command = [sys.executable, "-m", "bench.estimation", "large", str(campaign_id)]
    subprocess.run(command, check=True, cwd=ROOT, env=place)


def large(campaign_id: int) -> None:
    import django

    django.setup()
    from annotate.campaigns import facts as counting
    from estimation import facts as data
    from estimation.core import estimate

    design, times = counting.design(campaign_id), []
    for _ in range(5):
        started = time.perf_counter()
        judged = 0
        for cell in data.cells(design, data.evidence(design)):
            judged += estimate(cell.sample).n_judgments
        times.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  database to all estimates, {judged:,} scores: median {median(times):.1f} s,"
        f" quickest {min(times):.1f} s, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
