"""The servers of the tests, with empty tables in a database of its own, for measuring."""

import os


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
