"""Judgments whose scores are still to be taken: the worker does that (docs/decisions/006)."""

from django.db.models import Exists, OuterRef

from annotate.models import Judgment, Score


def count(campaign_id: int) -> int:
    """Return how many judgments of a campaign have no score yet."""
    scored = Exists(Score.objects.filter(judgment=OuterRef("pk")))
    return Judgment.objects.filter(~scored, campaign=campaign_id).count()
