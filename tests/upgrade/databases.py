"""Databases of their own, and the commands that are run on them."""

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

ROOT = Path(__file__).parent.parent.parent


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
