"""Researchers' own instruments, and tutorials that replace the built-in ones."""

from django.conf import settings
from django.db import models

from annotate.models.base import Fact
from estimation.metrics import HTER_VERSION


class InstrumentDefinition(Fact):
    """One version of a researcher's own instrument; a change is a new version.

    The key belongs to its first owner, so key and version name one wording permanently.
    hter_version: the rule by which its edits are scored, `estimation.metrics.HTER_VERSION` of its
    time.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    key = models.SlugField(max_length=40)
    version = models.PositiveIntegerField()
    definition = models.JSONField()
    digest = models.CharField(max_length=64)
    hter_version = models.CharField(max_length=20, default=HTER_VERSION)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["key", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="instrument_version_once")
        ]


class TutorialContent(Fact):
    """A researcher's own tutorial for an instrument, checked; used by campaigns that name it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    instrument = models.CharField(max_length=40)
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "instrument", "digest"], name="tutorial_content_once"
            )
        ]
