"""Taking scores from judgments: derived numbers, computed where nobody waits for them."""

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import Judgment, Score
from annotate.selectors import instruments, outputs


def ensure(campaign_id: int) -> int:
    """Score the judgments that have no scores yet; return how many.

    A submit leaves this to the worker, because the edit rate of a long text takes seconds
    (docs/decisions/006). Safe to run twice and at the same time: a score that exists stays.
    """
    unscored = list(_unscored(campaign_id))
    for judgment in unscored:
        scores = instruments.get(judgment.instrument, judgment.instrument_version).scores(
            judgment.response, material=outputs.material(judgment.output)
        )
        Score.objects.bulk_create(
            [Score(judgment=judgment, criterion=name, value=v) for name, v in scores.items()],
            ignore_conflicts=True,
        )
    return len(unscored)


def differences(campaign_id: int) -> list[str]:
    """Recompute every stored score from its judgment; return those that differ, in words."""
    found: list[str] = []
    judgments = Judgment.objects.filter(campaign=campaign_id).select_related("output__item")
    for judgment in judgments.prefetch_related("scores").iterator(chunk_size=500):
        fresh = instruments.get(judgment.instrument, judgment.instrument_version).scores(
            judgment.response, material=outputs.material(judgment.output)
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
        .select_related("output__item")
        .order_by("pk")
    )
