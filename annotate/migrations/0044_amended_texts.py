import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0043_recovery_codes'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaigntexts',
            name='consent_version',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='campaigntexts',
            name='instructions_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='participation',
            name='consented_to',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name='EarlierConsent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveSmallIntegerField()),
                ('accepted_at', models.DateTimeField()),
                ('participation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='earlier_consents', to='annotate.participation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('participation', 'version'), name='consent_once')],
            },
        ),
    ]
