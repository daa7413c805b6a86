"""The processes of an installation on one machine: those of docker-compose.yml, as children."""

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from config.local import processes
from config.local.processes import Process
from config.local.programs import NotStarted

PAUSE = 0.2  # seconds between two looks at the children
FIRST, LONGEST = 1.0, 30.0  # seconds before a child that ended is started again
LASTED = 60.0  # a child that lasted so many seconds is started again after the first pause
STARTING = 120.0  # seconds until the first page is answered

logger = logging.getLogger(__name__)


@dataclass
class Child:
    """One process: how it is started, and what ends it.

    patience: seconds after which it is ended by force.
    """

    name: str
    start: Callable[[], Process]
    how: signal.Signals
    patience: float
    process: Process | None = None
    pause: float = FIRST
    since: float = field(default_factory=time.monotonic)
    again_at: float = 0.0

    def begin(self) -> None:
        self.process, self.since = self.start(), time.monotonic()

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def look(self) -> bool:
        """Start it again if it has ended; return whether another process runs now."""
        if self.process is not None:
            if self.process.poll() is None:
                return False
            lasted = time.monotonic() - self.since
            self.pause = FIRST if lasted > LASTED else min(2 * self.pause, LONGEST)
            logger.error(
                "%s ended (%s) and is started again in %g s",
                self.name,
                self.process.returncode,
                self.pause,
            )
            self.process, self.again_at = None, time.monotonic() + self.pause
        if time.monotonic() < self.again_at:
            return False
        try:
            self.begin()
        except (NotStarted, OSError) as error:
            self.pause = min(2 * self.pause, LONGEST)
            self.again_at = time.monotonic() + self.pause
            logger.error("%s does not start, again in %g s: %s", self.name, self.pause, error)
            return False
        return True

    def ask_to_end(self) -> None:
        if self.process is not None:
            self.process.send_signal(self.how)

    def end(self) -> None:
        if self.process is not None:
            processes.stop(self.process, None, patience=self.patience)


def program(name: str, *command: str, env: dict[str, str], keep: tuple[int, ...] = ()) -> Child:
    """Return a process of Plumbline itself: a module of Python and its arguments."""

    def start() -> Process:
        return processes.start(
            # Celery advises against root at length; docs/operations.md does so too.
            [sys.executable, "-W", "ignore:You're running the worker", "-m", *command],
            env=env,
            cwd=Path(__file__).resolve().parents[2],
            keep=keep,
            # The processes that gunicorn and Celery make end with them. Asked to end, a worker
            # would wait for a broker that is gone as well.
            at_our_end=signal.SIGKILL,
        )

    return Child(name, start, signal.SIGTERM, patience=15)


def plumbline(listening: socket.socket, env: dict[str, str]) -> list[Child]:
    """Return web, workers and beat, with the options that docker-compose.yml gives them."""
    level = env.get("LOG_LEVEL", "WARNING")
    celery = ("celery", "-A", "config", "--quiet")
    descriptor = listening.fileno()
    memory = ["--worker-tmp-dir=/dev/shm"] if os.path.isdir("/dev/shm") else []  # noqa: S108
    return [
        program(
            "web",
            *("gunicorn", "config.wsgi", f"--bind=fd://{descriptor}", "--workers=2", "--threads=4"),
            *("--timeout=120", *memory),
            *("--graceful-timeout=10", "--no-control-socket", f"--log-level={level.lower()}"),
            env=env,
            keep=(descriptor,),
        ),
        program(
            "worker",
            *(*celery, "worker", "--queues=celery", "--concurrency=2", f"--loglevel={level}"),
            env=env,
        ),
        program(
            "background",
            *(*celery, "worker", "--queues=background", "--concurrency=1"),
            *("--hostname=background@%h", f"--loglevel={level}"),
            env=env,
        ),
        program("beat", *celery, "beat", "--pidfile=", f"--loglevel={level}", env=env),
    ]


def end(children: list[Child]) -> None:
    """End who uses something before what is used: web, then workers, Valkey, and Postgres."""
    for stage in (["web"], ["beat", "worker", "background"], ["Valkey"], ["Postgres"]):
        ending = [child for child in children if child.name in stage]
        for child in ending:
            child.ask_to_end()
        for child in ending:
            child.end()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0: any free one. Raises OSError."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((host, port))
    made.listen(2048)
    return made


def answers(listening: socket.socket) -> bool:
    """Return whether the web process answers, whatever it says."""
    host, port = listening.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = HTTPConnection(here, port, timeout=1)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        connection.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True
