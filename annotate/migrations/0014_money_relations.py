"""Foreign keys beside the keys, and a payload in place of arguments."""

from django.db import migrations, models
from django.db.models import PROTECT


def _to(model: str, name: str) -> models.ForeignKey:
    return models.ForeignKey(
        f"annotate.{model}", on_delete=PROTECT, null=True, related_name=name
    )


class Migration(migrations.Migration):
    dependencies = [("annotate", "0013_superseded_judgments")]
    operations = [
        migrations.RenameField("operation", "arguments", "payload"),
        migrations.AlterField("operation", "payload", models.JSONField()),
        migrations.AddField("operation", "entry", _to("ledgerentry", "operations")),
        migrations.AddField("operation", "annotator", _to("annotator", "operations")),
        migrations.AddField("ledgerentry", "ruling", _to("ruling", "ledger")),
        migrations.AddField(
            "payout",
            "entry",
            models.OneToOneField(
                "annotate.ledgerentry", on_delete=PROTECT, null=True, related_name="payout"
            ),
        ),
        migrations.AddField(
            "posting",
            "gaps",
            models.ManyToManyField(related_name="refills", to="annotate.slot"),
        ),
    ]
