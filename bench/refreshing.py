"""What a refresh of the estimates costs after one more judgment, by the size of the campaign.

`python -m bench.refreshing [sizes]`: processor time of this process, which is the
worker's share, and of the database's server beside it: screens of all judgments, the rest of a
refresh in full, and one that reads only what is new.
Ratios and units (`bench.unit`) carry to other machines.
"""

import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import mean, median
from typing import NamedTuple

from bench.database import prepare
from bench.unit import unit

SIZES = (1_000, 100_000, 1_000_000)
REPEATS = 7
TICK = os.sysconf("SC_CLK_TCK")


class Spent(NamedTuple):
    """Processor seconds."""

    worker: float
    server: float
    queries: int


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "postgres"
    sizes = [int(size) for size in sys.argv[2:]] or SIZES
    prepare(name)
    as_a_worker()
    print(f"\n{name}. Processor time in ms: worker + server; units of the same minute")
    print(f"  {'judgments':>10} {'screens':>16} {'units':>6} {'the rest':>14} {'units':>6}", end="")
    print(f" {'one more':>10} {'units':>6}")
    quick = [measure(size) for size in sizes]
    print(f"  last / first, one more: {quick[-1] / quick[0]:.1f} x")


def as_a_worker() -> None:
    """Treat garbage as a worker's process does."""
    from config.celery import keep_what_is_loaded

    keep_what_is_loaded()


def measure(size: int) -> float:
    """Print a row, and return the seconds after one more judgment."""
    from annotate.models import Campaign
    from annotate.services.review import reviews
    from bench import campaigns
    from estimation.services import estimating, memory
    from tests import factories

    campaign_id = campaigns.judged(size)
    campaign = Campaign.objects.get(pk=campaign_id)
    who = [factories.person(campaign, f"one-more-{i}") for i in range(REPEATS)]

    def refresh() -> None:
        estimating.refresh(campaign_id)

    units = [unit()]
    screens = cost(lambda: reviews.screen(campaign_id))
    units.append(unit())
    mark(campaign_id)
    rest = cost(refresh)
    units.append(unit())
    taken = []
    for one in who:
        facts = memory.of(campaign_id).facts
        assert facts is not None
        facts.until, before = float("inf"), facts.followed.n
        factories.judge(one)
        taken.append(cost(refresh))
        assert facts.followed.n == before + 1, "the new judgment was not read"
        assert memory.of(campaign_id).facts is facts, "all facts were read"
    quick = Spent(*(median(values) for values in zip(*taken, strict=True)))
    units.append(unit())
    around = [mean(pair) for pair in pairwise(units)]
    shown = zip((screens, rest, quick), around, (16, 14, 10), strict=True)
    cells = [f"{_shown(one):>{width}} {_units(one, each):>6}" for one, each, width in shown]
    print(f"  {size:>10,} {' '.join(cells)}   ({quick.queries:.0f} queries)", flush=True)
    return quick.worker + quick.server


def mark(campaign_id: int) -> None:
    from annotate.models import ChangeMark

    ChangeMark.objects.create(campaign_id=campaign_id, reason="bench")


def cost(act: Callable[[], object]) -> Spent:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        server, began = server_seconds(), time.process_time()
        act()
        worker = time.process_time() - began
        return Spent(worker, server_seconds() - server, len(queries))


def server_seconds() -> float:
    """Return the processor time of this connection's server process."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _shown(one: Spent) -> str:
    return f"{one.worker * 1000:,.0f} + {one.server * 1000:,.0f}"


def _units(one: Spent, unit_: float) -> str:
    return f"{(one.worker + one.server) / unit_:.3g}"


if __name__ == "__main__":
    main()
