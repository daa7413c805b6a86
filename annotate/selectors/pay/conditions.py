"""Under which conditions people worked: their pay and time, refusals, appeals, and the tutorial."""

from dataclasses import dataclass
from decimal import Decimal
from statistics import median

import numpy as np
from django.db.models import Count, FloatField, Q, QuerySet, Sum

from annotate.models import Appeal, Assignment, Campaign, Judgment, LedgerEntry, TutorialRound

HOUR = 3600.0


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


def of_campaign(campaign: Campaign) -> WorkConditions:
    """Return the conditions so far; always the same number of queries."""
    return WorkConditions(_pay(campaign), _appeals(campaign.pk), _people(campaign))


def _pay(campaign: Campaign) -> WorkPay:
    each = (
        _verified(campaign)
        .values("annotator")
        .annotate(n=Count("pk"), seconds=Sum(Judgment.TAKEN, output_field=FloatField()))
    )
    means = [row["seconds"] / row["n"] for row in each if row["seconds"]]
    earned = [float(campaign.reward) * HOUR / one for one in means if campaign.reward]
    refused = LedgerEntry.objects.filter(
        participation__campaign=campaign.pk, kind=LedgerEntry.Kind.REFUSAL
    )
    return WorkPay(
        campaign.reward,
        campaign.tutorial_bonus,
        seconds=median(means) if means else None,
        hourly=median(earned) if earned else None,
        least=float(np.quantile(earned, 0.1)) if earned else None,
        refused=refused.aggregate(n=Count("participation__annotator", distinct=True))["n"],
    )


def _appeals(campaign_id: int) -> AppealCounts:
    found = Appeal.objects.filter(review__campaign=campaign_id).aggregate(
        made=Count("pk"),
        upheld=Count("pk", filter=Q(upheld=True)),
        waiting=Count("pk", filter=Q(answered_at=None)),
    )
    return AppealCounts(**found)


def _people(campaign: Campaign) -> AdmissionCounts:
    rounds = TutorialRound.objects.filter(campaign=campaign.pk).order_by()
    counted = rounds.aggregate(
        begun=Count("annotator", distinct=True),
        passed=Count("annotator", distinct=True, filter=Q(passed=True)),
    )
    came = campaign.participations.order_by().aggregate(n=Count("annotator", distinct=True))
    counting = _verified(campaign).filter(assignment__slot__isnull=False)
    judged = counting.aggregate(n=Count("annotator", distinct=True))
    return AdmissionCounts(came["n"], counted["begun"], counted["passed"], judged["n"])


def _verified(campaign: Campaign) -> "QuerySet[Judgment]":
    verified = Assignment.Status.VERIFIED
    return Judgment.objects.filter(campaign=campaign.pk, assignment__status=verified).order_by()
