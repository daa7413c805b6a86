"""Copies rows of a template campaign inside Postgres: one statement for each table."""

from collections.abc import Sequence

from django.apps import apps
from django.db import connection, models

from annotate.models import Campaign

# How a model without a campaign of its own leads to it.
PATHS: dict[str, str] = {
    "Campaign": "pk",
    "Authorship": "item__campaign",
    "Annotator": "participations__campaign",
    "Score": "judgment__campaign",
    "Posting": "batch__campaign",
    "TutorialRun": "participation__campaign",
    "Feedback": "participation__campaign",
}


def run(statement: str, values: Sequence[object] = ()) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


class Cloner:
    """Makes the rows of one campaign from those of a template.

    Expressions are SQL in `t` = 0 … count - 1, with {base} for the id of the campaign's first row in
    every table, and `row` for the template's row.
    """

    def __init__(self, template: Campaign, base: int) -> None:
        self.template = template
        self.base = base

    def clone(
        self,
        model: type[models.Model],
        count: int,
        changes: dict[str, str] | None = None,
        *,
        which: str = "0",
        where: str = "true",
    ) -> None:
        """Copy row number `which` of the template `count` times, where `where` holds."""
        if count < 1:
            return
        known = {"id": "{base} + t", "campaign_id": "{base}"} | (changes or {})
        columns = [str(field.column) for field in model._meta.local_concrete_fields]
        values = [known.get(column, f'row."{column}"') for column in columns]
        names = ", ".join(f'"{column}"' for column in columns)
        table = model._meta.db_table
        rows = model._base_manager.filter(
            **{PATHS.get(model.__name__, "campaign"): self.template.pk}
        )
        ids = sorted(set(rows.values_list("pk", flat=True)))
        if not ids:
            raise ValueError(f"The template has no {model.__name__}.")
        statement = (
            f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} "  # noqa: S608
            f"FROM generate_series(0::bigint, {count - 1}) AS n(t) "
            f"JOIN {table} AS row ON row.id = (ARRAY{ids})[(1 + ({which}) % {len(ids)})::int] "
            f"WHERE {where}"
        )
        run(statement.replace("{base}", str(self.base)))

    def run(self, statement: str) -> None:
        run(statement.replace("{base}", str(self.base)))


def without_checks() -> None:
    """Let this connection insert without looking up each foreign key."""
    run("SET session_replication_role = replica")


def finish() -> None:
    """Check foreign keys again, and let the sequences go on behind the rows."""
    run("SET session_replication_role = DEFAULT")
    for model in apps.get_models():
        table, key = model._meta.db_table, model._meta.pk
        if isinstance(key, models.AutoField):
            run(
                "SELECT setval(pg_get_serial_sequence(%s, %s), "  # noqa: S608
                f"GREATEST(1, (SELECT COALESCE(MAX({key.column}), 1) FROM {table})))",
                [table, key.column],
            )
