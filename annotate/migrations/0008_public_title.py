"""A title and a sentence for annotators, beside the name that only researchers read."""

from typing import Any

from django.db import migrations, models
from django.db.models import Q

GERMAN = Q(language__iexact="de") | Q(language__istartswith="de-")
# What the instruments call themselves; any other rates texts: (English, German).
TITLES = {
    "language_quality": ("Rate short texts", "Kurze Texte bewerten"),
    "answer_correctness": ("Check answers", "Antworten prüfen"),
}
OTHER = ("Rate texts", "Texte bewerten")
SUBJECTS = ("About your work in “{}”", "Zu Ihrer Arbeit in „{}“")
NOT_SENT = ("pending", "sent", "refused", "unclear")


def give_titles(apps: Any, _schema: Any) -> None:
    """The neutral title, never the name: one UPDATE for each instrument and language."""
    campaigns = apps.get_model("annotate", "Campaign").objects
    for key, titles in TITLES.items():
        _give(campaigns.filter(instrument=key), titles)
    _give(campaigns.exclude(instrument__in=TITLES), OTHER)


def _give(campaigns: Any, titles: tuple[str, str]) -> None:
    english, german = titles
    campaigns.filter(GERMAN).update(public_title=german)
    campaigns.exclude(GERMAN).update(public_title=english)


def rename_messages(apps: Any, _schema: Any) -> None:
    """Messages that wait to be sent told people the name in their subject."""
    operations = apps.get_model("annotate", "Operation").objects
    waiting = operations.filter(kind="message", status__in=NOT_SENT).select_related("campaign")
    for one in waiting.iterator():
        german = one.campaign.language.lower().split("-")[0] == "de"
        one.arguments["subject"] = SUBJECTS[german].format(one.campaign.public_title)
        one.save(update_fields=["arguments"])


class Migration(migrations.Migration):
    dependencies = [("annotate", "0007_scores_in_their_own_time")]
    operations = [
        migrations.AddField(
            "campaign", "public_title", models.CharField(max_length=120, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            "campaign", "public_about", models.CharField(max_length=600, blank=True, default=""),
            preserve_default=False,
        ),
        migrations.RunPython(give_titles, migrations.RunPython.noop),
        migrations.RunPython(rename_messages, migrations.RunPython.noop),
    ]
