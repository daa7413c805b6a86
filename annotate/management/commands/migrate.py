"""Django's `migrate`, which refuses databases from before 0.2.0 and names the backup command."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as Migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

# The last migrations of version 0.2.0.
LAST = {"annotate": "0054_failed_try_pay", "estimation": "0010_versions_of_estimates"}


class Command(Migrate):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        applied = MigrationRecorder(connection).applied_migrations()
        begun = {app for app, _name in applied if app in LAST}
        if any((app, LAST[app]) not in applied for app in begun):
            raise CommandError(
                "This database is from a version before 0.2.0. Nothing was changed. Migrate it "
                "with version 0.2.0 first, then with this one."
            )
        if begun and options["verbosity"]:
            name = connection.settings_dict["NAME"]
            self.stdout.write(f"To keep a backup first: pg_dump -Fc -f {name}.dump {name}")
        super().handle(*args, **options)
