"""How long the researcher's pages take on a large database, as their owner sees them.

Run from the checkout, after `python -m bench.large` has printed an address:
    DATABASE_URL=… python -m bench.large.pages [--explain] [part of an address …]

queries: SQL statements. sql: wall time of them all. cpu: processor time of this process and of the
database's, which uses no further ones for a query; units: the sum in those of `bench.unit`. A page
is opened twice, and the second time is shown. --explain: prints the plan of each statement that
takes 20 ms or longer.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.large import server
from bench.unit import unit

SLOW = 0.02  # seconds
OWNER = "ada"


class Statements:
    """Takes the time of every statement."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, str, Any]] = []

    def __call__(self, run: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(sql, params, *rest)
        finally:
            self.taken.append((time.perf_counter() - began, sql, params))

    @property
    def seconds(self) -> float:
        return sum(taken for taken, _sql, _params in self.taken)


def main() -> None:
    server.use(os.environ["DATABASE_URL"])
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client

    with connection.cursor() as cursor:
        cursor.execute("SET max_parallel_workers_per_gather = 0")  # their time would not be seen
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username=OWNER))
    explain = "--explain" in sys.argv
    wanted = [one for one in sys.argv[1:] if not one.startswith("--")]
    pages = [one for one in addresses() if not wanted or any(part in one for part in wanted)]
    each = unit()
    print(f"one unit: {each * 1000:.0f} ms")
    print(f"{'queries':>7} {'sql ms':>8} {'cpu ms':>8} {'units':>6} {'ms':>8} {'kB':>8}  page")
    for page in pages:
        measure(client, page, each, explain)


def addresses() -> Iterator[str]:
    """Yield the pages, those of the large campaigns first."""
    from django.urls import reverse

    from annotate.models import Campaign
    from bench.large.__main__ import LARGE, MARKET

    for name in (LARGE, MARKET):
        public_id = Campaign.objects.filter(name=name).values_list("public_id", flat=True)[0]
        yield reverse("estimation:dashboard", args=[public_id])
        pages = ("people", "pay", "batches") if name == MARKET else ("people", "pay", "items")
        for page in pages:
            path = reverse(f"annotate:{page}", args=[public_id])
            yield path
            yield from (path + query for query in QUERIES.get(page, ()))
        if name == LARGE:
            yield from closer(public_id)
        yield from beside_numbers(public_id)
        yield reverse("api-campaign-detail", args=[public_id])
        for part in API:
            yield reverse(f"api-{part}", args=[public_id])
    yield reverse("annotate:reviews")
    yield from (reverse("annotate:reviews") + query for query in QUERIES["reviews"])
    yield from cases()
    yield reverse("api-reviews")
    yield reverse("api-campaign-list")
    yield reverse("estimation:plan")
    yield reverse("annotate:campaigns")
    yield from (reverse("annotate:campaigns") + query for query in QUERIES["campaigns"])


API = (
    *("accounts", "payouts", "batches", "doubtful", "operations", "items", "outputs"),
    *("annotators", "estimates", "activity", "agreement", "gold", "report"),
)
QUERIES: dict[str, tuple[str, ...]] = {
    "items": (
        *(f"?sort={order}" for order in ("longest", "name", "disagreement", "worst", "edited")),
        "?sort=residual&page=2000",
        "?show=judged&page=4000",
        "?show=unjudged&sort=longest",
        "?show=judged&sort=name",
        "?sort=disagreement&q=12",
        "?sort=worst&show=excluded",
        "?page=4400",
    ),
    "people": ("?sort=due&show=due&page=100", "?q=ab"),
    "pay": ("?sort=name&page=400", "?q=person123", "budget/"),
    "batches": ("?page=20", "?q=part+12"),
    "campaigns": ("?q=study+1&sort=name",),
    "reviews": ("?page=20", "?screen=gold", "?screen=signals", "?tier=list&sort=name&rows=100"),
}


def beside_numbers(public_id: str) -> Iterator[str]:
    """Yield the pages about a campaign that show few of its judgments."""
    from django.urls import reverse

    yield reverse("estimation:report", args=[public_id])
    activity = reverse("estimation:activity", args=[public_id])
    yield from (activity, activity + "?page=20")
    for name in ("texts", "screens", "members", "gold"):
        yield reverse(f"annotate:{name}", args=[public_id])


def closer(public_id: str) -> Iterator[str]:
    """Yield the pages of what stands behind the numbers."""
    from django.urls import reverse

    yield reverse("annotate:item", args=[public_id, 9])
    yield reverse("estimation:item-metrics", args=[public_id, 9])
    yield reverse("estimation:systems", args=[public_id])
    yield reverse("estimation:picture", args=[public_id, "scatter", "svg"])


def cases() -> Iterator[str]:
    """Yield a reviewer's page of somebody whom gold lists, and of one whom signals list."""
    from django.urls import reverse

    from annotate.models import GoldFinding, SignalFinding

    for model in (GoldFinding, SignalFinding):
        row = model.objects.filter(listed=True).select_related("campaign", "annotator").first()
        if row is not None:
            yield reverse("annotate:review", args=[row.campaign.public_id, row.annotator.pseudonym])
            if model is GoldFinding:
                yield reverse("annotate:gold", args=[row.campaign.public_id])


def measure(client: Any, page: str, each: float, explain: bool) -> None:
    """Print what the page takes the second time."""
    from django.db import connection

    client.get(page)
    statements = Statements()
    with connection.execute_wrapper(statements), timed() as taken:
        answer = client.get(page)
        size = sum(map(len, answer)) if answer.streaming else len(answer.content)
    print(
        f"{len(statements.taken):>7} {statements.seconds * 1000:>8.0f} {taken['cpu'] * 1000:>8.0f} "
        f"{taken['cpu'] / each:>6.1f} {taken['wall'] * 1000:>8.0f} {size / 1000:>8.1f}  "
        f"{page}{'' if answer.status_code == 200 else f' answers {answer.status_code}'}",
        flush=True,
    )
    for seconds, sql, params in statements.taken if explain else ():
        if seconds >= SLOW:
            print(plan(seconds, sql, params))


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Yield wall and processor time, of this process and of its database process."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    found: dict[str, float] = {}
    wall, own, theirs = time.perf_counter(), time.process_time(), used(pid)
    yield found
    found["wall"] = time.perf_counter() - wall
    found["cpu"] = time.process_time() - own + used(pid) - theirs


def used(pid: int) -> float:
    """Return the processor seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def plan(seconds: float, sql: str, params: Any) -> str:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql}", params)
        lines = [line for (line,) in cursor.fetchall()]
    return "\n".join([f"    {seconds * 1000:.0f} ms: {sql[:3000]}", *("      " + x for x in lines)])


if __name__ == "__main__":
    main()
