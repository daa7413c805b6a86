"""Taking scores from judgments: derived numbers, computed where nobody waits for them."""

from django.db.models import Exists, OuterRef, QuerySet

from annotate.instruments import registry
from annotate.models import Judgment, Score


def ensure(campaign_id: int) -> int:
    """Score the judgments that have no scores yet; return how many.

    A submit leaves this to the worker, because the edit rate of a long text takes seconds
    (docs/decisions/006). Safe to run twice and at the same time: a score that exists stays.
    """
    unscored = list(_unscored(campaign_id))
    for judgment in unscored:
        scores = registry.get(judgment.instrument).scores(
            judgment.response, text=judgment.output.text
        )
        Score.objects.bulk_create(
            [Score(judgment=judgment, criterion=name, value=v) for name, v in scores.items()],
            ignore_conflicts=True,
        )
    return len(unscored)


def differences(campaign_id: int) -> list[str]:
    """Recompute every stored score from its judgment; return those that differ, in words."""
    found: list[str] = []
    judgments = Judgment.objects.filter(campaign=campaign_id).select_related("output")
    for judgment in judgments.prefetch_related("scores").iterator(chunk_size=500):
        fresh = registry.get(judgment.instrument).scores(
            judgment.response, text=judgment.output.text
        )
        stored = {score.criterion: score.value for score in judgment.scores.all()}
        found += [
            f"judgment {judgment.pk}, {name}: stored {stored.get(name)}, recomputed {value}"
            for name, value in fresh.items()
            if stored.get(name) != value
        ]
    return found


def _unscored(campaign_id: int) -> QuerySet[Judgment]:
    # `scores=None` would join every score of the campaign; this looks for one of each judgment.
    scored = Exists(Score.objects.filter(judgment=OuterRef("pk")))
    return (
        Judgment.objects.filter(~scored, campaign=campaign_id)
        .select_related("output")
        .order_by("pk")
    )
