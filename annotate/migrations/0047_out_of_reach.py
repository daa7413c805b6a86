import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0044_amended_texts'),
    ]

    operations = [
        migrations.CreateModel(
            name='OutOfReach',
            fields=[
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='annotate.campaign')),
                ('since', models.DateTimeField()),
            ],
        ),
    ]
