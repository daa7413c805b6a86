"""Postgres with a data folder that survives, and a database for each set of sizes in it."""

import os
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg2

from config.local import folder as folders
from config.local import processes
from config.local.servers import ADMIN, Postgres

FOLDER = Path(tempfile.gettempdir()) / "plumbline-large"

# It can be made again, so it need not survive a power failure; and large inserts write little.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_wal_size": "8GB",
    "maintenance_work_mem": "256MB",
}


def start(folder: Path, name: str) -> str:
    """Start the server unless it runs, make the database if missing; return the address.

    The server goes on running. `stop` ends it.
    """
    folders.make(folder)
    server = Postgres(folder, folders.passwords(folder), **SETTINGS)
    if not (server.data / "postmaster.pid").exists():
        server.start(stays=True)
    connection = psycopg2.connect(server.url(ADMIN, ADMIN))
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not cursor.fetchone():
            cursor.execute(f"CREATE DATABASE {name}")
    connection.close()
    return server.url(ADMIN, name)


def stop(folder: Path) -> None:
    with suppress(FileNotFoundError):
        pid = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])
        processes.end(processes.known(pid), signal.SIGINT, patience=60)


def use(address: str) -> None:
    """Let this process use the database at this address, migrated."""
    from bench.database import prepare

    os.environ["TEST_DATABASE_URL"] = address
    prepare()
