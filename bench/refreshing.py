"""How long a refresh of the estimates takes, beside a unit of fixed work of the same minute.

`python -m bench.refreshing [sizes]`: judgments in the campaign, 5,000, 50,000 and 200,000 without
any. A refresh reads all facts, so one after one more judgment is like any other: the median of a
few. Processor seconds of the worker and of its server process; on an idle machine they are about
those on the clock, which are in brackets.
"""

import os
import sys
import time
from collections.abc import Callable
from statistics import median

from bench.database import prepare
from bench.unit import unit

SIZES = (5_000, 50_000, 200_000)
REPEATS = 5
TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    prepare()
    print("\n4 systems and 4 criteria; seconds of worker + server (on the clock), units")
    print(f"  {'judgments':>10} {'all screens':>26} {'refresh':>26} {'queries':>8}")
    for size in sizes:
        measure(size)


def measure(size: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from annotate.models import Campaign
    from annotate.review import reviews
    from bench import campaigns
    from estimation import refresh as estimating
    from tests import factories

    campaign_id = campaigns.judged(size)
    campaign = Campaign.objects.get(pk=campaign_id)
    who = [factories.person(campaign, f"one-more-{i}") for i in range(REPEATS)]
    fixed = unit()
    screens = spent(lambda: reviews.screen(campaign_id))
    taken = []
    for one in who:
        factories.judge(one)
        with CaptureQueriesContext(connection) as queries:
            taken.append(spent(lambda: estimating.refresh(campaign_id)))
    middle = tuple(median(each) for each in zip(*taken, strict=True))
    cells = [
        f"{worker:.2f} + {server:.2f} ({clock:.2f}) {(worker + server) / fixed:>4.1f}"
        for worker, server, clock in (screens, middle)
    ]
    print(f"  {size:>10,} {' '.join(f'{one:>26}' for one in cells)} {len(queries):>8}", flush=True)


def spent(act: Callable[[], object]) -> tuple[float, ...]:
    """Return seconds of this process, of its server process, and on the clock."""
    before = (time.process_time(), server_seconds(), time.perf_counter())
    act()
    after = (time.process_time(), server_seconds(), time.perf_counter())
    return tuple(now - then for now, then in zip(after, before, strict=True))


def server_seconds() -> float:
    """Return the processor time of this connection's server process."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


if __name__ == "__main__":
    main()
