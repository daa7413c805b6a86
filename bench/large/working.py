"""Do what workers do in a large database before its pages are measured, and print how long it took.

Run from the checkout, after `python -m bench.large` has printed an address:
    DATABASE_URL=… python -m bench.large.working [part of a task's name …]
"""

import os
import sys
from collections.abc import Callable, Iterator

from bench.large import server
from bench.large.pages import timed
from bench.unit import unit


def main() -> None:
    server.use(os.environ["DATABASE_URL"])
    each = unit()
    print(f"one unit: {each * 1000:.0f} ms")
    print(f"{'s':>8} {'cpu s':>8} {'units':>8}  task")
    for name, act in tasks():
        if len(sys.argv) > 1 and not any(part in name for part in sys.argv[1:]):
            continue
        with timed() as taken:
            act()
        print(f"{taken['wall']:>8.1f} {taken['cpu']:>8.1f} {taken['cpu'] / each:>8.0f}  {name}")


def tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the periodic tasks, and what follows an estimate of the largest campaign."""
    from annotate import tasks as periodic
    from annotate.models import Campaign
    from bench.large.__main__ import LARGE
    from estimation.models import CloserLookDue
    from estimation.services import looking

    def look() -> None:
        pk = Campaign.objects.values_list("pk", flat=True).get(name=LARGE)
        CloserLookDue.objects.create(campaign_id=pk)
        looking.measure(pk)

    yield "add_up", periodic.add_up
    yield "keep_work_times", periodic.keep_work_times
    yield "look_closer", look


if __name__ == "__main__":
    main()
