"""Which judgments have no scores yet, or scores of an earlier definition."""

from django.db.models import Exists, Max, OuterRef, QuerySet

from annotate.models import Assignment, Judgment, PendingScore, Score, Slot


def unscored(campaign_id: int) -> QuerySet[Judgment]:
    """Select the judgments without any score, except those that wait for the separate task."""
    # `scores=None` would join every score of the campaign; this looks up one per judgment.
    scored = Exists(Score.objects.filter(judgment=OuterRef("pk")))
    return _with_material(Judgment.objects.filter(~scored, ~_pending(), campaign=campaign_id))


def outdated(campaign_id: int, *, version: str) -> QuerySet[Judgment]:
    """Select the judgments with a score of another version, except those that wait."""
    other = Exists(Score.objects.filter(judgment=OuterRef("pk")).exclude(version=version))
    return _with_material(Judgment.objects.filter(other, ~_pending(), campaign=campaign_id))


def waiting(campaign_id: int) -> int:
    """Return how many counting judgments wait for the separate task."""
    holds = Slot.objects.filter(
        assignment=OuterRef("judgment__assignment"),
        assignment__status=Assignment.Status.VERIFIED,
    )
    pending = PendingScore.objects.filter(Exists(holds), campaign=campaign_id)
    return pending.filter(judgment__superseded_at=None).count()


def newest_judgment() -> int:
    """Return the newest judgment's id, of any campaign; 0 if there is none."""
    found: int | None = Judgment.objects.aggregate(newest=Max("pk"))["newest"]
    return found or 0


def _pending() -> Exists:
    return Exists(PendingScore.objects.filter(judgment=OuterRef("pk")))


def _with_material(judgments: QuerySet[Judgment]) -> QuerySet[Judgment]:
    return judgments.select_related("output__item").order_by("pk")
