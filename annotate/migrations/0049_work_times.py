import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0047_out_of_reach'),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkTimes',
            fields=[
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='annotate.campaign')),
                ('state', models.CharField(max_length=80)),
                ('at', models.DateTimeField()),
                ('took', models.FloatField()),
                ('seconds', models.FloatField(null=True)),
                ('per_hour', models.FloatField(null=True)),
                ('least_per_hour', models.FloatField(null=True)),
                ('people', models.PositiveIntegerField()),
                ('refused', models.PositiveIntegerField()),
            ],
        ),
        migrations.AlterField(
            model_name='item',
            name='campaign',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotate.campaign'),
        ),
        migrations.AlterField(
            model_name='output',
            name='campaign',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='annotate.campaign'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(fields=['campaign', 'id'], name='item_newest'),
        ),
        migrations.AddIndex(
            model_name='output',
            index=models.Index(fields=['campaign', 'id'], name='output_newest'),
        ),
    ]
