"""The long race: 16 threads judge until the budget is spent, and the counters equal the facts.

Run from the checkout: python -m bench.racing [tasks a thread]

The budget is 16 times as many tasks as are named, to the cent; there are more texts than that. The
command fails where a slot was judged twice, a limit was passed, or a counter is not what a recount
finds. `tests/annotate/work/test_submitting_storms.py` has the short races.
"""

import sys
import threading
import time
from decimal import Decimal
from functools import partial

TASKS = 2000
REWARD = Decimal("0.37")
PATIENCE = 3 * 3600  # seconds


def main() -> None:
    """Race, check, and print a line."""
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    from bench.database import prepare

    prepare()
    from tests.annotate.work.storms import THREADS

    seconds = race(tasks * THREADS)
    print(
        f"{tasks * THREADS:,} tasks by {THREADS} threads in {seconds:,.0f} s; no slot "
        f"twice, {REWARD * tasks * THREADS:,} spent of as much, counters as recounted"
    )


def race(wanted: int) -> float:
    """Let everybody work until nothing follows; return the seconds. Raises AssertionError."""
    from annotate.models import Campaign
    from annotate.selectors.pay import commitments
    from annotate.selectors.work import recounting
    from tests.annotate.work.storms import THREADS, check_invariants, counted, crowd
    from tests.factories import campaign

    settings = {"annotator_cap": None, "reward": REWARD, "budget": REWARD * wanted}
    study = campaign(items=max(8, wanted // 2), max_judgments=None, **settings)
    people = crowd(study, THREADS)
    began = time.perf_counter()
    done = at_once([who.pk for who in people])
    seconds = time.perf_counter() - began
    assert sum(done) == counted(study) == wanted, (done, counted(study))
    assert commitments.of(study).total == REWARD * wanted
    check_invariants(study)
    found = recounting.recount(Campaign.objects.get(pk=study.pk))
    assert found.is_right, found
    return seconds


def at_once(people: list[int]) -> list[int]:
    """Let each person work in a thread of their own; return how many tasks each submitted."""
    done: dict[int, int] = {}
    threads = [
        threading.Thread(target=lambda who=who: done.update({who: work(who)})) for who in people
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
    assert len(done) == len(people), "a thread hangs, or failed"
    return list(done.values())


def work(who: int) -> int:
    """Submit as the page does, which brings the next task, until nothing follows."""
    from django.db import connection

    from annotate.models import Assignment
    from annotate.services.work import leasing, submitting
    from tests.factories import GOOD

    done = 0
    try:
        while isinstance(got := leasing.lease(who), Assignment):
            now: int | None = got.pk
            while now is not None:
                given = {"raw": GOOD, "active_seconds": 1.0, "version": "1"}
                sent = partial(submitting.submit, now, participation_id=who, **given)
                now = sent().next
                done += 1
        return done
    finally:
        connection.close()


if __name__ == "__main__":
    main()
