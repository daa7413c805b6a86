from typing import Any

from django.db import migrations, models
from django.db.models.deletion import CASCADE, PROTECT


class RenameUnique(migrations.operations.base.Operation):
    """Rename a unique constraint in the catalogue: its index on a large table is not built anew."""

    reversible = True

    def __init__(self, model_name: str, old: str, new: str, fields: list[str]) -> None:
        self.model_name, self.old, self.new, self.fields = model_name, old, new, fields

    def state_forwards(self, app_label: str, state: Any) -> None:
        constraint = models.UniqueConstraint(fields=self.fields, name=self.new)
        state.remove_constraint(app_label, self.model_name, self.old)
        state.add_constraint(app_label, self.model_name, constraint)

    def database_forwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        self._rename(after.apps.get_model(app_label, self.model_name), editor, self.old, self.new)

    def database_backwards(self, app_label: str, editor: Any, before: Any, after: Any) -> None:
        self._rename(after.apps.get_model(app_label, self.model_name), editor, self.new, self.old)

    def _rename(self, model: Any, editor: Any, old: str, new: str) -> None:
        table = editor.quote_name(model._meta.db_table)
        editor.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")

    def describe(self) -> str:
        return f"Rename constraint {self.old} on {self.model_name} to {self.new}"


class Migration(migrations.Migration):
    dependencies = [("annotate", "0010_keep_open_link_bonus")]
    operations = [
        migrations.RenameModel("EvidenceChange", "ChangeMark"),
        migrations.AlterField(
            "changemark",
            "campaign",
            models.ForeignKey("annotate.campaign", CASCADE, related_name="change_marks"),
        ),
        migrations.RenameModel("Place", "Slot"),
        migrations.AlterField(
            "slot",
            "campaign",
            models.ForeignKey("annotate.campaign", CASCADE, related_name="slots"),
        ),
        migrations.AlterField(
            "slot",
            "output",
            models.ForeignKey("annotate.output", CASCADE, related_name="slots"),
        ),
        migrations.AlterField(
            "slot",
            "assignment",
            models.OneToOneField("annotate.assignment", PROTECT, null=True, related_name="slot"),
        ),
        migrations.RenameIndex(
            "slot", old_name="place_free_in_order", new_name="slot_free_in_order"
        ),
        migrations.RenameIndex("slot", old_name="place_by_holder", new_name="slot_by_holder"),
        RenameUnique("slot", "place_number_once", "slot_number_once", ["output", "number"]),
    ]
