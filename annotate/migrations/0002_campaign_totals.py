"""A row of totals for each campaign, counted from its slots, leases and ledger.

It replaces allowances of leases and all tallies, which held nothing that facts do not say.
"""

from decimal import Decimal
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, F, Sum


def count(apps: Any, _schema: Any) -> None:
    """Count what every campaign has leased and spent."""
    get = apps.get_model
    slots = get("annotate", "Slot").objects.filter(assignment__isnull=False).order_by()
    held = dict(slots.values_list("campaign").annotate(n=Count("pk")))
    open_leases = get("annotate", "Assignment").objects.filter(status="leased").order_by()
    leased = dict(open_leases.values_list("campaign").annotate(n=Count("pk")))
    ledger = get("annotate", "LedgerEntry").objects.order_by()
    spent = dict(ledger.values_list("campaign").annotate(n=Sum(F("amount") + F("fee"))))
    totals = get("annotate", "CampaignTotals")
    totals.objects.bulk_create(
        (
            totals(
                campaign_id=pk,
                held=held.get(pk, 0),
                leased=leased.get(pk, 0),
                spent=spent.get(pk, Decimal(0)),
            )
            for pk in get("annotate", "Campaign").objects.order_by("pk").values_list("pk", flat=True)
        ),
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_schema_of_0_2_0")]

    operations = [
        *(
            migrations.DeleteModel(name)
            for name in (
                "LeaseAllowance",
                "SlotTally",
                "SpendingTally",
                "PersonTally",
                "TallyProgress",
            )
        ),
        migrations.CreateModel(
            "CampaignTotals",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="totals",
                        serialize=False,
                        to="annotate.campaign",
                    ),
                ),
                ("held", models.PositiveIntegerField(default=0)),
                ("leased", models.PositiveIntegerField(default=0)),
                ("spent", models.DecimalField(decimal_places=2, default=0, max_digits=14)),
            ],
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
