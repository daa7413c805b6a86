"""A database that an earlier version filled is restored and migrated, and people go on using it."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.upgrade.databases import manage, postgres, run, session

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
VERSIONS = ("0.2.0",)
COLUMNS = """
SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision,
       numeric_scale, is_nullable, column_default, is_identity, collation_name
FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2
"""
# Names of constraints and indexes differ where a table was renamed once.
CONSTRAINTS = """
SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2
"""
INDEXES = r"""
SELECT tablename, regexp_replace(indexdef, 'INDEX \S+ ON', 'INDEX ON') FROM pg_indexes
WHERE schemaname = 'public' ORDER BY 1, 2
"""

CASTS = re.compile(
    r"::(character varying|text|numeric)|[()]|\[\]"
)  # a dump writes them in other places


def restore(url: str, version: str, folder: Path) -> None:
    dump = folder / "dump.sql"
    dump.write_bytes(gzip.decompress((HERE / f"{version}.sql.gz").read_bytes()))
    manage(url, "postgres", "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-f", str(dump))


@pytest.fixture(scope="module", params=VERSIONS)
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[tuple[Any, str]]:
    """What it said then, and its database now."""
    then = json.loads((HERE / f"{request.param}.said.json").read_text())
    with postgres() as url:
        restore(url, request.param, tmp_path_factory.mktemp("dump"))
        assert "pg_dump -Fc" in manage(url, "migrate")
        yield then, url


@pytest.fixture(scope="module")
def now(upgraded: tuple[Any, str]) -> Any:
    return json.loads(run(upgraded[1], "-m", "tests.upgrade.saying"))


@pytest.mark.parametrize("what", ["counts", "money", "verify"])
def test_no_fact_and_no_cent_is_lost_and_exports_are_verified(
    upgraded: tuple[Any, str], now: Any, what: str
) -> None:
    assert now[what] == upgraded[0][what]


def test_every_page_opens_and_scores_say_what_judgments_say(now: Any) -> None:
    assert len(now["pages"]) > 50
    assert {address: code for address, code in now["pages"].items() if code != 200} == {}
    assert now["scores"] == []


def test_people_go_on_working_and_corrections_are_taken(now: Any) -> None:
    assert now["work"] >= 1
    assert now["corrected"] == {"kept": 2, "counted": 1}


def schema(url: str) -> list[list[str]]:
    found = []
    with session(url) as cursor:
        for query in (COLUMNS, CONSTRAINTS, INDEXES):
            cursor.execute(query)
            found.append([CASTS.sub("", repr(row)) for row in cursor.fetchall()])
    return found


def test_its_schema_is_that_of_a_new_database(upgraded: tuple[Any, str]) -> None:
    with postgres() as url:
        manage(url, "migrate", "-v0")
        for mine, new in zip(schema(upgraded[1]), schema(url), strict=True):
            assert mine == new
        manage(url, "makemigrations", "--check", "--dry-run", "-v0")


def test_a_database_from_before_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    with postgres() as url:
        restore(url, VERSIONS[0], tmp_path)
        with session(url) as cursor:
            cursor.execute("DELETE FROM django_migrations WHERE name = '0054_failed_try_pay'")
        before = schema(url)
        with pytest.raises(AssertionError, match=r"version before 0[.]2[.]0"):
            manage(url, "migrate")
        assert schema(url) == before


def test_a_first_migration_that_was_cut_short_goes_on() -> None:
    with postgres() as url:
        manage(url, "migrate", "annotate", "-v0")
        manage(url, "migrate", "-v0")
        manage(url, "migrate", "--check", "-v0")
