"""The product's own processes, started on a test's database: web, worker, beat."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = {
    "worker": ["celery", "-A", "config", "worker", "--pool", "solo", "-l", "WARNING"],
    "estimating": ["celery", "-A", "config", "worker", "--queues", "celery", "--pool", "solo"],
    "background": ["celery", "-A", "config", "worker", "--queues", "background", "--pool", "solo"],
    "processes": ["celery", "-A", "config", "worker", "--concurrency", "2", "-l", "WARNING"],
    "beat": ["celery", "-A", "config", "beat", "-l", "WARNING", "-s", "{folder}/schedule"],
    "web": [
        *("gunicorn", "config.wsgi", "--bind", "127.0.0.1:{port}", "--threads", "4"),
    ],
}


def environment(*, redis_url: str, **more: str) -> dict[str, str]:
    """Return the environment of a process that shares this test's database."""
    name = connection.settings_dict["NAME"]
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    return {**os.environ, "DATABASE_URL": database, "REDIS_URL": redis_url, **more}


class Stack:
    """Processes by name; each can be killed and started again."""

    def __init__(self, folder: Path, *, redis_url: str, port: int = 0, **more: str) -> None:
        self.folder, self.port = folder, port
        self.env = environment(redis_url=redis_url, **more)
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        for name in names:
            command = [part.format(folder=self.folder, port=self.port) for part in COMMANDS[name]]
            with (self.folder / f"{name}.log").open("ab") as log:
                self.running[name] = subprocess.Popen(
                    [sys.executable, "-m", *command], cwd=ROOT, env=self.env, stdout=log, stderr=log
                )

    @contextmanager
    def supervised(self, *names: str) -> Iterator[None]:
        """Start these and start each again that ends, as systemd does with `Restart=always`."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(1):
                self.start(*(name for name in names if self.running[name].poll() is not None))

        self.start(*names)
        watching = threading.Thread(target=watch)
        watching.start()
        try:
            yield
        finally:
            over.set()
            watching.join()

    def kill(self, name: str) -> None:
        """End a process as a power cut would."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def logs(self) -> str:
        return "\n".join(
            f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
            for path in sorted(self.folder.glob("*.log"))
        )


@contextmanager
def stack(folder: Path, *, redis_url: str, port: int = 0, **more: str) -> Iterator[Stack]:
    """Yield a stack and end what it runs; its logs are shown where the test fails.

    more: environment variables of its processes.
    """
    made = Stack(folder, redis_url=redis_url, port=port, **more)
    try:
        yield made
    except BaseException:
        print(made.logs())
        raise
    finally:
        for name in list(made.running):
            made.kill(name)


def wait_for(condition: Callable[[], object], *, seconds: float = 60) -> None:
    """Wait until the condition holds; fail loudly if it never does."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"nothing after {seconds:g} s")
        time.sleep(0.1)
