"""Accounts, invitations and mails. Tokens and sessions that exist stay valid.

Tokens are kept as digests from now on, and browsers that are signed in are listed.
"""

import hashlib

import annotate.models.base
import django.db.models.deletion
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models
from django.utils import timezone


def digest_tokens(apps, schema_editor):
    old = apps.get_model("authtoken", "Token")
    tokens = apps.get_model("annotate", "ApiToken")
    made = [
        tokens(
            user_id=one.user_id,
            name="Made before tokens had names",
            digest=hashlib.sha256(one.key.encode()).hexdigest(),
            created_at=one.created,
        )
        for one in old.objects.iterator()
    ]
    tokens.objects.bulk_create(made, batch_size=1000)
    old.objects.all().delete()


def list_sessions(apps, schema_editor):
    users = set(apps.get_model("auth", "User").objects.values_list("pk", flat=True))
    sign_ins = apps.get_model("annotate", "SignIn")
    store, now = SessionStore(), timezone.now()
    alive = apps.get_model("sessions", "Session").objects.filter(expire_date__gt=now)
    made = []
    for key, data in alive.values_list("session_key", "session_data").iterator():
        user = str(store.decode(data).get("_auth_user_id", ""))
        if user.isdecimal() and int(user) in users:
            made.append(sign_ins(user_id=int(user), session_key=key, at=now))
    sign_ins.objects.bulk_create(made, batch_size=1000)


class Migration(migrations.Migration):

    dependencies = [
        ('annotate', '0027_screens_in_two_tiers'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('authtoken', '0004_alter_tokenproxy_options'),
        ('sessions', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Profile',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='profile', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('time_zone', models.CharField(blank=True, max_length=64)),
                ('language', models.CharField(blank=True, max_length=12)),
                ('look_small', models.CharField(max_length=32, null=True, unique=True)),
                ('look_large', models.CharField(max_length=32, null=True, unique=True)),
            ],
        ),
        migrations.AddField(
            model_name='campaign',
            name='links_number',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('owner', 'Owner'), ('collaborator', 'Collaborator'), ('reviewer', 'Reviewer'), ('viewer', 'Viewer')], max_length=12),
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('used_on', models.DateField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=annotate.models.base.new_public_id, editable=False, max_length=16, unique=True)),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('collaborator', 'Collaborator'), ('reviewer', 'Reviewer'), ('viewer', 'Viewer')], max_length=12)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('most_uses', models.PositiveSmallIntegerField(default=1)),
                ('uses', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotate.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Mail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('invitation', 'Invitation'), ('reset', 'Reset')], max_length=12)),
                ('to', models.EmailField(max_length=254)),
                ('created_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(null=True)),
                ('given_up_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=200)),
                ('invitation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='annotate.invitation')),
            ],
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_key', models.CharField(max_length=40, unique=True)),
                ('browser', models.CharField(blank=True, max_length=200)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('uses__lte', models.F('most_uses'))), name='invitation_uses'),
        ),
        migrations.AddIndex(
            model_name='mail',
            index=models.Index(condition=models.Q(('given_up_at', None), ('sent_at', None)), fields=['due_at'], name='mail_due'),
        ),
        migrations.RunPython(digest_tokens, migrations.RunPython.noop),
        migrations.RunPython(list_sessions, migrations.RunPython.noop),
    ]
