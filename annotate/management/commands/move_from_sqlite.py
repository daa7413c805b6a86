"""Move an installation from SQLite into Postgres."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import moving


class Command(BaseCommand):
    help = (
        "Copy every row of a SQLite file of Plumbline 0.1 into the empty Postgres database of "
        "DATABASE_URL, count and hash the rows on both sides, and bring the schema up to date. "
        "The file is not changed. Stop the old Plumbline first, and keep its SECRET_KEY."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="such as var/plumbline.sqlite3")

    def handle(self, *, file: Path, **_options: Any) -> None:
        try:
            moved = moving.move(file)
        except moving.MoveRefused as refused:
            raise CommandError(str(refused)) from None
        for table, rows in moved.items():
            if rows:
                self.stdout.write(f"{rows:>10,}  {table}")
        self.stdout.write(
            f"{sum(moved.values()):>10,} rows in all, the same on both sides. {file} is as it was."
        )
