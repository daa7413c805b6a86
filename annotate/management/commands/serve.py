"""`manage.py serve`: the embedded mode, one process and SQLite."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config import address, embedded


class Command(BaseCommand):
    help = "Runs web server, worker and ticker in one process, for teaching and small studies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.EMBEDDED:
            raise CommandError(
                "REDIS_URL is set: run gunicorn, a Celery worker and beat (docs/operations.md)."
            )
        call_command("migrate", verbosity=0)
        server = embedded.make_server(options["port"], host=options["host"])
        if settings.PUBLIC_URL == settings.LOCAL_URL:
            settings.PUBLIC_URL = f"http://localhost:{embedded.port_of(server)}"
        # Invitations and create_campaign use it.
        address.note(settings.PUBLIC_URL, options["host"], embedded.port_of(server))
        embedded.start_worker()
        embedded.start_ticker()
        self.stdout.write(
            f"Plumbline runs at {settings.PUBLIC_URL}; press Ctrl+C to stop.\n"
            "The first time, create an account in another terminal: "
            "python manage.py createsuperuser"
        )
        try:
            server.run()
        finally:
            address.forget()
