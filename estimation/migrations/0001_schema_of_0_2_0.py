"""The whole schema of version 0.2.0, from which Plumbline upgrades: it stands for the migrations until then."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('estimation', '0001_initial'),
        ('estimation', '0002_agreement_in_its_own_time'),
        ('estimation', '0003_balanced_becomes_gls'),
        ('estimation', '0004_decision_comparisons'),
        ('estimation', '0005_newest_of_a_campaign'),
        ('estimation', '0006_stress_test'),
        ('estimation', '0007_end_forecast'),
        ('estimation', '0008_evidence'),
        ('estimation', '0009_closer_looks'),
        ('estimation', '0010_versions_of_estimates'),
    ]

    dependencies = [
        ('annotate', '0001_schema_of_0_2_0'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgreementDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='CloserLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('judgments', models.PositiveIntegerField()),
                ('content', models.JSONField(default=dict)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.system')),
            ],
        ),
        migrations.CreateModel(
            name='CloserLookDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('provisional', models.BooleanField(default=True)),
                ('estimator', models.CharField(max_length=20)),
                ('interval', models.CharField(max_length=20)),
                ('estimand', models.CharField(max_length=12)),
                ('metrics', models.JSONField(default=list)),
                ('level', models.FloatField()),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('width', models.FloatField(null=True)),
                ('df', models.FloatField(null=True)),
                ('std_error', models.FloatField(null=True)),
                ('n_items', models.PositiveIntegerField()),
                ('n_population', models.PositiveIntegerField()),
                ('n_judgments', models.PositiveIntegerField()),
                ('n_annotators', models.PositiveIntegerField()),
                ('effective_annotators', models.FloatField()),
                ('detail', models.JSONField(default=dict)),
                ('difference', models.FloatField(null=True)),
                ('version', models.CharField(blank=True, db_default='', default='', max_length=20)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.system')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.system')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='DecisionEvidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign_status', models.CharField(max_length=20)),
                ('judgments', models.BinaryField()),
                ('stops', models.JSONField(default=dict)),
                ('protocol', models.CharField(blank=True, default='', max_length=64)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='EndForecast',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('judgments', models.PositiveIntegerField()),
                ('content', models.JSONField(default=dict)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='EndForecastDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='Estimate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('provisional', models.BooleanField(default=True)),
                ('estimator', models.CharField(max_length=20)),
                ('interval', models.CharField(max_length=20)),
                ('estimand', models.CharField(max_length=12)),
                ('metrics', models.JSONField(default=list)),
                ('level', models.FloatField()),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('width', models.FloatField(null=True)),
                ('df', models.FloatField(null=True)),
                ('std_error', models.FloatField(null=True)),
                ('n_items', models.PositiveIntegerField()),
                ('n_population', models.PositiveIntegerField()),
                ('n_judgments', models.PositiveIntegerField()),
                ('n_annotators', models.PositiveIntegerField()),
                ('effective_annotators', models.FloatField()),
                ('detail', models.JSONField(default=dict)),
                ('estimate', models.FloatField(null=True)),
                ('mean_estimate', models.FloatField(null=True)),
                ('mean_low', models.FloatField(null=True)),
                ('mean_high', models.FloatField(null=True)),
                ('n_unfinished', models.PositiveIntegerField(default=0)),
                ('version', models.CharField(blank=True, db_default='', default='', max_length=20)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.system')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verb', models.CharField(choices=[('stop_system', 'Stop System'), ('resume_system', 'Resume System'), ('close', 'Close'), ('resume', 'Resume'), ('finish', 'Finish')], max_length=20)),
                ('reason', models.CharField(max_length=40)),
                ('text', models.TextField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
                ('comparisons', models.ManyToManyField(related_name='decisions', to='estimation.comparison')),
                ('system', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.system')),
                ('evidence', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='decisions', to='estimation.decisionevidence')),
                ('estimates', models.ManyToManyField(related_name='decisions', to='estimation.estimate')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='MetricScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('metric', models.CharField(max_length=60)),
                ('version', models.CharField(max_length=20)),
                ('digest', models.CharField(blank=True, db_default='', default='', max_length=32)),
                ('value', models.FloatField()),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
                ('output', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.output')),
            ],
        ),
        migrations.CreateModel(
            name='StressDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='StressTest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('judgments', models.PositiveIntegerField()),
                ('excluded', models.PositiveIntegerField()),
                ('flagged', models.PositiveIntegerField()),
                ('rows', models.JSONField(default=list)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
        ),
        migrations.CreateModel(
            name='Agreement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(max_length=40)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('distance', models.CharField(max_length=10)),
                ('level', models.FloatField()),
                ('alpha', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('n_outputs', models.PositiveIntegerField()),
                ('n_judgments', models.PositiveIntegerField()),
                ('n_annotators', models.PositiveIntegerField()),
                ('excluded', models.PositiveIntegerField(default=0)),
                ('digest', models.CharField(max_length=32)),
                ('detail', models.JSONField(default=dict)),
                ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.campaign')),
            ],
            options={
                'indexes': [models.Index(fields=['campaign', 'criterion', 'id'], name='agreement_history'), models.Index(fields=['campaign', 'id'], name='agreement_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('high', None), ('low', None)), ('alpha__isnull', False), _connector='OR'), name='agreement_interval')],
            },
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['campaign', 'first', 'second', 'criterion', 'id'], name='comparison_history'),
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['campaign', 'id'], name='comparison_newest'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('first', models.F('second')), _negated=True), name='comparison_of_two'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('high', None), ('low', None), ('width', None)), models.Q(('high__isnull', False), ('low__isnull', False), ('width__gte', 0)), _connector='OR'), name='comparison_whole_interval'),
        ),
        migrations.AddIndex(
            model_name='estimate',
            index=models.Index(fields=['campaign', 'system', 'criterion', 'id'], name='estimate_history'),
        ),
        migrations.AddIndex(
            model_name='estimate',
            index=models.Index(fields=['campaign', 'id'], name='estimate_newest'),
        ),
        migrations.AddConstraint(
            model_name='estimate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('high', None), ('low', None), ('width', None)), models.Q(('high__isnull', False), ('low__isnull', False), ('width__gte', 0)), _connector='OR'), name='estimate_whole_interval'),
        ),
        migrations.AddIndex(
            model_name='decision',
            index=models.Index(fields=['campaign', 'id'], name='decision_newest'),
        ),
        migrations.AddIndex(
            model_name='metricscore',
            index=models.Index(fields=['digest', 'metric', 'version'], name='metric_score_cache'),
        ),
        migrations.AddIndex(
            model_name='metricscore',
            index=models.Index(fields=['campaign', 'id'], name='metric_score_newest'),
        ),
        migrations.AddConstraint(
            model_name='metricscore',
            constraint=models.UniqueConstraint(fields=('output', 'metric'), name='metric_score_once'),
        ),
    ]
