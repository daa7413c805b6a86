"""`manage.py postgres PROGRAM …`: a program of Postgres, such as pg_dump, on this database."""

import os
import signal
import subprocess
from argparse import REMAINDER, ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config.local import programs

OF_CLIENTS = ("psql", "pg_dump", "pg_restore")


class Command(BaseCommand):
    help = "Runs psql, pg_dump or pg_restore, which come with Plumbline, on its database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("program", choices=OF_CLIENTS)
        parser.add_argument("arguments", nargs=REMAINDER)

    def handle(self, *args: Any, **options: Any) -> None:
        where = connection.get_connection_params()
        me = programs.who(os.geteuid())
        place = programs.programs(*programs.POSTGRES, me, Path(settings.VAR_DIR)) / "bin"
        env = os.environ | {
            f"PG{name.upper()}": str(where[given])
            for name, given in (
                *(("host", "host"), ("port", "port"), ("user", "user")),
                *(("password", "password"), ("database", "dbname")),
            )
            if where.get(given)
        }
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # psql has its own use for it
        command = [str(place / options["program"]), *options["arguments"]]
        if code := subprocess.run(command, env=env, check=False).returncode:  # noqa: S603
            raise CommandError(f"{options['program']} ended with {code}.", returncode=code)
