"""Under which conditions people worked: their pay and time, refusals, appeals, and the tutorial."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Avg, Count, Q

from annotate.models import Appeal, Campaign, TutorialRound
from annotate.selectors.pay import promises, work_times
from annotate.selectors.pay.work_times import TimesOfWork

HURRIED = 1000  # words a minute that the median person hardly reads


@dataclass(frozen=True)
class WorkPay:
    """What people were paid. None: not known, or nothing was judged or paid.

    seconds: one judgment, the median of people's means. hourly: of active time, the median of
    people; least: what nine of ten people earned at least. refused: people whose pay was refused.
    bonus: for the tutorial; 0 where there is none. failed_try: for both rounds of the tutorial
    completed and not passed. hurried: `seconds` are too few to read a text.
    """

    reward: Decimal
    bonus: Decimal
    seconds: float | None
    hourly: float | None
    least: float | None
    refused: int
    hurried: bool
    failed_try: Decimal = Decimal(0)


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
    """at: of when times and the counts of people are that are read with them; None: of now."""

    pay: WorkPay
    appeals: AppealCounts
    people: AdmissionCounts
    at: datetime | None = None


def of_campaign(campaign: Campaign) -> WorkConditions:
    """Return the conditions so far; the number of queries does not grow.

    Times, the people who judged and those whose pay was refused may be some minutes old where
    there are many judgments; `at` says so.
    """
    times = work_times.of_campaign(campaign.pk)
    people = _people(campaign, times.people)
    return WorkConditions(_pay(campaign, times), _appeals(campaign.pk), people, times.at)


def _pay(campaign: Campaign, times: TimesOfWork) -> WorkPay:
    return WorkPay(
        campaign.reward,
        campaign.tutorial_bonus if campaign.tutorial_required else Decimal(0),
        failed_try=promises.for_failing(campaign),
        seconds=times.seconds,
        hourly=_earned(campaign, times.per_hour),
        least=_earned(campaign, times.least_per_hour),
        refused=times.refused,
        hurried=_is_hurried(campaign, times.seconds),
    )


def _is_hurried(campaign: Campaign, seconds: float | None) -> bool:
    words = campaign.outputs.aggregate(mean=Avg("words"))["mean"]
    return bool(seconds is not None and words and seconds < words * 60 / HURRIED)


def _earned(campaign: Campaign, judgments: float | None) -> float | None:
    """Return what so many judgments pay; None where they are not known, or pay nothing."""
    return float(campaign.reward) * judgments if campaign.reward and judgments else None


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
