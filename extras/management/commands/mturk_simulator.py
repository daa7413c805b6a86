"""`manage.py mturk_simulator`: a local stand-in for MTurk, for trials and teaching."""

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from extras.mturk_simulator.server import serve


class Command(BaseCommand):
    help = "Runs a local stand-in for MTurk: an API for boto3, and a site for workers."
    requires_system_checks = ()  # it uses nothing of the installation

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8123)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--url", default="", help="its address for browsers, if not localhost")
        parser.add_argument("--balance", type=Decimal, default=Decimal("10000.00"))
        parser.add_argument("--seed", type=int, help="makes ids predictable")
        parser.add_argument(
            "--reuse-ids",
            action="store_true",
            help="give returned assignment ids to the next worker, as Amazon may",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("port", "host", "url", "balance", "seed", "reuse_ids")
        try:
            running = serve(**{name: options[name] for name in names})
        except OSError as error:
            raise CommandError(f"Port {options['port']} cannot be used: {error.strerror}")
        self.stdout.write(
            f"A stand-in for MTurk (not Amazon) runs at {running.url}; press Ctrl+C to stop.\n"
            f"Start Plumbline with MTURK_ENDPOINT_URL={running.url}, then open that address to "
            "work.\nIt keeps everything in memory and loses it at the end."
        )
        self.stdout.flush()
        try:
            running.wait()
        except KeyboardInterrupt:
            running.stop()
