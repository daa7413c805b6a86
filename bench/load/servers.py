"""The servers of production on one machine: each its own process, with its own log."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.load.usage import Groups

ROOT = Path(__file__).resolve().parents[2]
# As in the Dockerfile and docker-compose.yml (tests/bench/test_load_parts.py compares them).
WEB = (
    *("gunicorn", "config.wsgi", "--bind=127.0.0.1:{port}", "--workers={web}", "--threads=4"),
    *("--timeout=120", "--worker-tmp-dir=/dev/shm", "--no-control-socket"),
)
CELERY = ("celery", "-A", "config")
WORKER = (*CELERY, "worker", "--queues=celery", "--concurrency={worker}", "--loglevel=INFO")
BACKGROUND = (
    *(*CELERY, "worker", "--queues=background", "--concurrency=1", "--hostname=background@%h"),
    "--loglevel=INFO",
)
BEAT = (*CELERY, "beat", "--loglevel=INFO", "--pidfile=")
COMMANDS = {"web": WEB, "worker": WORKER, "background": BACKGROUND, "beat": BEAT}
PATIENCE = 120  # seconds until a server must answer


class ServerError(Exception):
    """A server does not do what it should; the message names its log."""


class Servers:
    """Web, worker and beat on the database and the Redis of this process's environment."""

    def __init__(self, folder: Path, *, web: int, worker: int) -> None:
        from tests.servers import free_port

        self.folder = folder
        self.port = free_port()
        self.numbers = {"port": self.port, "web": web, "worker": worker}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.failed = False  # whether the logs are needed

    def start(self) -> None:
        """Start them and wait until each answers."""
        for name in COMMANDS:
            self.log(name).touch()
        for name, command in COMMANDS.items():
            self._start(name, [part.format(**self.numbers) for part in command])
        self._wait("web", self._web_answers)
        self._wait("worker", _worker_answers)

    def _start(self, name: str, command: list[str]) -> None:
        own = {"PLUMBLINE_VAR": str(self.folder), "PUBLIC_URL": f"http://127.0.0.1:{self.port}"}
        with self.log(name).open("wb") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env=os.environ | own | {"LOG_LEVEL": "INFO"},
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl+C is this process's: it ends them in order
            )

    def _wait(self, name: str, answers: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not answers():
            if time.monotonic() > until:
                raise ServerError(f"{name} did not answer in {PATIENCE} s")
            self.check()
            time.sleep(0.1)

    def check(self) -> None:
        """Raise `ServerError` where a server has ended."""
        for name, process in self.running.items():
            if process.poll() is not None:
                raise ServerError(f"{name} ended with code {process.returncode}")

    def _web_answers(self) -> bool:
        import urllib3

        url = f"http://127.0.0.1:{self.port}/healthz"
        try:
            return urllib3.request("GET", url, retries=False, timeout=5).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def logs(self) -> str:
        """Return the end of each log, and where it is."""
        ends = {path: path.read_text(errors="replace")[-1500:] for path in map(self.log, COMMANDS)}
        return "\n".join(f"== {path}\n{end}" for path, end in ends.items())

    def groups(self) -> Groups:
        """Return all processes by group, with those of Postgres and Redis."""
        import redis
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backend = cursor.fetchone()[0]
        broker = redis.Redis.from_url(os.environ["REDIS_URL"]).info("server")["process_id"]
        try:
            roots = {"postgres": _parent(backend, "postgres"), "redis": broker}
        except OSError:
            raise ServerError("postgres runs on another machine; its time is measured") from None
        return Groups(roots | {name: process.pid for name, process in self.running.items()})

    def stop(self) -> None:
        """End them politely, and after ten seconds in any case."""
        for process in self.running.values():
            _signal(process, signal.SIGTERM)
        until = time.monotonic() + 10
        for process in self.running.values():
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            _signal(process, signal.SIGKILL)
            process.wait()


@contextmanager
def servers(*, web: int, worker: int) -> Iterator[Servers]:
    """Yield the running servers and end them. After a failure their logs stay, and are named."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-load-"))
    made = Servers(folder, web=web, worker=worker)
    try:
        made.start()
        yield made
    except Exception:
        made.failed = True
        raise
    finally:
        made.stop()
        if made.failed:
            print(made.logs(), file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def durable() -> None:
    """Let the tests' Postgres wait for the disk, as Postgres does by default.

    A server that the environment names keeps its settings.
    """
    from django.db import connection

    if "TEST_DATABASE_URL" in os.environ:
        return
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM RESET ALL")
        cursor.execute("SELECT pg_reload_conf()")


def _worker_answers() -> bool:
    from config.celery import app

    return bool(app.control.ping(timeout=1))


def _parent(pid: int, name: str) -> int:
    """Return the parent's id; raises `OSError` where no process of that name has this id."""
    from bench.load.usage import process_of

    stat = Path(f"/proc/{pid}/stat").read_text()
    if f"({name})" not in stat:
        raise OSError
    return process_of(stat).parent


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process and its children, which are a session of their own."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
