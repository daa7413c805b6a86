"""An installation on SQLite moves into Postgres by one command, and nothing is lost.

`sqlite.sql.gz` is the last schema that SQLite had, with the rows of `0.1.0.json.gz` migrated to it.
"""

import gzip
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from tests.upgrade.old_database import HERE, manage, postgres, run

pytestmark = pytest.mark.slow

SQL = HERE / "sqlite.sql.gz"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database as a killed process leaves it: some rows are only in its log."""
    folder = tmp_path_factory.mktemp("old")
    made, left = folder / "made.sqlite3", folder / "plumbline.sqlite3"
    db = sqlite3.connect(made)
    db.executescript(gzip.decompress(SQL.read_bytes()).decode())
    db.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;")
    db.execute("UPDATE annotate_campaign SET name = 'Ünïcode “quoted” {', budget = 1234567.89")
    db.commit()
    left.write_bytes(made.read_bytes())
    log = made.with_name("made.sqlite3-wal").read_bytes()
    assert len(log) > 0
    left.with_name("plumbline.sqlite3-wal").write_bytes(log)
    db.close()
    return left


def state(file: Path) -> dict[str, str]:
    """Return what lies in the folder, by hash."""
    found = sorted(file.parent.glob(f"{file.name}*"))
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in found}


@pytest.fixture(scope="module")
def moved(old: Path) -> Iterator[tuple[str, str]]:
    """Move it; yield the address of the database and what the command said."""
    with postgres() as url:
        before = state(old)
        said = manage(url, "move_from_sqlite", str(old))
        assert state(old) == before
        yield url, said


def rows(url: str, query: str) -> list[Any]:
    with closing(psycopg2.connect(url)) as there, there.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def test_every_row_is_there_with_its_value(moved: tuple[str, str], old: Path) -> None:
    url, said = moved
    copy = old.parent / "read.sqlite3"
    copy.write_bytes(old.read_bytes())
    copy.with_name("read.sqlite3-wal").write_bytes(
        old.with_name("plumbline.sqlite3-wal").read_bytes()
    )
    with closing(sqlite3.connect(copy)) as db:
        names = [n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counted = {n: db.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names}
        judged = db.execute("SELECT id, submitted_at, response FROM annotate_judgment ORDER BY id")
        judgments = judged.fetchall()
        money = db.execute("SELECT sum(round(amount * 100)) FROM annotate_ledgerentry").fetchone()
    n_told = {name: int(n.replace(",", "")) for n, name in re.findall(r" *([\d,]+)  (\w+)\n", said)}
    kept = {n: counted[n] for n in names if counted[n] and not n.startswith("sqlite_")}
    kept.pop("django_migrations")
    assert n_told == kept
    assert len(kept) > 40
    assert len(judgments) > 100
    here = rows(url, "SELECT id, submitted_at, response::text FROM annotate_judgment ORDER BY id")
    assert [(pk, at, json.loads(response)) for pk, at, response in here] == [
        (pk, datetime.fromisoformat(at).replace(tzinfo=UTC), json.loads(response))
        for pk, at, response in judgments
    ]
    assert rows(url, "SELECT sum(amount) * 100 FROM annotate_ledgerentry")[0][0] == money[0]
    assert rows(url, "SELECT DISTINCT name, budget::text FROM annotate_campaign") == [
        ("Ünïcode “quoted” {", "1234567.89")
    ]


def test_new_rows_get_numbers_that_no_row_had(moved: tuple[str, str]) -> None:
    last = rows(moved[0], "SELECT max(id) FROM annotate_judgment")[0][0]
    sequence = "pg_get_serial_sequence('annotate_judgment', 'id')"
    assert rows(moved[0], f"SELECT nextval({sequence})")[0][0] > last


def test_the_product_works_on_what_was_moved(moved: tuple[str, str]) -> None:
    assert manage(moved[0], "migrate", "--check") == ""
    assert "agree with their facts" in manage(moved[0], "recount", "--mend")
    run(moved[0], "-m", "tests.upgrade.using")


def refused(url: str, file: Path) -> str:
    with pytest.raises(AssertionError) as found:
        manage(url, "move_from_sqlite", str(file))
    return str(found.value)


def test_a_filled_database_is_refused(moved: tuple[str, str], old: Path) -> None:
    assert "This database is not empty" in refused(moved[0], old)


def test_what_is_no_such_database_is_refused_and_nothing_is_made(old: Path, tmp_path: Path) -> None:
    earlier, later, other = (tmp_path / f"{name}.sqlite3" for name in ("a", "b", "c"))
    for file, sql in (
        (earlier, "DELETE FROM django_migrations WHERE name = '0049_work_times'"),
        (later, "INSERT INTO django_migrations VALUES (9999, 'annotate', '0050_x', '2026-01-01')"),
    ):
        with closing(sqlite3.connect(file)) as db:
            db.executescript(gzip.decompress(SQL.read_bytes()).decode())
            db.execute(sql)
            db.commit()
    other.write_text("not a database at all, but a text that is long enough to be one\n" * 20)
    with postgres() as url:
        assert "Upgrade it first" in refused(url, earlier)
        assert "does not know" in refused(url, later)
        assert "is not a SQLite database" in refused(url, other)
        assert "There is no file" in refused(url, tmp_path / "none")
        assert rows(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_a_row_that_does_not_fit_moves_nothing_and_can_be_tried_again(
    old: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.sqlite3"
    with closing(sqlite3.connect(broken)) as db:
        db.executescript(gzip.decompress(SQL.read_bytes()).decode())
        db.execute("UPDATE annotate_judgment SET assignment_id = 999999 WHERE id = 1")
        db.commit()
    with postgres() as url:
        refused(url, broken)
        assert rows(url, "SELECT count(*) FROM annotate_campaign") == [(0,)]
        assert "the same on both sides" in manage(url, "move_from_sqlite", str(old))
