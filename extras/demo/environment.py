"""The demonstration's own environment: a folder, settings and a database of its own.

`manage.py demo` restarts itself in it, so that all settings and connections are right from the
start, and runs the product in it as a separate process.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from django.conf import settings

SETTINGS = "extras.demo.settings"
FOLDER = "DEMO_FOLDER"  # of the environment; removed at the end
# Other variables are left out, such as the installation's database, broker and credentials.
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TERM",
    "COLUMNS",
    "TMPDIR",
    "TZ",
    "TIME_ZONE",
    "LOG_LEVEL",
    "VIRTUAL_ENV",
    "PYTHONPATH",
)


class NotStarted(Exception):
    """The product could not be started in this environment."""


def is_entered() -> bool:
    return settings.SETTINGS_MODULE == SETTINGS


def enter(port: int, more: Mapping[str, str]) -> NoReturn:
    """Restart this command, in this process, in an environment of its own.

    port: the product's port; another one if it is taken. Raises `NotStarted` if an argument
        overrides the settings of the environment.
    """
    if FOLDER in os.environ:
        raise NotStarted
    folder = tempfile.mkdtemp(prefix="plumbline-")
    if os.geteuid() == 0:
        os.chmod(folder, 0o711)  # noqa: S103  the servers run as another user
    port = port if is_free(port) else free_port()
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "PLUMBLINE_VAR": str(Path(folder) / "var"),
        FOLDER: folder,
        "PUBLIC_URL": f"http://localhost:{port}",
        "PYTHONUNBUFFERED": "1",
    }
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], kept | own | dict(more))  # noqa: S606


@contextmanager
def entered() -> Iterator[None]:
    """Remove the environment's folder at the end."""
    try:
        yield
    finally:
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)


@contextmanager
def product() -> Iterator[str]:
    """Run the product as a process; yield its address. Raises `NotStarted`.

    Ctrl+C does not reach it. It ends with the context, or with this process in any case.
    """
    port = urlsplit(settings.PUBLIC_URL).port
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "extras.demo.product", str(port)],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if "runs at" not in process.stdout.readline():
                raise NotStarted
            yield settings.PUBLIC_URL
        finally:
            process.stdin.close()
            process.wait()  # after Ctrl+C, Popen itself waits for a quarter of a second only


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
