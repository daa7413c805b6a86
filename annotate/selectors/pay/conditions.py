"""Under which conditions people worked: their pay and time, refusals, appeals, and the tutorial."""

import time
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from django.core.cache import cache
from django.db.models import Count, FloatField, Q, Sum
from numpy.typing import NDArray

from annotate.models import Appeal, Assignment, Campaign, Judgment, LedgerEntry, TutorialRound

HOUR = 3600.0
SLOW = 0.25  # seconds: what takes longer to read is kept for a while
KEPT = 100  # times as long as it took


@dataclass(frozen=True)
class WorkPay:
    """What people were paid. None: not known, or nothing was judged or paid.

    seconds: one judgment, the median of people's means. hourly: of active time, the median of
    people; least: what nine of ten people earned at least. refused: people whose pay was refused.
    """

    reward: Decimal
    bonus: Decimal
    seconds: float | None
    hourly: float | None
    least: float | None
    refused: int


@dataclass(frozen=True)
class AppealCounts:
    made: int
    upheld: int
    waiting: int


@dataclass(frozen=True)
class AdmissionCounts:
    """People. begun, passed: the tutorial of this campaign. judged: with judgments that count."""

    entered: int
    begun: int
    passed: int
    judged: int


@dataclass(frozen=True)
class WorkConditions:
    pay: WorkPay
    appeals: AppealCounts
    people: AdmissionCounts


@dataclass(frozen=True)
class _Worked:
    """means: (A,) seconds a judgment of each person. judged: people with judgments that count."""

    means: NDArray[np.float64]
    judged: int


def of_campaign(campaign: Campaign) -> WorkConditions:
    """Return the conditions so far; always the same number of queries.

    Times and the people who judged may be some minutes old where there are many judgments.
    """
    worked = _worked(campaign)
    return WorkConditions(
        _pay(campaign, worked.means), _appeals(campaign.pk), _people(campaign, worked.judged)
    )


def _worked(campaign: Campaign) -> _Worked:
    key = f"conditions:{campaign.pk}:{campaign.status}"
    found: _Worked | None = cache.get(key)
    if found is None:
        began = time.monotonic()
        found = _read(campaign)
        took = time.monotonic() - began
        if took > SLOW:
            cache.set(key, found, KEPT * took)
    return found


def _read(campaign: Campaign) -> _Worked:
    verified = Judgment.objects.filter(
        campaign=campaign.pk, assignment__status=Assignment.Status.VERIFIED
    )
    each = verified.order_by().values_list("annotator")
    rows = each.annotate(
        n=Count("pk"),
        seconds=Sum(Judgment.TAKEN, output_field=FloatField()),
        counting=Count("assignment__slot"),
    )
    means = np.array([seconds / n for _who, n, seconds, _c in rows if seconds], dtype=float)
    return _Worked(means, sum(counting > 0 for *_others, counting in rows))


def _pay(campaign: Campaign, means: NDArray[np.float64]) -> WorkPay:
    earned = float(campaign.reward) * HOUR / means if campaign.reward else means[:0]
    refused = LedgerEntry.objects.filter(
        participation__campaign=campaign.pk, kind=LedgerEntry.Kind.REFUSAL
    )
    return WorkPay(
        campaign.reward,
        campaign.tutorial_bonus,
        seconds=float(np.median(means)) if means.size else None,
        hourly=float(np.median(earned)) if earned.size else None,
        least=float(np.quantile(earned, 0.1)) if earned.size else None,
        refused=refused.aggregate(n=Count("participation__annotator", distinct=True))["n"],
    )


def _appeals(campaign_id: int) -> AppealCounts:
    found = Appeal.objects.filter(review__campaign=campaign_id).aggregate(
        made=Count("pk"),
        upheld=Count("pk", filter=Q(upheld=True)),
        waiting=Count("pk", filter=Q(answered_at=None)),
    )
    return AppealCounts(**found)


def _people(campaign: Campaign, judged: int) -> AdmissionCounts:
    rounds = TutorialRound.objects.filter(campaign=campaign.pk).order_by()
    counted = rounds.aggregate(
        begun=Count("annotator", distinct=True),
        passed=Count("annotator", distinct=True, filter=Q(passed=True)),
    )
    came = campaign.participations.order_by().aggregate(n=Count("annotator", distinct=True))
    return AdmissionCounts(came["n"], counted["begun"], counted["passed"], judged)
