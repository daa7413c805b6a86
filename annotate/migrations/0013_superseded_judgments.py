"""A judgment may be superseded by a later one: what is unique holds for those that are not."""

from django.db import migrations, models
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):
    dependencies = [("annotate", "0012_words_of_stop_modes")]
    operations = [
        migrations.AddField("judgment", "superseded_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "judgment",
            "supersedes",
            models.OneToOneField(
                "annotate.judgment", PROTECT, null=True, related_name="superseded_by"
            ),
        ),
        migrations.AlterField(
            "judgment",
            "assignment",
            models.ForeignKey("annotate.assignment", PROTECT, related_name="judgments"),
        ),
        migrations.RemoveConstraint("judgment", "one_judgment_per_person_and_output"),
        migrations.AddConstraint(
            "judgment",
            models.UniqueConstraint(
                fields=["annotator", "output"],
                condition=models.Q(superseded_at=None),
                name="one_judgment_per_person_and_output",
            ),
        ),
        migrations.AddConstraint(
            "judgment",
            models.UniqueConstraint(
                fields=["assignment"],
                condition=models.Q(superseded_at=None),
                name="one_judgment_an_assignment",
            ),
        ),
    ]
