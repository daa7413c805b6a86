"""How fast people are served: leases and submits a second, and what a large campaign costs.

Prints two tables: throughput of 16 threads, and the time of one lease by the number of planned
judgments, with the ratio between the largest and the smallest.
"""

import sys
import threading
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
THREADS = 16
SIZES = (1_000, 20_000)
REPEATS = 60


def main() -> None:
    set_up()
    throughput()
    growth()


def set_up() -> None:
    """Start the servers of the tests and make empty tables in a database of their own."""
    sys.path.insert(0, str(ROOT))
    from bench.database import prepare

    prepare()


def throughput(items: int = 320) -> None:
    """Let 16 annotators work as fast as they can until nothing is left."""
    from django.db import connection

    from annotate.models import Assignment
    from annotate.services.work import judgments, leasing
    from tests.factories import GOOD, campaign, person

    study = campaign(items=items, annotator_cap=None, budget=1_000_000)
    people = [person(study, f"p{i}") for i in range(THREADS)]
    leases, submits = [], []

    def work(who) -> None:  # type: ignore[no-untyped-def]
        while True:
            started = time.perf_counter()
            got = leasing.lease(who.pk)
            if not isinstance(got, Assignment):
                break
            leased = time.perf_counter()
            judgments.submit(got.pk, participation_id=who.pk, raw=GOOD)
            leases.append(leased - started)
            submits.append(time.perf_counter() - leased)
        connection.close()

    threads = [threading.Thread(target=work, args=[who]) for who in people]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - started
    print(
        f"  {THREADS} threads: {len(leases) / took:6.0f} leases and submits a second"
        f"   (median lease {median(leases) * 1000:.0f} ms, slowest {max(leases) * 1000:.0f} ms;"
        f" median submit {median(submits) * 1000:.0f} ms, slowest {max(submits) * 1000:.0f} ms)"
    )


def growth() -> None:
    """Time one lease in campaigns of several sizes: untouched, and with most of it judged."""
    print(f"  {'planned judgments':>18} {'untouched':>12} {'90 % judged':>12} {'one stopped':>12}")
    times = {size: (one(size), one(size, judged=0.9), one(size, stopped=True)) for size in SIZES}
    for size, row in times.items():
        print(f"  {size:>18,}" + "".join(f" {value * 1000:>9.1f} ms" for value in row))
    first, last = times[SIZES[0]], times[SIZES[-1]]
    ratios = "".join(f" {b / a:>10.1f} ×" for a, b in zip(first, last, strict=True))
    print(f"  {'ratio':>18}{ratios}")


def one(size: int, *, judged: float = 0, stopped: bool = False) -> float:
    """Return the median time of a lease in a campaign of `size` slots, in seconds."""
    from django.db import connection

    from annotate.services.work import leasing
    from tests.factories import campaign, person

    study = campaign(
        items=size // 2,
        double_share=0,
        annotator_cap=None,
        budget=1_000_000,
        max_judgments=1_000_000,
    )
    if judged:
        fill(study, int(size * judged))
    if stopped:  # the first half of the order belongs to a system that collects no more
        skip_half(study)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    taken = []
    for number in range(REPEATS):
        who = person(study, f"{size}-{judged}-{stopped}-{number}")
        started = time.perf_counter()
        leasing.lease(who.pk)
        taken.append(time.perf_counter() - started)
    return median(taken)


def fill(study, n: int) -> None:  # type: ignore[no-untyped-def]
    """Judge the first `n` slots, past the services: only the rows matter here."""
    from django.utils import timezone

    from annotate.models import Assignment, LedgerEntry, Slot
    from annotate.services import totals
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
    totals.recount(study.pk)


def skip_half(study) -> None:  # type: ignore[no-untyped-def]
    """Stop a system at 0 and judge the other's first half: its free slots lie in the way."""
    from annotate.models import Slot

    alpha, beta = study.systems.all()
    study.systems.filter(pk=alpha.pk).update(stop_position=0)
    half = Slot.objects.filter(campaign=study).count() // 4
    keep = Slot.objects.filter(output__authorships__system=beta, position__lt=half)
    keep.delete()  # as good as judged: they are not free


if __name__ == "__main__":
    main()
