"""Many requests in a few numbers."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SHARES = (50, 95, 99)


@dataclass(frozen=True)
class Times:
    """Seconds that requests took: mean and percentiles; None without a request."""

    n: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


def times(timed: Iterable[tuple[float, float]], since: float, until: float) -> Times:
    """Summarise the requests that were answered in this time; timed: (when, how long)."""
    took = [seconds for at, seconds in timed if since <= at < until]
    p50, p95, p99 = (percentile(took, share) for share in SHARES)
    return Times(len(took), statistics.fmean(took) if took else None, p50, p95, p99)


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least `share` % of the values do not exceed."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]
