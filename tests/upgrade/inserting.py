"""`python -m tests.upgrade.inserting VERSION`: insert what an earlier version had stored."""

import os
import sys

import django
from django.db import connection, transaction

from tests.upgrade.old_database import Tables, tables


def insert(version: str) -> None:
    """All tables in one transaction: foreign keys are looked at when it ends."""
    found = tables(version)
    with transaction.atomic(), connection.cursor() as cursor:
        for name, table in found.items():
            columns = ", ".join(f'"{column}"' for column in table["columns"])
            values = ", ".join(["%s"] * len(table["columns"]))
            cursor.executemany(f'INSERT INTO "{name}" ({columns}) VALUES ({values})', table["rows"])
    _continue_numbering(found)


def _continue_numbering(found: Tables) -> None:
    """Let Postgres number new rows after the inserted ones."""
    with connection.cursor() as cursor:
        for name, table in found.items():
            if "id" in table["columns"]:
                sequence = f"pg_get_serial_sequence('{name}', 'id')"
                cursor.execute(f'SELECT setval({sequence}, max(id)) FROM "{name}"')


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    insert(sys.argv[1])
