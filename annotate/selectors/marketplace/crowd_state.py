"""The state at all crowds, in numbers, to report what a look has changed."""

from collections.abc import Iterator

from django.db.models import Count, Model, TextChoices

from annotate.models import Operation, Participation, Payout, Posting

TABLES: dict[str, tuple[type[Model], type[TextChoices]]] = {
    "postings": (Posting, Posting.Status),
    "paid units": (Participation, Participation.Status),
    "operations": (Operation, Operation.Status),
}


def counts() -> dict[str, int]:
    """Return how many postings, units and operations have each status, and the pay-outs."""
    found = {"pay-outs": Payout.objects.count()}
    for name, (model, status_of) in TABLES.items():
        rows = model._default_manager.order_by().values_list("status").annotate(Count("pk"))
        found |= {f"{name}, {str(status_of(status).label).lower()}": n for status, n in rows}
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Yield what differs, in words."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            yield f"{name}: {old} → {new}"
