"""How often a forecast made at a third of the way holds the final judgments and the closing time.

Draws campaigns whose people take their time, stops them by the rule with a drain, goes back to the
moment at which a third of the judgments had come, forecasts from what was known then, and compares.
Judgments come by day and by night, in bursts.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core import Method, estimate
from estimation.core.campaigns import binary, lognormal_edits
from estimation.core.planning import Continuation, closing, pace, stops_ahead
from estimation.core.simulation import (
    BINARY,
    HTER_LIKE,
    TERNARY,
    Marginal,
    Plan,
    Rule,
    draw,
    find_stop,
    only,
)

SEED = 2026
CAP = 10
CASES: dict[str, tuple[Marginal, float, float, float, int, float]] = {
    # scores, share of item and person, target, people at a time, rho
    "three answers": (TERNARY, 0.32, 0.14, 0.2, 12, 0.5),
    "three answers, many people": (TERNARY, 0.32, 0.14, 0.2, 130, 0.5),
    "yes and no": (BINARY, 0.34, 0.07, 0.12, 12, 0.5),
    "edits": (HTER_LIKE, 0.68, 0.03, 0.2, 12, 0.5),
    "people who agree": (TERNARY, 0.40, 0.0, 0.18, 12, 0.0),
}

# Kinds of scores whose ends are not held as often, which the dashboard says.
UNSURE: dict[str, tuple[Marginal, float, float, float, int, float]] = {
    "rare events": (binary(0.97), 0.34, 0.07, 0.05, 12, 0.5),
    "few large edits": (lognormal_edits(2.2), 0.68, 0.03, 0.25, 12, 0.5),
}

# Constants of the estimate that the criterion has in the product.
TYPICAL = {name: {"balance": 0.03, "person_share": 0.03} for name in ("edits", "few large edits")}


@dataclass(frozen=True)
class Held:
    """How many campaigns stopped, and in how many each range held the end."""

    campaigns: int
    cost: int
    below: int
    time: int
    chance: float
    ratio: float  # high over low end of the judgments, median


def plan_of(name: str) -> Plan:
    scores, item, person, _target, places, rho = (CASES | UNSURE)[name]
    return Plan(
        scores,
        item=item,
        person=person,
        rho=rho,
        places=places,
        n_population=1500,
        cap=CAP,
        time_correlation=-0.38,
    )


def clock(size: int, rng: np.random.Generator) -> np.ndarray:
    """When judgments come, in seconds: three an hour, by day more than by night, in bursts."""
    hour = np.arange(40 * size)
    rate = (
        3
        * (1 + 0.8 * np.sin(hour * np.pi / 12 + rng.uniform(0, 6.28)))
        * rng.gamma(2, 0.5, hour.size)
    )
    came = np.cumsum(rng.exponential(size=size))
    return np.asarray(
        np.interp(came, np.r_[0.0, np.cumsum(rate)], 3600.0 * np.arange(hour.size + 1))
    )


def held(name: str, campaigns: int, *, seed: int = SEED, fraction: float = 1 / 3) -> Held:
    """Count over campaigns that stop."""
    plan, target = plan_of(name), (CASES | UNSURE)[name][3]
    typical = TYPICAL.get(name, {})
    rule = Rule(target, method=Method(**typical))
    rows = []
    for child in np.random.SeedSequence(seed).spawn(campaigns):
        rng = np.random.default_rng(child)
        campaign = draw(plan, rng)
        stop = find_stop(campaign, rule)
        if stop is None:
            continue
        _rows, frontier = stop
        order = np.argsort(campaign.finished, kind="stable")
        known = order[: int(frontier * fraction)]
        sample = only(campaign.sample, known)
        running = int((campaign.leased <= campaign.finished[known[-1]]).sum()) - known.size
        times = clock(campaign.sample.n_judgments, rng)
        now = times[known.size - 1]
        ahead = Continuation(planned=campaign.sample.n_judgments, cap=CAP)
        draws = stops_ahead(
            sample, estimate(sample, **typical), ahead, target_width=target, level=0.95
        )
        found = closing(
            [[draws]],
            judged=known.size,
            running=running,
            pace=pace(times[: known.size], now=now),
        )
        ends, end = found.judgments, frontier
        closed = times[frontier - 1] - now
        in_time = found.seconds is not None and found.seconds.low <= closed <= found.seconds.high
        rows.append(
            (
                ends.low <= end <= ends.high,
                end < ends.low,
                in_time,
                found.chance,
                ends.high / ends.low,
            )
        )
    table = np.array(rows, dtype=float)
    return Held(
        len(rows),
        *(int(table[:, k].sum()) for k in range(3)),
        float(table[:, 3].mean()),
        float(np.median(table[:, 4])),
    )
