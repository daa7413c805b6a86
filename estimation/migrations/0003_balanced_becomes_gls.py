"""Stored estimates of the exact generalised least squares get its name, `gls`.

`balanced` names the closed form from now on.
"""

from django.db import migrations


def rename(old, new):
    def change(apps, schema_editor):
        for name in ("Estimate", "Comparison"):
            model = apps.get_model("estimation", name)
            model.objects.filter(estimator=old).update(estimator=new)

    return change


class Migration(migrations.Migration):
    dependencies = [("estimation", "0002_agreement_in_its_own_time")]

    operations = [migrations.RunPython(rename("balanced", "gls"), rename("gls", "balanced"))]
