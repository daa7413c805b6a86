"""A database as an earlier version left it: its migrations, and the rows that it had stored."""

import gzip
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg2

from tests.upgrade import outbox

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MIGRATIONS = {"0.1.0": {"annotate": "0001", "estimation": "0001"}}
Tables = dict[str, dict[str, Any]]


def tables(version: str) -> Tables:
    """Return {table: {"columns": [...], "rows": [[...], ...]}}: what is stored, and `outbox`'s."""
    found: Tables = json.loads(gzip.decompress((HERE / f"{version}.json.gz").read_bytes()))
    outbox.add(found)
    return found


def manage(url: str, *arguments: str) -> str:
    """Run a management command on this database; its output, or an error that shows it."""
    return run(url, "manage.py", *arguments)


def run(url: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{' '.join(arguments)}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def postgres() -> Iterator[str]:
    """An empty Postgres database beside the tests' own; yields its address."""
    server, name = os.environ["DATABASE_URL"], f"upgrade_{secrets.token_hex(6)}"
    with session(server) as cursor:
        cursor.execute(f'CREATE DATABASE "{name}"')
    yield urlsplit(server)._replace(path=f"/{name}").geturl()
    with session(server) as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def session(url: str) -> Iterator[Any]:
    connection = psycopg2.connect(url)
    connection.autocommit = True
    try:
        yield connection.cursor()
    finally:
        connection.close()


def fill(url: str, version: str) -> None:
    """Migrate an empty database to what this version had, and insert its rows."""
    for app, migration in MIGRATIONS[version].items():
        manage(url, "migrate", app, migration, "-v0")
    for app in ("auth", "authtoken"):
        manage(url, "migrate", app, "-v0")
    run(url, "-m", "tests.upgrade.inserting", version)
