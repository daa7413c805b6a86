"""Names that are one are taken once among the people of an open link."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0004_names_that_are_one")]

    operations = [
        migrations.AddConstraint(
            "annotator",
            models.UniqueConstraint(
                fields=["environment", name],
                condition=models.Q(holds_name=True),
                name=f"name_once_in_{name.removeprefix('name_')}",
            ),
        )
        for name in ("name_small", "name_large")
    ]
