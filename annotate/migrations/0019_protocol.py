"""How estimates are made, stored when a campaign opens.

Campaigns that have opened keep the estimator that they had, without a pull of the person variance.
"""

from django.db import migrations, models


def keep_regression(apps, schema_editor):
    campaigns = apps.get_model("annotate", "Campaign")
    targets = apps.get_model("annotate", "Target")
    opened = campaigns.objects.filter(opened_at__isnull=False, protocol__isnull=True)
    for campaign in opened.only("estimand", "level", "metrics", "stop_mode").iterator():
        usual = ("mean", "regression", "multi")[min(len(campaign.metrics), 2)]
        asked = targets.objects.filter(campaign=campaign).order_by("pk")
        campaign.protocol = {
            "version": 1,
            "estimator": usual,
            "estimand": campaign.estimand,
            "level": campaign.level,
            "metrics": list(campaign.metrics),
            "seed": 0,
            "rule": campaign.stop_mode,
            "targets": dict(asked.values_list("criterion", "width")),
            "criteria": {},
        }
        campaign.save(update_fields=["protocol"])


class Migration(migrations.Migration):
    dependencies = [("annotate", "0018_ranking_mode")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="protocol",
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.RunPython(keep_regression, migrations.RunPython.noop),
    ]
