"""How long people wait for the last tasks of a campaign, which go out under its lock.

`python -m bench.last_tasks [judged]` lets 30 people at once judge a campaign's middle and its last
64 tasks through the pages' requests, and prints how long a submit takes in each, and the ratio.
`TEST_DATABASE_URL` names a Postgres, such as Debian's with JIT (`.ci/debian-postgres`).
"""

import sys
import threading
import time
from statistics import median

PEOPLE = 30
LAST, MIDDLE = 64, 300


def main() -> None:
    from bench.database import prepare

    prepare()
    from django.test.utils import setup_test_environment

    setup_test_environment()  # requests of the test client have its host
    from annotate.models import Campaign
    from bench import campaigns
    from bench.unit import unit

    judged = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    free = (LAST + MIDDLE) // campaigns.SYSTEMS
    plan = {"annotator_cap": None, "budget": 1_000_000}
    study = Campaign.objects.get(pk=campaigns.judged(judged, free_items=free, **plan))
    times = work(study)
    ms = unit() * 1000
    middle, last = times[:-LAST], times[-LAST:]
    for name, taken in (("before the last", middle), (f"last {LAST}", last)):
        print(
            f"{name:>16}: a submit takes {median(taken) / ms * 1000:6.2f} units"
            f" ({median(taken) * 1000:.0f} ms), at most {max(taken) / ms * 1000:.2f}"
        )
    print(f"{'ratio':>16}: {median(last) / median(middle):.1f}")


def work(study) -> list[float]:  # type: ignore[no-untyped-def]
    """Judge until nothing is left; return the seconds of each submit, in the order of their ends."""
    from django.db import connection
    from django.test import Client

    from annotate.models import Assignment
    from annotate.work import leasing
    from tests.annotate.work.pages.working import submit
    from tests.factories import person

    people = [person(study, f"p{i}") for i in range(PEOPLE)]
    taken: list[tuple[float, float]] = []

    def judge(who) -> None:  # type: ignore[no-untyped-def]
        client = Client()
        while isinstance(leasing.lease(who.pk), Assignment):
            began = time.perf_counter()
            answer = submit(client, who)
            ended = time.perf_counter()
            assert answer.status_code == 200, answer.content
            taken.append((ended, ended - began))
        connection.close()

    threads = [threading.Thread(target=judge, args=[who]) for who in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [seconds for _at, seconds in sorted(taken)]


if __name__ == "__main__":
    main()
