"""Keeps the filled database for `tests/upgrade/test_filled.py`: a dump, and what it says."""

import gzip
import json
import os
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection

from tests.upgrade import saying
from tests.upgrade.databases import manage

FOLDER = Path(saying.__file__).parent


def keep(version: str) -> None:
    """Write tests/upgrade/VERSION.sql.gz, and VERSION.said.json beside it."""
    here = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "dump.sql")
        owned = ("--no-owner", "--no-privileges")
        manage(here.geturl(), "postgres", "pg_dump", *owned, f"--file={dump}")
        packed = gzip.compress(dump.read_bytes(), mtime=0)
    (FOLDER / f"{version}.sql.gz").write_bytes(packed)
    said = json.dumps(saying.says(), indent=1, ensure_ascii=False)
    (FOLDER / f"{version}.said.json").write_text(said + "\n")
