"""One migrated database for all workers of a test session: the first makes it, each copies it.

The process that starts the workers makes a folder. It holds the lock under which one of them
migrates, and the mark that this is done.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

FOLDER = "TEST_MIGRATED"


def begin() -> None:
    """Name the folder of this session; its workers inherit the name."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="plumbline-migrated-")


def copy() -> None:
    """Let this worker's database begin as a copy of the migrated one, which is made if needed."""
    folder = Path(os.environ[FOLDER])
    with _alone(folder):
        if not (folder / "done").exists():
            _migrate(folder)
            (folder / "done").touch()
    _begin_as(folder)


def end() -> None:
    """Remove what was copied."""
    folder = Path(os.environ.pop(FOLDER))
    if (folder / "lock").exists():
        with connection._nodb_cursor() as cursor:
            name = connection.ops.quote_name(_name(folder))
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    shutil.rmtree(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _name(folder: Path) -> str:
    """Return the name of the migrated database."""
    return folder.name.replace("-", "_")


def _migrate(folder: Path) -> None:
    own, test = connection.settings_dict["NAME"], connection.settings_dict["TEST"]
    tests_own, test["NAME"] = test["NAME"], _name(folder)
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    finally:
        connection.close()
        test["NAME"] = tests_own
        connection.settings_dict["NAME"] = settings.DATABASES[connection.alias]["NAME"] = own


def _begin_as(folder: Path) -> None:
    """Django's own migrating comes after it, and has nothing left to do."""
    connection.settings_dict["TEST"]["TEMPLATE"] = _name(folder)
