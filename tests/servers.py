"""Real servers for the test session, started before Django reads its settings.

Loaded as a pytest plugin (`-p tests.servers`). `TEST_DATABASE_URL` and `TEST_REDIS_URL` name
servers that exist, which plan queries as they are set to; otherwise throwaway ones are started, as
`serve` starts them, and stopped at the end.
"""

import atexit
import os
import secrets
from contextlib import ExitStack
from urllib.parse import urlsplit

from config.local import processes, programs, servers
from config.local.processes import Process
from config.local.servers import free_port as free_port

# Nothing has to outlive a power failure here, and waiting for the disk is most of a truncation.
# Tables that are never analyzed are taken to have ten pages, whatever the test before left there.
FORGETFUL = {"autovacuum": "off"}

# One connection serves a worker's tests, so a plan that one of them made is kept for all: by
# indexes it is good for any size of the tables. To plan each statement anew would take half of
# Postgres' time.
PLANS = "-c enable_seqscan=off -c jit=off"


PASSWORD = secrets.token_urlsafe(8)  # of every Redis of this session
_until_the_end = ExitStack()
atexit.register(_until_the_end.close)


def start_postgres() -> str:
    postgres = _until_the_end.enter_context(servers.scratch(**FORGETFUL))
    return postgres.url(servers.ADMIN, servers.ADMIN)


def start_redis(port: int | None = None) -> tuple[str, Process]:
    """Start a Valkey; the caller may stop it and start it again on the same port."""
    folder = _until_the_end.enter_context(servers.scratch_folder())
    user = programs.unprivileged(folder / "postgres", None)
    valkey = servers.Valkey(folder, servers.passwords() | {"valkey": PASSWORD}, user)
    valkey.port = port or valkey.port
    process = valkey.start("databases 256")
    _until_the_end.callback(processes.stop, process, valkey.at_our_end, patience=5)
    return valkey.url, process


def redis_of(worker: str, url: str) -> str:
    """Return the address of a worker's own database at this server ("gw0": the next number)."""
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0) + int(worker.removeprefix("gw")) + 1
    return parts._replace(path=f"/{number}").geturl()


def prepare() -> None:
    """Put the servers' addresses into the environment; xdist workers inherit them.

    pytest-django gives each worker its own database. Each has its own of Redis, too: the limits
    that one test counts are not those that another worker's test deletes.
    """
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        os.environ["REDIS_URL"] = redis_of(worker, os.environ["REDIS_URL"])
        return
    database = os.environ.get("TEST_DATABASE_URL")
    if not database:
        database = start_postgres()
        os.environ["PGOPTIONS"] = f"{os.environ.get('PGOPTIONS', '')} {PLANS}".strip()
    os.environ["DATABASE_URL"] = database
    os.environ["REDIS_URL"] = os.environ.get("TEST_REDIS_URL") or start_redis()[0]
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
    os.environ.setdefault("PUBLIC_URL", "http://localhost:8000")  # whatever runs beside the tests
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"


prepare()
