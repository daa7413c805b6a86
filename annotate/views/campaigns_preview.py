"""What a file and a plan would become: shown before anything is stored."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from annotate.selectors.costs import AtMost
from annotate.services import ingest, plans
from annotate.services.plans import Plan
from annotate.services.upload import Row

SAMPLES = 3
MIN_ITEMS = 50  # fewer cannot stop on the unbounded criteria (docs/statistics.md, intervals)


@dataclass(frozen=True)
class SystemPreview:
    name: str
    n_outputs: int
    samples: tuple[Row, ...]


@dataclass(frozen=True)
class Preview:
    systems: tuple[SystemPreview, ...]
    n_items: int
    n_rows: int
    n_outputs: int
    n_references: int
    planned: int
    most: AtMost
    price: Decimal
    metrics: tuple[str, ...]
    notices: tuple[str, ...]

    @property
    def n_shared(self) -> int:
        """Rows whose text another system wrote for the same item too."""
        return self.n_rows - self.n_outputs


def preview(plan: Plan, rows: list[Row], metrics: tuple[str, ...]) -> Preview:
    """Return what would be made; `metrics`: what the plan's choice comes to for these rows."""
    by_system: dict[str, list[Row]] = {}
    for row in rows:
        by_system.setdefault(row.system, []).append(row)
    distinct = {(row.item, row.output) for row in rows}
    planned = ingest.count_planned(plan, rows)
    most = plans.at_most(plan, planned)
    items = {row.item for row in rows}
    return Preview(
        systems=tuple(
            SystemPreview(name, len(mine), tuple(mine[:SAMPLES]))
            for name, mine in by_system.items()
        ),
        n_items=len(items),
        n_rows=len(rows),
        n_outputs=len(distinct),
        n_references=len({row.item for row in rows if row.reference}),
        planned=planned,
        most=most,
        price=most.bill.each,
        metrics=metrics,
        notices=(
            *_notices(plan, by_system, items, planned, most.bill.each),
            *_about_metrics(metrics, rows),
        ),
    )


def _notices(
    plan: Plan, by_system: dict[str, list[Row]], items: set[str], planned: int, price: Decimal
) -> list[str]:
    found = []
    if len(items) < MIN_ITEMS:
        found.append(
            f"{len(items)} items are few: collection can stop early only after 30 to 50 of them "
            "are judged."
        )
    sizes = Counter(len(mine) for mine in by_system.values())
    if len(sizes) > 1:
        found.append("Not every system has an output for every item. Is the file complete?")
    if empty := sum(not row.output.strip() for mine in by_system.values() for row in mine):
        found.append(f"{empty} outputs are empty. They will be judged like any other.")
    if plan.budget is not None and plan.budget < planned * price:
        found.append(
            f"The budget pays for {int(plan.budget / price):,} of {planned:,} planned judgments, "
            "or for fewer where people new to it are paid for the tutorial. The intervals may be "
            "wider than asked for when it is spent."
        )
    if plan.annotator_cap is None or plan.annotator_cap > 25:
        found.append(
            "With more than 25 judgments by one person, the coverage of the intervals at the "
            "moment of stopping is not warranted."
        )
    return found


def _about_metrics(metrics: tuple[str, ...], rows: list[Row]) -> list[str]:
    if not metrics:
        return ["Without a metric nothing is saved: the estimate is the plain mean."]
    found = []
    if given := [name for name in metrics if name in rows[0].metrics]:
        found.append(f"Taken from your file as it is: {', '.join(given)}.")
    if len(metrics) > 1:
        found.append(
            f"{len(metrics)} metrics are combined, with weights learnt from other items than the "
            "ones they correct. This choice is fixed when you create the campaign."
        )
    return found
