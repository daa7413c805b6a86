"""A database that 0.2.0 filled, schema and rows, is restored, migrated, and says the same."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.upgrade.old_database import manage, postgres, run

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
VERSIONS = ("0.2.0",)


@pytest.fixture(scope="module", params=VERSIONS)
def both(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[tuple[Any, Any]]:
    """What it said then, and what it says now."""
    dump = tmp_path_factory.mktemp("dump") / "dump.sql"
    dump.write_bytes(gzip.decompress((HERE / f"{request.param}.sql.gz").read_bytes()))
    then = json.loads((HERE / f"{request.param}.said.json").read_text())
    with postgres() as url:
        manage(url, "postgres", "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-f", str(dump))
        manage(url, "migrate", "-v0")
        yield then, json.loads(run(url, "-m", "tests.upgrade.saying"))


@pytest.mark.parametrize("what", ["counts", "money"])
def test_no_fact_and_no_cent_is_lost(both: tuple[Any, Any], what: str) -> None:
    then, now = both
    assert now[what] == then[what]


def test_its_exports_are_still_verified(both: tuple[Any, Any]) -> None:
    then, now = both
    assert now["verify"] == then["verify"]
