"""Moving an installation from SQLite into Postgres, once (`manage.py move_from_sqlite`).

The last schema that SQLite had is made in an empty Postgres database, every row is copied in one
transaction, counted and hashed on both sides, and only then the schema is brought up to date. The
file itself is never opened: a copy of it is.
"""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from psycopg2.extras import execute_values

# The last schema that SQLite had.
LAST = {"annotate": "0049_work_times", "estimation": "0009_closer_looks"}
MIGRATIONS = "django_migrations"
# `migrate` fills these; the rows of the file, to which others refer, take their place.
MADE_AGAIN = ("auth_permission", "django_content_type")
BATCH = 1000  # rows that are read and written at once

Row = tuple[Any, ...]
Columns = dict[str, Callable[[Any], Any]]  # {name: what makes a value of Postgres of SQLite's}


class MoveRefused(Exception):
    """The file or the database is not one between which Plumbline moves; nothing was changed."""


def move(file: Path) -> dict[str, int]:
    """Copy all rows of this SQLite file into the empty database; return {table: rows}.

    Raises `MoveRefused`.
    """
    if connection.vendor != "postgresql":
        raise MoveRefused("DATABASE_URL must name the Postgres database to which the data go.")
    with _copy_of(file) as source:
        loader = MigrationLoader(connection)
        expected = _expected(loader)
        _check_source(source, expected)
        _check_target(expected)
        for app, name in LAST.items():
            call_command("migrate", app, name, verbosity=0)
        for app in sorted({app for app, _name in expected} - LAST.keys()):
            call_command("migrate", app, verbosity=0)
        with transaction.atomic():
            moved = _copy_all(source)
    call_command("migrate", verbosity=0)
    return moved


@contextmanager
def _copy_of(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of the file and of its log. To open a file with a log may change both."""
    if not file.is_file():
        raise MoveRefused(f"There is no file {file}.")
    parts = [file, file.with_name(f"{file.name}-wal")]
    before = [_state(part) for part in parts]
    with TemporaryDirectory() as folder:
        for part in parts:
            if part.exists():
                shutil.copyfile(part, Path(folder) / part.name)
        with closing(sqlite3.connect(Path(folder) / file.name)) as source:
            source.text_factory = str
            try:
                (said,) = source.execute("PRAGMA integrity_check").fetchone()
            except sqlite3.DatabaseError as error:
                raise MoveRefused(f"{file} is not a SQLite database: {error}.") from None
            if said != "ok":
                raise MoveRefused(f"{file} is damaged: {said}")
            if [_state(part) for part in parts] != before:
                raise MoveRefused(f"{file} is being written. Stop the old Plumbline first.")
            yield source


def _state(part: Path) -> tuple[int, int] | None:
    return (part.stat().st_size, part.stat().st_mtime_ns) if part.exists() else None


def _expected(loader: MigrationLoader) -> set[tuple[str, str]]:
    """Return the migrations that a database with the last schema of SQLite has."""
    leaves = [node for node in loader.graph.leaf_nodes() if node[0] not in LAST]
    plans = (loader.graph.forwards_plan(node) for node in [*LAST.items(), *leaves])
    return {node for plan in plans for node in plan}


def _check_source(source: sqlite3.Connection, expected: set[tuple[str, str]]) -> None:
    try:
        applied = set(source.execute(f"SELECT app, name FROM {MIGRATIONS}"))  # noqa: S608
    except sqlite3.OperationalError:
        raise MoveRefused("This file is not a database of Plumbline.") from None
    if missing := sorted(expected - applied):
        raise MoveRefused(
            f"This file has an earlier schema, without {'.'.join(missing[0])}. Upgrade it first: "
            "run `manage.py migrate` of the last version that used SQLite, and move it then."
        )
    if more := sorted(applied - expected):
        raise MoveRefused(f"This file has a schema that this Plumbline does not know: {more[0]}.")


def _check_target(expected: set[tuple[str, str]]) -> None:
    """Refuse a database that has rows, or another schema than an attempt before left."""
    tables = set(connection.introspection.table_names())
    if not tables:
        return
    filled = "This database is not empty. Make an empty one (`createdb`), and name it instead."
    if MIGRATIONS not in tables or set(MigrationLoader(connection).applied_migrations) != expected:
        raise MoveRefused(filled)
    with connection.cursor() as cursor:
        for table in tables - {MIGRATIONS, *MADE_AGAIN}:
            cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {_quoted(table)})")  # noqa: S608
            if cursor.fetchone()[0]:
                raise MoveRefused(filled)


def _copy_all(source: sqlite3.Connection) -> dict[str, int]:
    tables = sorted(connection.introspection.table_names())
    theirs = {
        name
        for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith("sqlite_")
    }
    if theirs != set(tables):
        raise MoveRefused(f"Tables differ: {sorted(theirs ^ set(tables))}.")
    tables.remove(MIGRATIONS)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in MADE_AGAIN:
            cursor.execute(f"DELETE FROM {_quoted(table)}")  # noqa: S608
    moved = {}
    for table in tables:
        columns = _columns(source, table)
        _copy(source, table, columns)
        _number_on(source, table)
        here = _digest(_stored(table, columns))
        if here != _digest(_converted(source, table, columns)):
            raise MoveRefused(f"The rows of {table} differ after they were copied.")
        moved[table] = here[0]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return moved


def _columns(source: sqlite3.Connection, table: str) -> Columns:
    """Return the columns of a table, which are the same on both sides."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type, numeric_scale FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = %s ORDER BY ordinal_position",
            [table],
        )
        found = {name: _maker(kind, scale) for name, kind, scale in cursor.fetchall()}
    theirs = {row[1] for row in source.execute(f"PRAGMA table_info({_quoted(table)})")}
    if theirs != found.keys():
        raise MoveRefused(f"The columns of {table} differ: {sorted(theirs ^ found.keys())}.")
    return found


def _maker(kind: str, scale: int | None) -> Callable[[Any], Any]:
    if kind == "numeric":
        unit = Decimal(1).scaleb(-(scale or 0))
        return lambda value: Decimal(str(value)).quantize(unit)
    if kind not in _MAKERS:
        raise MoveRefused(f"Plumbline does not know how to move values of the type {kind}.")
    return _MAKERS[kind]


def _moment(value: str) -> datetime:
    """Django keeps points in time as UTC without saying so."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def _json(value: str) -> str:
    """Return JSON in one form: Postgres keeps neither blanks nor the order of names."""
    return json.dumps(json.loads(value), sort_keys=True)


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "bigint": int,
    "integer": int,
    "smallint": int,
    "boolean": bool,
    "double precision": float,
    "character varying": str,
    "text": str,
    "inet": str,
    "jsonb": _json,
    "uuid": lambda value: str(UUID(value)),
    "bytea": bytes,
    "date": date.fromisoformat,
    "time without time zone": time.fromisoformat,
    "timestamp with time zone": _moment,
    "interval": lambda value: timedelta(microseconds=value),
}


def _converted(source: sqlite3.Connection, table: str, columns: Columns) -> Iterator[Row]:
    """Yield the rows of the file as values of Postgres."""
    names = ", ".join(map(_quoted, columns))
    makers = list(columns.values())
    for row in source.execute(f"SELECT {names} FROM {_quoted(table)}"):  # noqa: S608
        yield tuple(
            None if value is None else make(value) for make, value in zip(makers, row, strict=True)
        )


def _copy(source: sqlite3.Connection, table: str, columns: Columns) -> None:
    names = ", ".join(map(_quoted, columns))
    with connection.cursor() as cursor:
        execute_values(
            cursor.cursor,
            f"INSERT INTO {_quoted(table)} ({names}) VALUES %s",  # noqa: S608
            _converted(source, table, columns),
            page_size=BATCH,
        )


def _stored(table: str, columns: Columns) -> Iterator[Row]:
    """Yield the rows as Postgres has them."""
    names = ", ".join(map(_quoted, columns))
    with connection.connection.cursor(name="moved") as cursor:
        cursor.itersize = BATCH
        cursor.execute(f"SELECT {names} FROM {_quoted(table)}")  # noqa: S608
        for row in cursor:
            yield tuple(
                _json(value) if make is _json and value is not None else value
                for make, value in zip(columns.values(), row, strict=True)
            )


def _digest(rows: Iterator[Row]) -> tuple[int, int]:
    """Return how many rows there are, and the sum of their hashes, whatever their order."""
    n = total = 0
    for row in rows:
        n += 1
        told = repr([_plain(value) for value in row]).encode()
        total += int.from_bytes(hashlib.sha256(told).digest())
    return n, total % 2**256


def _plain(value: Any) -> Any:
    """Return a value in a form that is the same whichever side it was read from."""
    if isinstance(value, memoryview | bytes):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value


def _number_on(source: sqlite3.Connection, table: str) -> None:
    """Let new rows have numbers that no row ever had."""
    with connection.cursor() as cursor:
        sequences: Sequence[Any] = connection.introspection.get_sequences(cursor, table)
        for one in sequences:
            column = one["column"]
            cursor.execute(f"SELECT max({_quoted(column)}) FROM {_quoted(table)}")  # noqa: S608
            used = source.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", [table])
            last = max(cursor.fetchone()[0] or 0, used.fetchone()[0] or 0)
            if last:
                place = "pg_get_serial_sequence(%s, %s)"
                cursor.execute(f"SELECT setval({place}, %s)", [table, column, last])


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
