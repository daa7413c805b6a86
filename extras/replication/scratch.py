"""A separate database for a replay, never the installation's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management import call_command
from django.db import connections

from config.local import servers


@contextmanager
def scratch_database() -> Iterator[str]:
    """Point Django at a new, migrated Postgres while the context lasts; yield its host.

    For commands that have not used the database yet: all threads' connections go there. It is
    deleted afterwards.
    """
    before = dict(connections.settings["default"])
    with servers.scratch() as postgres:
        _use(
            {
                **before,
                "ENGINE": "django.db.backends.postgresql",
                "NAME": servers.NAME,
                "USER": servers.NAME,
                "PASSWORD": postgres.passwords[servers.NAME],
                "HOST": postgres.host,
                "PORT": postgres.port,
                "OPTIONS": {},
            }
        )
        try:
            call_command("migrate", verbosity=0)
            yield postgres.host
        finally:
            connections["default"].close()
            _use(before)


def _use(settings: dict[str, Any]) -> None:
    connections["default"].close()
    connections.settings["default"].clear()
    connections.settings["default"].update(settings)
    del connections["default"]
