"""Pay for a failed try of the tutorial: 0 for the campaigns that there are, whose plan had none."""

from decimal import Decimal

from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("reward", "Reward"),
    ("tutorial", "tutorial passed"),
    ("failed_try", "tutorial tried and not passed"),
    ("bonus", "extra bonus"),
    ("refusal", "pay refused"),
    ("reinstatement", "refused pay restored"),
    ("compensation", "late work that no longer counts"),
    ("remainder", "rest of the pay that was announced"),
    ("lapse", "work that was never handed in at the crowd"),
]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0053_next_steps_and_people")]

    operations = [
        migrations.AddField(
            "campaign",
            "failed_try_pay",
            models.DecimalField(max_digits=6, decimal_places=2, default=Decimal(0)),
        ),
        migrations.AlterField(
            "campaign",
            "failed_try_pay",
            models.DecimalField(max_digits=6, decimal_places=2, default=Decimal("0.25")),
        ),
        migrations.AddConstraint(
            "campaign",
            models.CheckConstraint(
                condition=Q(failed_try_pay__gte=0), name="campaign_failed_try_pay"
            ),
        ),
        migrations.AlterField(
            "ledgerentry", "kind", models.CharField(max_length=20, choices=KINDS)
        ),
    ]
