"""The servers of production on one machine, each its own process, and the time that they take."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]


class Groups:
    """Groups of processes by name, each a process with its descendants; `client` is this one."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self.roots = dict(roots)

    def cpu(self) -> dict[str, float]:
        """Return the processor seconds that each group has used so far."""
        own = psutil.Process().cpu_times()
        used = {name: cpu_of_family(root) for name, root in self.roots.items()}
        return used | {"client": own.user + own.system}


def cpu_of_family(root: int) -> float:
    """Return the processor seconds of a process and its descendants, also of those that ended."""
    first = psutil.Process(root)
    used = 0.0
    for process in (first, *first.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # it has ended
            times = process.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


PATIENCE = 120  # seconds until a server must answer


def commands() -> dict[str, list[str]]:
    """Return how each server is started: as in the Dockerfile and docker-compose.yml."""
    made = re.search(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text(), re.M | re.S)
    assert made
    web = [
        part.replace("0.0.0.0:8000", "127.0.0.1:{port}")
        for part in json.loads(made[1].replace("\\\n", ""))
    ]
    found = {"web": web}
    compose = (ROOT / "docker-compose.yml").read_text()
    for line in re.findall(r"command: (\[\"celery.*\])", compose):
        command = json.loads(line)
        queues = [part.partition("=")[2] for part in command if part.startswith("--queues=")]
        found["worker" if queues == ["celery"] else [*queues, command[3]][0]] = command
    return found


class ServerError(Exception):
    """A server does not do what it should; the message names its log."""


class Servers:
    """Web, worker and beat on the database and the Redis of this process's environment."""

    def __init__(self, folder: Path) -> None:
        from tests.servers import free_port

        self.folder = folder
        self.port = free_port()
        self.commands = commands()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.failed = False  # whether the logs are needed

    def start(self) -> None:
        """Start them and wait until each answers."""
        for name, command in self.commands.items():
            self._start(name, [part.replace("{port}", str(self.port)) for part in command])
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
        ends = {
            path: path.read_text(errors="replace")[-1500:] for path in map(self.log, self.running)
        }
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
def servers() -> Iterator[Servers]:
    """Yield the running servers and end them. After a failure their logs stay, and are named."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-load-"))
    made = Servers(folder)
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
            until = time.monotonic() + 10  # a child that was killed may write for another moment
            while folder.exists() and time.monotonic() < until:
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
    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        raise OSError from None
    if process.name() != name:
        raise OSError
    return int(process.ppid())


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process and its children, which are a session of their own."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
