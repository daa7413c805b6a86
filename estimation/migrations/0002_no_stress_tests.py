"""Stress tests go with the page part that showed them; they could be thrown away at any time."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("estimation", "0001_schema_of_0_2_0")]

    operations = [
        migrations.DeleteModel(name="StressDue"),
        migrations.DeleteModel(name="StressTest"),
    ]
