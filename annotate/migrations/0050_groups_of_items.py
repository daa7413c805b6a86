from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0049_work_times'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='group',
            field=models.CharField(blank=True, db_default='', default='', max_length=120),
        ),
        migrations.AddField(
            model_name='item',
            name='group_start',
            field=models.PositiveIntegerField(null=True),
        ),
    ]
