"""Keep what a campaign holds and has spent, so that neither is counted from all rows."""

from decimal import Decimal
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, F, Q, Sum


def count_planned(apps: Any, _schema: Any) -> None:
    """Store how many outputs each campaign has, and how many are planned twice."""
    campaigns = apps.get_model("annotate", "Campaign").objects
    outputs = apps.get_model("annotate", "Output").objects.order_by().values_list("campaign")
    for campaign, n in outputs.annotate(n=Count("pk")):
        campaigns.filter(pk=campaign).update(planned_outputs=n)
    slots = apps.get_model("annotate", "Slot").objects.filter(number=2).order_by()
    for campaign, n in slots.values_list("campaign").annotate(n=Count("pk")):
        campaigns.filter(pk=campaign).update(planned_twice=n)


def add_up_spending(apps: Any, _schema: Any) -> None:
    """Store what the tallies of people say that each campaign has spent."""
    spending = apps.get_model("annotate", "SpendingTally").objects
    people = apps.get_model("annotate", "PersonTally").objects.order_by().values_list("campaign")
    for campaign, cents in people.annotate(n=Sum(F("earned") - F("refused") + F("fees"))):
        spending.create(campaign_id=campaign, amount=Decimal(cents) / 100)


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0023_gold"),
    ]

    operations = [
        migrations.CreateModel(
            name="SlotTally",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="slot_tally",
                        serialize=False,
                        to="annotate.campaign",
                    ),
                ),
                ("upto", models.BigIntegerField(default=0)),
                ("held", models.PositiveIntegerField(default=0)),
                ("outputs", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="SpendingTally",
            fields=[
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="spending_tally",
                        serialize=False,
                        to="annotate.campaign",
                    ),
                ),
                ("amount", models.DecimalField(decimal_places=2, default=0, max_digits=14)),
            ],
        ),
        migrations.AddField(
            model_name="campaign",
            name="planned_outputs",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="campaign",
            name="planned_twice",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="tallyprogress",
            name="assignment",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="tallyprogress",
            name="next_assignment",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="tutorialrun",
            name="settled",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=Q(("status", "returned")),
                fields=["campaign"],
                name="assignment_returned",
            ),
        ),
        migrations.AddIndex(
            model_name="participation",
            index=models.Index(
                condition=Q(
                    ("posting__isnull", False),
                    ("status__in", ("active", "handed_in", "confirmed")),
                ),
                fields=["campaign", "posting"],
                name="participation_undecided",
            ),
        ),
        migrations.AddIndex(
            model_name="tutorialrun",
            index=models.Index(
                condition=Q(("promised__gt", 0), ("settled", False)),
                fields=["participation"],
                name="tutorial_run_promised",
            ),
        ),
        migrations.AddIndex(
            model_name="tutorialrun",
            index=models.Index(
                condition=Q(("passed_at", None)),
                fields=["started_at"],
                name="tutorial_run_under_way",
            ),
        ),
        migrations.RunPython(count_planned, migrations.RunPython.noop),
        migrations.RunPython(add_up_spending, migrations.RunPython.noop),
    ]
