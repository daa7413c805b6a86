"""The owner of a folder's servers: `serve`, or the first command that needs its database.

One process at a time has them: the one that holds the lock on `lock`. It writes into `running.json`
where its servers answer and by what they are known again, also after it was ended by force.
Commands hold a shared lock on `in-use` while they use the Postgres of another one.
"""

import atexit
import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from config.local import processes, servers
from config.local.programs import NotStarted
from config.local.servers import Postgres

OLD = "plumbline.sqlite3"  # where versions before 0.2.0 kept their data
PATIENCE = 180.0  # seconds to wait for servers that another process is starting
ENDING = 10.0  # seconds that each process has which a killed one left behind

_held: list[IO[str]] = []  # locks of this process, until it ends
_here = threading.Lock()
_own: Postgres | None = None


class Taken(Exception):
    """Another process has the servers of this folder."""


def make(folder: Path) -> None:
    """Make the folder where it is missing; as root so that others can pass through it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
    except FileExistsError:
        pass


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Have the servers of a folder; what a killed process left of its own is ended first.

    Raises Taken, and NotStarted where this user may not.
    """
    try:
        make(folder)
        lock = _open(folder / "lock")
    except OSError as error:
        raise NotStarted(
            f"{folder} cannot be used: {error.strerror}. Set PLUMBLINE_VAR to a folder of yours."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Taken from None
        for *left, how in reversed(_read(folder).get("children", {}).values()):
            processes.end(left, signal.Signals(how), patience=ENDING)
        try:
            yield
        finally:
            (folder / "running.json").unlink(missing_ok=True)


def tell(folder: Path, **facts: Any) -> None:
    """Write what others and the next start need to know."""
    new = folder / "running.json.new"
    new.unlink(missing_ok=True)
    with _open(new) as file:
        json.dump({"owner": processes.known(os.getpid()), **facts}, file)
    new.rename(folder / "running.json")


def told(folder: Path) -> dict[str, Any]:
    """Return what the process that owns the servers has recorded; {} if there is none."""
    facts = _read(folder)
    return facts if facts and processes.runs(facts["owner"]) else {}


def passwords(folder: Path) -> dict[str, str]:
    """Return the passwords of this folder's servers, made once."""
    path = folder / "passwords.json"
    if not path.exists():
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with _open(new) as file:
            json.dump(servers.passwords(), file)
        new.rename(path)
    found: dict[str, str] = json.loads(path.read_text())
    return found


def postgres(folder: Path, *, user: str | None = None) -> Postgres:
    """Return the folder's Postgres, to be started. Raises NotStarted beside older data."""
    if not (folder / "postgres").exists() and (old := old_file(folder)):
        raise NotStarted(
            f"{old} holds the data of a version before 0.2.0, which kept them in SQLite. Move them "
            "into Postgres with version 0.2.0 (`manage.py move_from_sqlite`), then start this "
            "version. To begin without these data, move the file away."
        )
    return Postgres(folder, passwords(folder), user=user)


def old_file(folder: Path) -> Path | None:
    """Return the SQLite file of an earlier version, here or where that kept it by default."""
    from django.conf import settings

    places = [folder, settings.HERE_VAR] if folder == settings.DEFAULT_VAR else [folder]
    return next((place / OLD for place in places if (place / OLD).exists()), None)


def database(folder: Path) -> str:
    """Return the address of the folder's database; where nothing runs, start it for this process.

    It ends with this process, after other commands that use it meanwhile. Raises NotStarted.
    """
    global _own
    with _here:
        if _own is not None:
            return _own.url()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            having = ExitStack()
            try:
                having.enter_context(owned(folder))
            except Taken:
                if url := _of_another(folder):
                    return url
                time.sleep(0.05)
                continue
            _own = _start(folder, having.close)
            return _own.url()
    raise NotStarted(f"Another process has {folder}, and no database is recorded there.")


def use(started: Postgres) -> None:
    """Let this process's connections go to a Postgres that it has started itself."""
    global _own
    _own = started


def _start(folder: Path, let_go: Callable[[], object]) -> Postgres:
    try:
        made = postgres(folder)
        process = made.start()
    except BaseException:
        let_go()
        raise
    me = os.getpid()
    left = [*processes.known(process.pid), made.at_our_end]
    tell(folder, database=made.url(), children={"postgres": left})

    def end() -> None:
        if os.getpid() != me:
            return
        with _open(folder / "in-use") as others:
            fcntl.flock(others, fcntl.LOCK_EX)
            processes.stop(process, made.at_our_end, patience=servers.STOPPING)
            let_go()

    atexit.register(end)
    return made


def _of_another(folder: Path) -> str | None:
    """Return the address of the database that another process has started, and keep it there."""
    if not _held:
        lock = _open(folder / "in-use")
        fcntl.flock(lock, fcntl.LOCK_SH)
        _held.append(lock)
    if url := told(folder).get("database"):
        return str(url)
    _held.pop().close()
    return None


def _read(folder: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads((folder / "running.json").read_text())
    except (OSError, ValueError):
        return {}
    return facts


def _open(path: Path) -> IO[str]:
    """Open a file that only its owner reads, to write into it."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w")
