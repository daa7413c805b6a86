"""How the names of people who came by link look, so that newcomers are compared with them."""

from itertools import islice

from django.db import migrations, models

from annotate.common.text import keys

AT_ONCE = 2000
FILL = "UPDATE annotate_annotator SET name_small=%s, name_large=%s, holds_name=%s WHERE id=%s"


def fill(apps, schema_editor):
    """Give everybody their keys; of people who are one already, the first holds the name."""
    connection = schema_editor.connection
    annotators = apps.get_model("annotate", "Annotator").objects.using(connection.alias)
    people = annotators.filter(crowd="link").order_by("pk")
    rows = people.values_list("pk", "environment", "external_id").iterator(AT_ONCE)
    held = set()
    while some := list(islice(rows, AT_ONCE)):
        with connection.cursor() as cursor:
            cursor.executemany(FILL, [_filled(*row, held) for row in some])


def _filled(pk, environment, name, held):
    found = keys(name)
    looks = {(environment, "small", found.small), (environment, "large", found.large)}
    holds = environment.startswith("open-") and held.isdisjoint(looks)
    if holds:
        held |= looks
    return found.small, found.large, holds, pk


class Migration(migrations.Migration):
    dependencies = [("annotate", "0003_unblinded_reviewers")]

    operations = [
        migrations.AddField(
            "annotator", "name_small", models.CharField(blank=True, default="", max_length=32)
        ),
        migrations.AddField(
            "annotator", "name_large", models.CharField(blank=True, default="", max_length=32)
        ),
        migrations.AddField("annotator", "holds_name", models.BooleanField(default=False)),
        migrations.AddIndex(
            "annotator",
            models.Index(
                fields=["name_small"], condition=~models.Q(name_small=""), name="annotator_name_small"
            ),
        ),
        migrations.AddIndex(
            "annotator",
            models.Index(
                fields=["name_large"], condition=~models.Q(name_large=""), name="annotator_name_large"
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
