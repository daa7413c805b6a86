"""What all tests share."""

import functools
import gc
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.loaders import JSONFileLoader, Loader
from django.conf import settings
from django.db.backends.postgresql.creation import DatabaseCreation
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import override_settings
from django.utils import timezone
from hypothesis import HealthCheck
from hypothesis import settings as examples
from limits.storage import MemoryStorage
from pytest_django import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from annotate.common import limits
from tests import dealing
from tests.crowds.clock import Clock
from tests.running import migrated

# On a busy machine an example may take any time, which says nothing about the product.
examples.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
examples.load_profile("busy")

# Written by migrations, and the same for each test.
KEPT = {"django_content_type", "auth_permission"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several workers share the tests, each begins with its share of the slow ones."""
    if about := getattr(config, "workerinput", None):
        workers = about["workercount"]
        items[:] = dealing.deal(items, workers, lambda item: item.path, dealing.kind)


def pytest_sessionstart() -> None:
    """Thousands of tests are collected and all of them stay: there is nothing to look for."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before the workers start: they inherit the environment."""
    if getattr(config.option, "numprocesses", None):
        migrated.begin()
        config.add_cleanup(migrated.end)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest,
    django_db_modify_db_settings_parallel_suffix: None,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    """Several workers have the migrations run once."""
    if hasattr(request.config, "workerinput"):
        with django_db_blocker.unblock():
            migrated.copy()


@pytest.fixture(autouse=True, scope="session")
def _quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["tests.passwords.QuickHasher"]):
        yield


@pytest.fixture(autouse=True, scope="session")
def _quick_static_files() -> Iterator[None]:
    """Each client makes the middleware, which opens each static file; here the first one does."""
    look = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[object, dict[str, Any]] = {}

    def add(made: WhiteNoiseMiddleware) -> None:
        folders = str([made.static_root, *settings.STATICFILES_DIRS])
        key = (folders, made.static_prefix, made.max_age, made.allow_all_origins)
        if key not in found:
            look(made)
            found[key] = made.files
        made.files = found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add)
        yield


@pytest.fixture(autouse=True, scope="session")
def _quick_boto3() -> Iterator[None]:
    """A session of boto3 looks into hundreds of folders and reads megabytes; here the first one."""
    load_file = JSONFileLoader.load_file
    read = functools.cache(lambda path: load_file(JSONFileLoader(), path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JSONFileLoader, "load_file", lambda _self, path: read(path))
        for look in ("list_available_services", "list_api_versions"):
            patch.setattr(Loader, look, _once(getattr(Loader, look)))
        yield


def _once(look: Callable[..., Any]) -> Callable[..., Any]:
    found: dict[tuple[str, ...], Any] = {}

    def looked(loader: Loader, *asked: str) -> Any:
        key = (*loader.search_paths, *asked)
        if key not in found:
            found[key] = look(loader, *asked)
        return found[key]

    return looked


@pytest.fixture(autouse=True, scope="session")
def _quick_flush() -> Iterator[None]:
    """Between tests that commit, delete the few rows: to truncate every table takes longer."""

    def sql_flush(
        ops: DatabaseOperations, _style: Any, tables: list[str], **_how: Any
    ) -> list[str]:
        emptied = [ops.quote_name(table) for table in sorted({*tables} - KEPT)]
        return ["; ".join(f"DELETE FROM {table}" for table in emptied)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(autouse=True, scope="session")
def _end_in_spite_of_threads() -> Iterator[None]:
    """A thread of a server may hold its connection when the database of the tests is dropped."""

    def drop(creation: DatabaseCreation, name: str, _verbosity: int) -> None:
        with creation._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {creation.connection.ops.quote_name(name)} WITH (FORCE)")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseCreation, "_destroy_test_db", drop)
        yield


@pytest.fixture(autouse=True)
def _counted_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with nothing counted, whatever others do with the session's Redis.

    Reading a count tells whether it is over; the thread that removes such counts may meet one
    that is removed at this moment, and then ends with an error that fails any test.
    """
    monkeypatch.setattr(MemoryStorage, "_MemoryStorage__expire_events", lambda _self: None)
    monkeypatch.setattr(limits, "_own", MemoryStorage())
    monkeypatch.setattr(limits, "_silent_until", math.inf)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(timezone, "now", moved.now)
    return moved
