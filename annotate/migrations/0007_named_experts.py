

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0006_recorded_judgments'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='named_experts',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name='Expert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('released_at', models.DateTimeField(null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='experts', to='annotate.campaign')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='expert_name_once')],
            },
        ),
    ]
