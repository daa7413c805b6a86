from django.db import migrations, models


def mark(apps, schema_editor):
    """Reviewers could see the results of every campaign that had begun: none of them is blind."""
    Membership = apps.get_model("annotate", "Membership")
    begun = Membership.objects.filter(role="reviewer").exclude(campaign__status="draft")
    begun.update(unblinded=True)


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0002_blind_rulings'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='unblinded',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
