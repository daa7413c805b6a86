"""How long people wait for the last tasks of a campaign, which go out under its lock.

`python -m bench.last_tasks [outputs]` lets 30 people at once judge a campaign's middle and its last
64 tasks through the pages' requests, and prints how long a submit takes in each, and the ratio.
`TEST_DATABASE_URL` names a Postgres, such as Debian's with JIT (`.ci/debian-postgres`).
"""

import sys
import threading
import time
from statistics import median

PEOPLE = 30
LAST = 64


def main() -> None:
    from bench.database import prepare

    prepare()
    from django.test.utils import setup_test_environment

    setup_test_environment()  # requests of the test client have its host
    from bench.unit import unit
    from tests.factories import campaign

    outputs = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    study = campaign(
        items=outputs, systems=("alpha",), double_share=0, annotator_cap=None, budget=1_000_000
    )
    fill(study, outputs - LAST - 300)
    analyze()
    times = work(study)
    ms = unit() * 1000
    middle, last = times[:-LAST], times[-LAST:]
    for name, taken in (("before the last", middle), (f"last {LAST}", last)):
        print(
            f"{name:>16}: a submit takes {median(taken) / ms * 1000:6.2f} units"
            f" ({median(taken) * 1000:.0f} ms), at most {max(taken) / ms * 1000:.2f}"
        )
    print(f"{'ratio':>16}: {median(last) / median(middle):.1f}")


def fill(study, n: int) -> None:  # type: ignore[no-untyped-def]
    """Judge the first `n` slots, past the services: only the rows matter here."""
    from django.utils import timezone

    from annotate.models import Assignment, LedgerEntry, Slot
    from tests.factories import person

    people = [person(study, f"filler-{i}") for i in range(50)]
    now = timezone.now()
    slots = list(Slot.objects.filter(campaign=study).order_by("position", "output_id")[:n])
    made = Assignment.objects.bulk_create(
        [
            Assignment(
                campaign=study,
                participation=who,
                annotator_id=who.annotator_id,
                output_id=slot.output_id,
                status="verified",
                leased_at=now,
                expires_at=now,
            )
            for slot, who in ((p, people[i % 50]) for i, p in enumerate(slots))
        ],
        batch_size=2000,
    )
    for slot, assignment in zip(slots, made, strict=True):
        slot.assignment = assignment
    Slot.objects.bulk_update(slots, ["assignment"], batch_size=500)
    LedgerEntry.objects.bulk_create(
        [
            LedgerEntry(
                campaign=study,
                participation_id=a.participation_id,
                assignment=a,
                kind="reward",
                amount=study.reward,
                fee=0,
                key=f"assignment:{a.pk}",
            )
            for a in made
        ],
        batch_size=2000,
    )


def analyze() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


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
