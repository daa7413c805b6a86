"""Running for real: no page waits for the broker, and the three processes of docs/operations.md."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

import psycopg2
import pytest
import redis
from kombu.exceptions import OperationalError

from config import celery
from estimation.tasks import catch_up
from tests.servers import free_port, start_redis

BOUND = 1.0
# A process of its own, because a broker address is fixed once Celery has made its first connection.
MEASURE = """
import time, django; django.setup()
from django.conf import settings
from config import celery
from estimation.tasks import catch_up
with celery.app.connection_for_write(): pass  # imports are not the broker's fault
for pause in (0, 0, celery.SILENCE):
    celery._silent_until -= pause
    began = time.monotonic()
    celery.enqueue(catch_up)
    print(time.monotonic() - began)
"""


def measure(url: str) -> list[float]:
    """Return how long three calls took: the first, one just after it, one after the silence."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], env={**os.environ, "REDIS_URL": url},
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return [float(line) for line in done.stdout.split()]


@contextmanager
def black_hole() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]


def test_a_closed_port_delays_nobody():
    assert max(measure(f"redis://127.0.0.1:{free_port()}/0")) < BOUND


def test_a_broker_that_never_answers_costs_one_wait_and_then_none():
    with black_hole() as port:
        first, just_after, after_silence = measure(f"redis://127.0.0.1:{port}/0")
    assert first < BOUND
    assert just_after < 0.05
    assert after_silence < BOUND


def test_messages_arrive_while_redis_is_there():
    url, process = start_redis()
    try:
        measure(url)
        assert redis.Redis.from_url(url).llen("celery") == 3
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("error", [OperationalError, ConnectionError, TimeoutError])
def test_no_failure_of_the_broker_reaches_the_caller(error, monkeypatch):
    def fail(**_given: object) -> None:
        raise error

    monkeypatch.setattr(catch_up, "apply_async", fail)
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    celery.enqueue(catch_up)
    assert celery._silent_until > 0


ROOT = Path(__file__).resolve().parent.parent


class Deployment:
    """gunicorn, a worker and beat, on a fresh database and a Redis of their own."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder = folder
        self.redis_url, self.redis = start_redis()
        self.port = free_port()
        self.environment = os.environ | {
            "DATABASE_URL": database_url, "REDIS_URL": self.redis_url, "LOG_LEVEL": "INFO",
            "PUBLIC_URL": f"http://localhost:{self.port}", "PLUMBLINE_VAR": str(folder),
        }  # fmt: skip
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        self.manage("migrate", "--no-input")
        bind = f"--bind=127.0.0.1:{self.port}"
        self._run("gunicorn", "config.wsgi", bind, "--threads=4", "--no-control-socket")
        self.start_worker()
        self._run("celery", "-A", "config", "beat", "--loglevel=INFO", name="beat")

    def start_worker(self) -> None:
        concurrency = ("--concurrency=1", "--loglevel=INFO")
        self._run("celery", "-A", "config", "worker", *concurrency, name="worker")

    def _run(self, program: str, *arguments: str, name: str = "") -> None:
        with (self.folder / f"{name or program}.log").open("ab") as log:
            self.processes[name or program] = subprocess.Popen(
                [str(Path(sys.executable).parent / program), *arguments], cwd=ROOT,
                env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def manage(self, *command: str) -> str:
        return subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=self.environment,
            capture_output=True, text=True, timeout=120, check=True,
        ).stdout  # fmt: skip

    def healthy(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def marks(self) -> int:
        code = "from annotate.models import EvidenceChange as E; print(E.objects.count())"
        return int(self.manage("shell", "-v0", "-c", code))

    def import_campaign(self) -> str:
        """Import in a process of its own; return the log of what it warned about."""
        file = self.folder / "outputs.jsonl"
        file.write_text(
            "".join(f'{{"item": "{n}", "system": "a", "output": "text {n}"}}\n' for n in range(3))
        )
        return self.manage(
            "create_campaign", str(file), "--name", "News", "--target", "overall=0.2", "--open"
        )

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(10)
        self.redis.terminate()
        self.redis.wait(10)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def eventually(self, what: Callable[[], bool], within: float = 40) -> None:
        until = time.monotonic() + within
        while not what():
            logs = "\n".join(f"== {log}\n{log.read_text()}" for log in self.folder.glob("*.log"))
            assert time.monotonic() < until, f"not within {within} s\n{logs}"
            time.sleep(0.3)


@pytest.fixture
def deployment(tmp_path, request):
    url = os.environ["DATABASE_URL"]
    if not url.startswith("postgres"):
        pytest.skip("needs Postgres")
    name = f"running_{secrets.token_hex(4)}"
    with _postgres(url) as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    parts = urlsplit(url)
    running = Deployment(tmp_path, urlunsplit(parts._replace(path=f"/{name}")))
    try:
        running.start()
        yield running
    finally:
        running.stop()
        with _postgres(url) as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _postgres(url: str) -> Iterator[Any]:
    connection = psycopg2.connect(url)
    connection.autocommit = True
    try:
        yield connection.cursor()
    finally:
        connection.close()


def test_web_worker_and_beat_run_and_survive_the_loss_of_worker_and_redis(deployment):
    deployment.eventually(deployment.healthy)
    deployment.eventually(lambda: "estimation.tasks.catch_up" in deployment.log("worker"))

    deployment.import_campaign()
    deployment.eventually(lambda: deployment.marks() == 0)

    deployment.kill("worker")
    deployment.import_campaign()
    assert deployment.marks() > 0
    deployment.start_worker()
    deployment.eventually(lambda: deployment.marks() == 0)

    port = urlsplit(deployment.redis_url).port
    deployment.redis.kill()
    deployment.redis.wait(10)
    deployment.import_campaign()  # works without a broker
    assert deployment.healthy()
    assert deployment.marks() > 0
    deployment.redis = start_redis(port)[1]
    deployment.eventually(lambda: deployment.marks() == 0, within=60)
