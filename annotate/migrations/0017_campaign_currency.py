"""The currency of the account that pays; campaigns at a crowd learn theirs when it is next asked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0016_money_constraints")]
    operations = [
        migrations.AddField(
            "campaign", "currency", models.CharField(max_length=3, default="USD")
        ),
    ]
