"""Add up what people judged and earned, slots of campaigns, and sums of pay-out lists."""

from decimal import Decimal
from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def count_slots(apps: Any, _schema: Any) -> None:
    """Store how many slots each campaign has: they are fixed at import."""
    slots = apps.get_model("annotate", "Slot").objects
    campaigns = apps.get_model("annotate", "Campaign").objects
    for campaign, n in slots.order_by().values_list("campaign").annotate(n=models.Count("pk")):
        campaigns.filter(pk=campaign).update(planned=n)


def add_up_lists(apps: Any, _schema: Any) -> None:
    """Store how many people each pay-out list names, and its sum."""
    for one in apps.get_model("annotate", "PayoutList").objects.iterator(chunk_size=10):
        one.people = len(one.rows)
        one.amount = sum((Decimal(amount) for _participation, amount in one.rows), Decimal(0))
        one.save(update_fields=["people", "amount"])


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0020_lease_allowance"),
    ]

    operations = [
        migrations.CreateModel(
            name="TallyProgress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("judgment", models.BigIntegerField(default=0)),
                ("entry", models.BigIntegerField(default=0)),
                ("payout", models.BigIntegerField(default=0)),
                ("next_judgment", models.BigIntegerField(default=0)),
                ("next_entry", models.BigIntegerField(default=0)),
                ("next_payout", models.BigIntegerField(default=0)),
                ("horizon", models.BigIntegerField(default=0)),
                ("noted_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="campaign",
            name="planned",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="payoutlist",
            name="amount",
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=12),
        ),
        migrations.AddField(
            model_name="payoutlist",
            name="people",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name="PersonTally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("judgments", models.PositiveIntegerField(default=0)),
                ("judged_ms", models.BigIntegerField(default=0)),
                ("earned", models.BigIntegerField(default=0)),
                ("refused", models.BigIntegerField(default=0)),
                ("fees", models.BigIntegerField(default=0)),
                ("paid", models.BigIntegerField(default=0)),
                (
                    "annotator",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.annotator",
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "annotator"), name="tally_once")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                condition=models.Q(("verb__in", ("launch", "extend"))),
                fields=["subject"],
                name="audit_launches",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("status", "submitted")),
                fields=["campaign"],
                name="assignment_unconfirmed",
            ),
        ),
        migrations.AddIndex(
            model_name="ledgerentry",
            index=models.Index(
                condition=models.Q(("kind", "tutorial")),
                fields=["participation"],
                name="ledger_tutorial",
            ),
        ),
        migrations.RunPython(count_slots, migrations.RunPython.noop),
        migrations.RunPython(add_up_lists, migrations.RunPython.noop),
    ]
