"""A separate database for a replay, never the installation's."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connections

SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
}


@contextmanager
def scratch_database() -> Iterator[Path]:
    """Point Django at a new, migrated SQLite file while the context lasts.

    For commands that have not used the database yet: all threads' connections go there. The file is
    deleted afterwards.
    """
    before = dict(connections.settings["default"])
    with tempfile.TemporaryDirectory(prefix="plumbline-") as folder:
        path = Path(folder) / "scratch.sqlite3"
        _use(
            {
                **before,
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(path),
                "OPTIONS": SQLITE,
                "CONN_MAX_AGE": 0,
                "CONN_HEALTH_CHECKS": False,
            }
        )
        try:
            call_command("migrate", verbosity=0)
            yield path
        finally:
            connections["default"].close()
            _use(before)


def _use(settings: dict[str, Any]) -> None:
    connections["default"].close()
    connections.settings["default"].clear()
    connections.settings["default"].update(settings)
    del connections["default"]
