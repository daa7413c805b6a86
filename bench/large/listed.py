"""People whom gold and signals list in the large campaign, and what it takes to look at them.

It writes five gold answers of each person and signals of every fiftieth, once, then looks at the
gold anew: python -m bench.large.listed, with DATABASE_URL as bench.large prints it.
"""

import json
import os
import time
from collections.abc import Callable

from bench.large import server
from bench.unit import unit

ITEMS, EACH = 50, 5  # gold items, and how many of them each person has answered
CARELESS = 40  # every so many people miss all of them
LISTED = 50  # every so many people are listed by signals
FIRST = 5_000_000  # id of the first gold task, after that of the campaign


def main() -> None:
    server.use(os.environ["DATABASE_URL"])
    from annotate.models import Campaign, GoldFinding, GoldItem, GoldLook
    from annotate.services.review import gold_findings, listings
    from bench.large.__main__ import LARGE

    made = Campaign.objects.get(name=LARGE)
    if not GoldItem.objects.filter(campaign=made).exists():
        fill(made.pk)
        made.refresh_from_db()
    each = unit()
    print(f"one unit: {each * 1000:.0f} ms of processor time, without the database's")
    GoldLook.objects.all().delete()
    GoldFinding.objects.all().delete()
    measured("gold, the first time, with flags", each, lambda: gold_findings.look(made))
    GoldLook.objects.all().delete()
    measured("gold, with little new", each, lambda: gold_findings.look(made))
    measured("signals listed", each, listings.list_by_signals)
    measured("signals, nothing new", each, listings.list_by_signals)


def measured(what: str, each: float, act: Callable[[], int]) -> None:
    began, wall = time.process_time(), time.perf_counter()
    n = act()
    taken = time.process_time() - began
    print(
        f"{what}: {n} people, {taken:.1f} s = {taken / each:.0f} units, "
        f"{time.perf_counter() - wall:.0f} s in all",
        flush=True,
    )


def fill(base: int) -> None:
    from django.utils import timezone

    from annotate.models import Assignment, Campaign, GoldAnswer, GoldItem, SignalFinding, SignalKey
    from bench.large import cloning

    now = timezone.now()
    cloning.without_checks()
    Campaign.objects.filter(pk=base).update(gold_share=EACH, screening={"signals": {"on": True}})
    SignalKey.objects.create(campaign_id=base, key=bytes(32), seen=2**60)
    GoldItem.objects.bulk_create(
        GoldItem(
            id=base + n,
            campaign_id=base,
            position=n,
            name=f"gold-{n}",
            text="The the mayor opened the bridge.",
            expected={"fluency": [-1, 0]},
            confirmed_at=now,
        )
        for n in range(ITEMS)
    )
    person, item = f"t / {EACH}", f"(t / {EACH} * 7 + t % {EACH}) % {ITEMS}"
    judged = f"(SELECT DISTINCT ON (annotator_id) * FROM {Assignment._meta.db_table} WHERE campaign_id = {base} ORDER BY annotator_id, id)"  # noqa: S608
    known = {"id": f"{base} + {FIRST} + t", "output_id": "NULL", "gold_id": f"{base} + {item}"}
    columns = [field.column for field in Assignment._meta.local_concrete_fields]
    values = [known.get(column, f"a.{column}") for column in columns]
    people = f"{judged} AS a CROSS JOIN LATERAL (SELECT (a.annotator_id - {base}) * {EACH} + k AS t FROM generate_series(0, {EACH - 1}) AS k) AS n"  # noqa: S608
    cloning.run(
        f"INSERT INTO {Assignment._meta.db_table} ({', '.join(columns)}) "  # noqa: S608
        f"SELECT {', '.join(values)} FROM {people}"
    )
    right = f"{person} % {CARELESS} <> 7 AND t % 11 <> 3"
    cloning.run(
        f"INSERT INTO {GoldAnswer._meta.db_table} (assignment_id, campaign_id, item_id, "  # noqa: S608
        'annotator_id, instrument_version, response, "right", submitted_at, elapsed_seconds) '
        f"SELECT {known['id']}, {base}, {known['gold_id']}, a.annotator_id, '1', '{{}}', {right}, "
        f"a.ended_at, 40 FROM {people}"
    )
    evidence = {
        "kind": "typing",
        "listed": True,
        "value": 0.9,
        "bound": 0.7,
        "threshold": 0.5,
        "n": 12,
        "numbers": {"characters": 900, "pasted": 890, "typed": 10, "keys": 12},
    }
    cloning.run(
        f"INSERT INTO {SignalFinding._meta.db_table} (campaign_id, annotator_id, at, listed, "  # noqa: S608
        "evidence, rhythm, aside) SELECT campaign_id, annotator_id, now(), "
        f"(annotator_id - {base}) %% {LISTED} = 9, %s, '[]', '[]' "
        f"FROM (SELECT DISTINCT campaign_id, annotator_id FROM {Assignment._meta.db_table} "
        f"WHERE campaign_id = {base}) AS people",
        [json.dumps([evidence])],
    )
    cloning.finish()
    cloning.run("VACUUM ANALYZE")


if __name__ == "__main__":
    main()
