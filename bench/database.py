"""The servers of the tests, with empty tables in a database of its own, for measuring."""

import os
import time
from collections.abc import Callable

import psutil

Taken = tuple[float, float, int]  # seconds, seconds of processors, statements


def prepare() -> None:
    """Start the servers and make the tables."""
    import django

    import tests.servers  # (sets the environment)

    # The product works with the plans that Postgres prefers; the tests do not.
    os.environ["PGOPTIONS"] = os.environ.get("PGOPTIONS", "").replace(tests.servers.PLANS, "")

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    if "TEST_DATABASE_URL" not in os.environ:
        _analyzed()


def _analyzed() -> None:
    """Let the tests' Postgres look at what was written, as Postgres does by default."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM RESET autovacuum")
        cursor.execute("SELECT pg_reload_conf()")


def taken(act: Callable[[], object]) -> Taken:
    """Return what a call takes of the clock, of this process and its server, and of SQL."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        used, began = time.process_time() + server_seconds(), time.perf_counter()
        act()
        wall = time.perf_counter() - began
        cpu = time.process_time() + server_seconds() - used
    return wall, cpu, len(queries) - 2


def server_seconds() -> float:
    """Return the processor time of this connection's server process."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        times = psutil.Process(cursor.fetchone()[0]).cpu_times()
    return float(times.user + times.system)
