"""`manage.py sync`: carry out what is due at the crowds and compare with them, without a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.crowds import outbox, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.queries import OpenOperation


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
        before = crowds_queries.counts()
        outbox.hurry_postponed()
        reconciling.reconcile_all(within=options["seconds"], all_=True)
        changed = list(crowds_queries.changes(before, crowds_queries.counts()))
        self.stdout.write("\n".join(changed or ["Nothing has changed."]))
        for waiting in crowds_queries.everywhere():
            self.stdout.write(_in_words(waiting))


def _in_words(op: OpenOperation) -> str:
    of = f" of posting {op.posting}" if op.posting else ""
    said = f" {op.message}" if op.message else ""
    return f"Operation {op.operation_id}, {op.label}{of}, is {op.status}.{said} {op.remedy}"
