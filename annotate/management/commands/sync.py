"""`manage.py sync`: carry out what is due at the crowds and compare with them, without a worker."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count

from annotate.crowds import outbox, queries, reconciling
from annotate.models import Operation, Participation, Payout, Posting

TABLES: dict[str, Any] = {
    "postings": Posting,
    "submissions": Participation,
    "operations": Operation,
}


class Command(BaseCommand):
    help = (
        "Carries out what is due at the crowds, then compares all postings with the crowds, and "
        "prints what has changed. Operations that wait or need a person are listed with what to "
        "do. The worker does the same every few seconds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--seconds", type=float, default=60.0, help="how long at most (%(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["seconds"] > 0:
            raise CommandError("--seconds must be a positive number.")
        before = counts()
        outbox.hurry_postponed()
        reconciling.reconcile_all(within=options["seconds"], all_=True)
        changed = list(changes(before, counts()))
        self.stdout.write("\n".join(changed or ["Nothing has changed."]))
        for waiting in queries.unfinished():
            self.stdout.write(_in_words(waiting))


def counts() -> dict[str, int]:
    """Return the number of postings, units and operations by status, and of pay-outs."""
    found = {"pay-outs": Payout.objects.count()}
    for name, model in TABLES.items():
        rows = model.objects.order_by().values_list("status").annotate(Count("pk"))
        labels = {one.value: str(one.label).lower() for one in model.Status}
        found |= {f"{name}, {labels[status]}": n for status, n in rows}
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> Iterator[str]:
    """Yield the differences, in words."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, 0), after.get(name, 0)
        if old != new:
            yield f"{name}: {old} → {new}"


def _in_words(op: Operation) -> str:
    of = f" of posting {op.of_posting}" if op.of_posting else ""
    said = f" {op.message}" if op.message else ""
    return f"Operation {op.pk}, {op.get_kind_display()}{of}, is {op.status}.{said} {op.remedy}"
