"""`manage.py serve`: Plumbline on this machine, with the processes that production has."""

import os
import signal
import threading
import time
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from socket import socket
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.local import folder, processes, serving
from config.local.programs import NotStarted, unprivileged
from config.local.servers import Postgres, Valkey
from config.local.serving import Child

STOPPED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command(BaseCommand):
    help = (
        "Runs Plumbline on this machine: web, workers and beat, and a Postgres and a Valkey where "
        "DATABASE_URL and REDIS_URL name no other. Ctrl+C ends all of them."
    )
    requires_system_checks = ()  # `migrate` makes them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="0: any free one")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument(
            "--user", help="whose rights Postgres and Valkey get where root starts them (nobody)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.children: list[Child] = []
        self.ending, self.started, self.has_waited = threading.Event(), False, False
        self.place = Path(settings.VAR_DIR)
        for number in STOPPED:
            signal.signal(number, self._end)
        try:
            while not self._serves(options) and not self._runs_already():
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        except NotStarted as reason:
            raise CommandError(str(reason)) from None

    def _serves(self, options: dict[str, Any]) -> bool:
        """Run until a signal comes; False where another process has the folder."""
        try:
            with folder.owned(self.place):
                self._serve(**options)
        except folder.Taken:
            return False
        return True

    def _end(self, *_signal: Any) -> None:
        """End when the children are next looked at; while they are being started, at once."""
        was_ending = self.ending.is_set()
        self.ending.set()
        if not self.started and not was_ending:
            raise KeyboardInterrupt

    def _runs_already(self) -> bool:
        """Say where another `serve` runs, once it does; another command ends by itself."""
        told = folder.told(self.place)
        if url := told.get("url"):
            self.stdout.write(f"Plumbline runs at {url} already (process {told['owner'][0]}).")
        elif told and not self.has_waited:
            self.has_waited = True
            self.stdout.write(f"Waiting for process {told['owner'][0]}, which has the database.")
        return bool(url)

    def _serve(self, *, host: str, port: int, user: str | None, **_options: Any) -> None:
        try:
            listening = serving.listen(host, port)
        except OSError as error:
            raise CommandError(
                f"{host} port {port} cannot be used: {error.strerror}. Choose another: --port 8001"
            ) from None
        with closing(listening):
            try:
                env = self._start_servers(user)
                self._migrate()
                url = os.environ.get("PUBLIC_URL", "") and settings.PUBLIC_URL
                url = url or f"http://localhost:{listening.getsockname()[1]}"
                env |= {"PUBLIC_URL": url}
                web, *others = serving.plumbline(listening, env)
                self._begin(web)
                self._wait_for_an_answer(listening)
                for child in others:
                    self._begin(child)
                self._note(url=url, redis=env["REDIS_URL"], database=env["DATABASE_URL"])
                self._say(url)
                self.started = True
                while not self.ending.wait(serving.PAUSE):
                    if sum(child.look() for child in self.children):
                        self._note()
            finally:
                self.ending.set()
                serving.end(self.children)

    def _start_servers(self, user: str | None) -> dict[str, str]:
        """Start what no address names; return the environment of Plumbline's own processes."""
        given, passwords = dict(os.environ), folder.passwords(self.place)
        env = given | {"SECRET_KEY": settings.SECRET_KEY, "PLUMBLINE_VAR": str(self.place)}
        if not settings.DATABASE_URL:
            postgres = folder.postgres(self.place, user=user)
            self._begin(_child("Postgres", postgres))
            env["DATABASE_URL"] = postgres.url()
            folder.use(postgres)
        if not given.get("REDIS_URL"):
            rights = unprivileged(self.place / "postgres", user)
            valkey = Valkey(self.place, passwords, rights)
            self._begin(_child("Valkey", valkey))
            env["REDIS_URL"] = valkey.url
        return env

    def _migrate(self) -> None:
        call_command("migrate", verbosity=0)
        connections.close_all()

    def _begin(self, child: Child) -> None:
        child.begin()
        self.children.append(child)
        self._note()

    def _note(self, **facts: str) -> None:
        """Note the children, for the next start if this process is ended by force."""
        self.facts = getattr(self, "facts", {}) | facts
        left = {
            one.name: [*processes.known(one.process.pid), one.how]
            for one in self.children
            if one.process
        }
        folder.tell(self.place, children=left, **self.facts)

    def _wait_for_an_answer(self, listening: socket) -> None:
        """Nothing else takes processor time until the first page is there."""
        until = time.monotonic() + serving.STARTING
        while not serving.answers(listening):
            if any(not child.runs() for child in self.children) or time.monotonic() > until:
                raise CommandError("The web process does not answer; see what it says above.")
            time.sleep(0.1)

    def _say(self, url: str) -> None:
        self.stdout.write(f"Plumbline runs at {url}; press Ctrl+C to stop.")
        if not get_user_model().objects.exists():
            self.stdout.write(
                "Create an account in another terminal: python manage.py createsuperuser"
            )
        connections.close_all()
        self.stdout.flush()


def _child(name: str, server: Postgres | Valkey) -> Child:
    return Child(name, server.start, server.at_our_end, patience=20)
