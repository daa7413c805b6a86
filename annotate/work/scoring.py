"""Computes scores from judgments in a worker, so that no page waits for them."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.campaigns import facts
from annotate.common import locks, marks
from annotate.common.marks import scores_awaited
from annotate.instruments.base import Instrument
from annotate.models import Campaign, Judgment, PendingScore, Score
from annotate.studies import queries as studies_queries

# The time limit of the task (`annotate.tasks.score_waiting`) with a margin. A computation that
# takes longer is tried again, with growing pauses.
AT_MOST = timedelta(minutes=3)
LONGEST_PAUSE = timedelta(hours=1)
BATCH = 200  # judgments that are read, scored and stored together

Progress = Callable[[], object]

logger = logging.getLogger(__name__)


def ensure(campaign_id: int, *, progress: Progress = lambda: None) -> int:
    """Score the judgments that have no scores yet; return how many.

    A submit leaves this to the worker. Long computations are left to the
    separate task `score_waiting`. `progress` is called after each judgment; an exception from it
    ends the work, and finished scores are kept. Safe to run twice and concurrently.
    """
    return _score_all(facts.unscored_judgments(campaign_id), progress=progress)


def renew(campaign_id: int, *, progress: Progress = lambda: None) -> int:
    """Score the judgments again whose scores have an earlier definition; return how many.

    It works like `ensure`. Estimates leave these judgments out until they are scored.
    """
    version = studies_queries.instrument_of(Campaign.objects.get(pk=campaign_id)).scoring
    judgments = facts.outdated(campaign_id, version=version)
    return _score_all(judgments, progress=progress, anew=True)


def _score_all(judgments: QuerySet[Judgment], *, progress: Progress, anew: bool = False) -> int:
    """Score them in batches of a few queries each."""
    named, scored, after, more = cache(studies_queries.get_instrument), 0, 0, True
    while more:
        batch = list(judgments.filter(pk__gt=after)[:BATCH])
        if more := len(batch) == BATCH:
            after = batch[-1].pk
        fresh: list[Score] = []
        left: list[Judgment] = []
        try:
            for judgment in batch:
                instrument, material = _instrument(judgment, named), facts.material(judgment.output)
                if instrument.takes_long(judgment.response, material=material):
                    left.append(judgment)
                else:
                    fresh += _fresh(judgment, instrument)
                progress()
        finally:
            scored += _store(fresh, left, anew=anew)
    return scored


def score_waiting(*, within: float = 4.0) -> int:
    """Score the long computations that wait, for about `within` seconds; return how many.

    One task runs at a time for all campaigns, and others return at once, so long texts occupy at
    most one process of a worker. A failure is logged and tried again, with growing pauses.
    """
    until, scored = time.monotonic() + within, 0
    with locks.hold("score_waiting", AT_MOST) as lease:
        while lease is not None and (pending := _claim()) is not None:
            scored += _try(pending)
            if time.monotonic() >= until:
                break
            lease.renew()
    if lease is not None and _due().exists():
        scores_awaited.send_robust(sender=None)
    return scored


def differences(campaign_id: int) -> list[str]:
    """Recompute every stored score from its judgment; return a line for each difference.

    Judgments that wait for their scores are not compared.
    """
    found: list[str] = []
    judgments = Judgment.objects.filter(campaign=campaign_id, pending_score=None)
    judgments = judgments.select_related("output__item").prefetch_related("scores")
    for judgment in judgments.iterator(chunk_size=500):
        fresh = _scores(judgment, _instrument(judgment))
        stored = {score.criterion: score.value for score in judgment.scores.all()}
        found += [
            f"judgment {judgment.pk}, {name}: stored {stored.get(name)}, recomputed {value}"
            for name, value in fresh.items()
            if stored.get(name) != value
        ]
    return found


def _instrument(
    judgment: Judgment, named: Callable[[str, str], Instrument] = studies_queries.get_instrument
) -> Instrument:
    return named(judgment.instrument, judgment.instrument_version)


def _scores(judgment: Judgment, instrument: Instrument) -> dict[str, float]:
    return instrument.scores(judgment.response, material=facts.material(judgment.output))


def _fresh(judgment: Judgment, instrument: Instrument) -> list[Score]:
    return [
        Score(judgment=judgment, criterion=name, value=value, version=instrument.scoring)
        for name, value in _scores(judgment, instrument).items()
    ]


def _store(fresh: list[Score], left: list[Judgment], *, anew: bool) -> int:
    """Write scores, and return of how many judgments; leave `left` to the separate task.

    anew: scores of other versions are replaced. The first scores of a version stay.
    """
    if not fresh and not left:
        return 0
    with transaction.atomic():
        if anew:
            for version in sorted({one.version for one in fresh}):
                judgments = {one.judgment_id for one in fresh if one.version == version}
                Score.supersede(*sorted(judgments), by=version)
        Score.objects.bulk_create(fresh, ignore_conflicts=True)
        if left:
            now = timezone.now()
            PendingScore.objects.bulk_create(
                [
                    PendingScore(judgment=one, campaign_id=one.campaign_id, due_at=now)
                    for one in left
                ],
                ignore_conflicts=True,
            )
            transaction.on_commit(lambda: scores_awaited.send_robust(sender=None), robust=True)
    return len({one.judgment_id for one in fresh})


def _due() -> QuerySet[PendingScore]:
    return PendingScore.objects.filter(due_at__lte=timezone.now())


def _claim() -> PendingScore | None:
    """Claim the one that has waited longest. No other task takes it within `AT_MOST`."""
    waiting = _due().order_by("due_at", "pk").first()
    if waiting is None:
        return None
    again = timezone.now() + AT_MOST
    mine = _due().filter(pk=waiting.pk, due_at=waiting.due_at)
    if not mine.update(due_at=again, attempts=F("attempts") + 1):
        return None  # another task with an expired lease is busy with it
    waiting.refresh_from_db()
    return waiting


def _try(pending: PendingScore) -> bool:
    """Score it outside of transactions, then store the scores and mark the campaign as changed."""
    judgment = Judgment.every.select_related("output__item").get(pk=pending.pk)
    try:
        fresh = _fresh(judgment, _instrument(judgment))
    except Exception:
        logger.exception("judgment %s could not be scored", judgment.pk)
        pause = min(AT_MOST * 2**pending.attempts, LONGEST_PAUSE)
        PendingScore.objects.filter(pk=pending.pk).update(due_at=timezone.now() + pause)
        return False
    with transaction.atomic():
        _store(fresh, [], anew=True)
        PendingScore.objects.filter(pk=pending.pk).delete()
        marks.mark(judgment.campaign_id, "scored")
    return True
