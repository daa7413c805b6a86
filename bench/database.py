"""The servers of the tests, with empty tables in a database of its own, for measuring."""

import os


def prepare(name: str) -> None:
    """Start the servers and make the tables; name: "postgres" or "sqlite"."""
    if name == "sqlite":
        os.environ["TEST_DATABASE_URL"] = "sqlite"
    import django

    import tests.servers  # noqa: F401  (sets the environment)

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
