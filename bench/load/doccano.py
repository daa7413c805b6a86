"""doccano beside Plumbline, for `bench.load --doccano`.

It starts a Postgres and doccano's web server (gunicorn, as many processes and threads as
Plumbline's) from a virtual environment that has doccano, lets simulated annotators classify texts,
and takes tasks a second and processor time a task, of the web server and Postgres.

A task is what doccano's page asks the server at the least: the next text, one category, and the
mark that the text is done. Each annotator has one connection and begins elsewhere in the texts.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.load.annotators import Connection
from bench.load.servers import Groups
from config.local import servers
from config.local.servers import Postgres

SETUP = Path(__file__).with_name("doccano_setup.py")
TEXTS = 20_000
WARM = 5.0  # seconds before it is measured, from each annotator's first task on
WEB = ("--workers=2", "--threads=4", "--worker-class=gthread", "--timeout=120")


@dataclass(frozen=True)
class Project:
    """What `doccano_setup.py` prints: ids, and a token for each annotator."""

    project: int
    category: int
    tokens: list[str]


@dataclass
class Work:
    """A closed loop of annotators until `stop`; `done` counts tasks."""

    port: int
    made: Project
    think: float
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    done: int = 0

    async def annotate(self, number: int) -> None:
        """Have a text, classify it, mark it as done, have the next one. Raises `ValueError`."""
        connection = Connection("127.0.0.1", self.port)
        token = f"Authorization: Token {self.made.tokens[number]}\r\n"
        at = number * (TEXTS // len(self.made.tokens))
        try:
            while not self.stop.is_set():
                await self._task(connection, token, at % TEXTS)
                at += 1
        finally:
            connection.close()

    async def _task(self, connection: Connection, token: str, at: int) -> None:
        root = f"/v1/projects/{self.made.project}/examples"
        page = await self._ask(connection, "GET", f"{root}?limit=1&offset={at}", token)
        one = f"{root}/{page['results'][0]['id']}"
        await asyncio.sleep(self.think)
        label = json.dumps({"label": self.made.category}).encode()
        await self._ask(connection, "POST", f"{one}/categories", token, label)
        await self._ask(connection, "POST", f"{one}/states", token, b"{}")
        self.done += 1

    async def _ask(  # type: ignore[no-untyped-def]
        self, connection: Connection, method: str, path: str, token: str, body: bytes = b""
    ):
        reply = await connection.ask(method, path, headers=token, body=body)
        if reply.status not in (200, 201):
            raise ValueError(f"{method} {path} answered {reply.status}: {reply.body[:200]!r}")
        return json.loads(reply.body)


async def measure(work: Work, groups: Groups, seconds: float) -> tuple[float, float]:
    """Return tasks a second, and seconds of processor time a task."""
    people = [asyncio.create_task(work.annotate(i)) for i in range(len(work.made.tokens))]
    while work.done < len(people) and not any(one.done() for one in people):
        await asyncio.sleep(0.1)
    await asyncio.sleep(WARM)
    before, done, began = groups.cpu(), work.done, time.monotonic()
    await asyncio.sleep(seconds)
    after, tasks, took = groups.cpu(), work.done - done, time.monotonic() - began
    work.stop.set()
    await asyncio.gather(*people)
    used = sum(after[name] - before[name] for name in groups.roots)
    return tasks / took, used / max(tasks, 1)


@contextmanager
def postgres() -> Iterator[tuple[Postgres, int]]:
    """Start a Postgres of its own with the settings that it comes with: (server, process)."""
    with servers.scratch() as server:
        first = (server.data / "postmaster.pid").read_text().splitlines()[0]
        yield server, int(first)


def environment(server: Postgres) -> dict[str, str]:
    """Return the environment of doccano's processes. Its settings want no socket in the address."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "DATABASE_URL": "postgres:///plumbline?sslmode=disable",
        "PGHOST": server.host,
        "PGPORT": str(server.port),
        "PGUSER": "plumbline",
        "PGPASSWORD": server.passwords["plumbline"],
        "DEBUG": "False",
        "ALLOW_SIGNUP": "False",
    }


@contextmanager
def web(python: str, folder: Path, env: dict[str, str], port: int) -> Iterator[int]:
    """Run doccano's web server until the block ends: its process."""
    from tests.processes import wait_for

    command = [python, "-m", "gunicorn", "config.wsgi", f"--bind=127.0.0.1:{port}", *WEB]
    with subprocess.Popen(command, cwd=folder, env=env, stdout=sys.stderr) as process:
        try:
            wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
            yield process.pid
        finally:
            process.terminate()


def home(python: str) -> Path:
    """Return the folder that holds doccano's `manage.py`."""
    find = "import backend, pathlib; print(pathlib.Path(backend.__file__).parent)"
    return Path(subprocess.check_output([python, "-c", find], text=True).strip())


def made_in(python: str, folder: Path, env: dict[str, str], people: int) -> Project:
    """Make the tables, a project, its texts and its annotators."""
    for command in ("migrate", "create_roles"):
        subprocess.run(
            [python, "manage.py", command], cwd=folder, env=env, check=True, stdout=sys.stderr
        )
    arguments = [python, str(SETUP), str(folder), str(TEXTS), str(people)]
    printed = subprocess.check_output(arguments, cwd=folder, env=env, text=True)
    return Project(**json.loads(printed.splitlines()[-1]))


def measured(python: str, annotators: int, seconds: float, think: float) -> tuple[float, float]:
    """Return tasks a second, and seconds of processor time a task.

    python: of a virtual environment with doccano.
    """
    from tests.servers import free_port

    folder, port = home(python), free_port()
    with postgres() as (own, database):
        env = environment(own)
        project = made_in(python, folder, env, annotators)
        with web(python, folder, env, port) as server:
            groups = Groups({"web": server, "postgres": database})
            return asyncio.run(measure(Work(port, project, think), groups, seconds))
