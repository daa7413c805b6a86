"""Stress tests go with the page part that showed them; they could be thrown away at any time."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("estimation", "0010_versions_of_estimates")]

    operations = [
        migrations.DeleteModel(name="StressDue"),
        migrations.DeleteModel(name="StressTest"),
    ]
