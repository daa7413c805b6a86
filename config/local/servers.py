"""The servers that come with Plumbline: Postgres and Valkey."""

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
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import psycopg2
import redis

from config.local import processes
from config.local.processes import Process
from config.local.programs import (
    POSTGRES,
    VALKEY,
    NotStarted,
    environment,
    make_folder,
    programs,
    unprivileged,
)

NAME = "plumbline"  # of the database, and of the role that owns it
ADMIN = "postgres"
PATIENCE = 60.0  # seconds for a server to answer; one that was cut off has to recover first
STOPPING = 20.0  # seconds for a server to end
LONGEST = 103  # bytes that every system takes as the address of a socket
PORT = 5432  # of a socket in a folder: part of its name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Postgres:
    """One Postgres and its data folder, whose address and passwords stay the same.

    options: settings of Postgres, such as {"fsync": "off"}.
    """

    at_our_end = signal.SIGINT  # roll back what is open, and end

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
            process = self._run(command, log, at_our_end=self.at_our_end)
        self._wait(process)
        self._make_database()
        return process

    def _run(
        self, command: list[str], log: IO[bytes], *, at_our_end: signal.Signals | None
    ) -> Process:
        return processes.start(
            command,
            env=environment(),
            user=self.user,
            log=log,
            cwd=self.data.parent,
            at_our_end=at_our_end,
        )

    def _opened_log(self) -> IO[bytes]:
        return os.fdopen(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def _check_reach(self) -> None:
        """Raise NotStarted if the user cannot reach the folder of the data."""
        look = ["/bin/sh", "-c", 'cd "$0"', str(self.data.parent)]
        command: dict[str, Any] = {"cwd": "/", **processes.rights(self.user)}
        if subprocess.run(look, stderr=subprocess.DEVNULL, **command).returncode:  # noqa: S603
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
            failed = self._run(command, log, at_our_end=signal.SIGTERM).wait()
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
    """Make a temporary folder that the servers' user can enter."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="plumbline-"))
    if os.geteuid() == 0:
        folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
