"""`manage.py sync`: carry out what is due at the crowds and compare with them, without a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.selectors.marketplace import operations, watching
from annotate.selectors.marketplace.operations import OpenOperation
from annotate.services.marketplace import reconciling
from annotate.services.outbox import delivery


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
        before = watching.counts()
        delivery.hurry_postponed()
        reconciling.reconcile_all(within=options["seconds"], all_=True)
        changed = list(watching.changes(before, watching.counts()))
        self.stdout.write("\n".join(changed or ["Nothing has changed."]))
        for waiting in operations.everywhere():
            self.stdout.write(_in_words(waiting))


def _in_words(op: OpenOperation) -> str:
    of = f" of posting {op.posting}" if op.posting else ""
    said = f" {op.message}" if op.message else ""
    return f"Operation {op.operation_id}, {op.label}{of}, is {op.status}.{said} {op.remedy}"
