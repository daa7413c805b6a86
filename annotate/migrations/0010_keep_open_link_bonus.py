from typing import Any

from django.db import migrations


def keep(apps: Any, schema_editor: Any) -> None:
    """Whoever came by an open link was told of a bonus: campaigns that have begun keep it."""
    campaigns = apps.get_model("annotate", "Campaign").objects
    campaigns.filter(opened_at__isnull=False).update(open_link_bonus=True)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0009_promised_bonus")]
    operations = [migrations.RunPython(keep, migrations.RunPython.noop)]
