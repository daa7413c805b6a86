"""The whole history of bootstrap widths against loops that refit at every n.

Run from the checkout: python -m bench.bootstrap [judgments]

The loops are timed at a few n only and summed over all n by the straight line through them: a
refit of n judgments costs a constant plus a multiple of n. What was timed is printed.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from estimation.core import Sample, Scale, bootstrap, bootstrap_widths

SEED, REPLICATES, LEVEL = 2018, 1000, 0.8


def draw(judgments: int) -> Sample:
    """Ternary judgments, a quarter of the items judged twice, a metric of correlation about .5."""
    rng = np.random.default_rng(SEED)
    twice = rng.random(judgments) < 0.25
    item = np.repeat(np.arange(judgments), np.where(twice, 2, 1))[:judgments]
    metric = rng.normal(size=judgments)
    latent = metric[item] / 2 + rng.normal(size=judgments)
    score = np.digitize(latent, [-1.0, 0.4]) - 1.0
    return Sample(score, item, np.arange(judgments), judgments, Scale(-1, 1), metric)


def prefix(sample: Sample, n: int) -> Sample:
    """The first n judgments."""
    parts = sample.score[:n], sample.item[:n], sample.annotator[:n]
    return Sample(*parts, sample.n_population, sample.scale, sample.metric)


def loop_over_replicates(sample: Sample) -> float:
    """One n, written as one would: draw, fit a line, 1,000 times; then two percentiles."""
    rng = np.random.default_rng(SEED)
    x, y = sample.standardised_metric()[sample.item], sample.score
    fitted = []
    for _ in range(REPLICATES):
        drawn = rng.integers(0, y.size, y.size)
        xs, ys = x[drawn], y[drawn]
        xbar, ybar = xs.mean(), ys.mean()
        dx = xs - xbar
        slope = dx @ (ys - ybar) / (dx @ dx)
        fitted.append(ybar - slope * xbar)
    low, high = np.percentile(fitted, [10, 90])
    return float(high - low)


def one_matrix_product(sample: Sample) -> float:
    """One n by this library's own vectorised bootstrap: a loop over n without one over refits."""
    return bootstrap(sample, level=LEVEL, replicates=REPLICATES, per="judgment", seed=SEED).width


def seconds(call: Callable[[], object], *, times: int = 5) -> float:
    """The fastest of a few runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def extrapolated(sample: Sample, one: Callable[[Sample], float]) -> float:
    """Seconds for n = 2..T from a straight line through a few n, which are printed."""
    at = np.linspace(50, sample.n_judgments, 5).astype(int)
    took = [seconds(lambda n=n: one(prefix(sample, n))) for n in at]
    print("  " + ", ".join(f"n={n}: {1000 * t:.1f} ms" for n, t in zip(at, took, strict=True)))
    slope, constant = np.polyfit(at, took, 1)
    n = np.arange(2, sample.n_judgments + 1)
    return float((constant + slope * n).sum())


def main() -> None:
    """Print the ratios."""
    sample = draw(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    print(f"seed {SEED}, {sample.n_judgments} judgments, {REPLICATES} replicates, level {LEVEL}")
    for per in ("judgment", "item"):
        whole = seconds(
            lambda per=per: bootstrap_widths(
                sample, level=LEVEL, replicates=REPLICATES, seed=SEED, per=per
            )
        )
        print(f"bootstrap_widths, per {per}: {whole:.3f} s for all n")
    for name, one in (
        ("loop over n and replicates", loop_over_replicates),
        ("loop over n, replicates as one matrix product", one_matrix_product),
    ):
        print(f"{name}, timed at")
        total = extrapolated(sample, one)
        print(f"  all n: {total:.1f} s extrapolated, {total / whole:.0f} times as long (per item)")


if __name__ == "__main__":
    main()
