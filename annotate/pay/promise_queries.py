"""Tutorial bonuses: what passing promises, what is promised, and when it is due.

A bonus is promised once per annotator and instrument. The ledger row follows when it is due.
"""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.crowds import adapters
from annotate.crowds.prices import ZERO
from annotate.models import (
    Annotator,
    Assignment,
    Campaign,
    LedgerEntry,
    Participation,
    Review,
    Slot,
    TutorialRound,
    TutorialRun,
)

_SURE = Q(verified_at__isnull=False) | Q(status__in=Participation.LISTED)
ROUNDS = 2  # of a tutorial in a campaign
RESERVED = timedelta(minutes=60)  # how long the bonus of a tutorial in progress is reserved
Status = Participation.Status
OVER = (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


def offered(campaign: Campaign, annotator: Annotator | None = None) -> Decimal:
    """Return the bonus that a campaign offers for its tutorial; 0 for people by its open link."""
    by_open_link = annotator is not None and annotator.by_open_link
    if not campaign.tutorial_required or (by_open_link and not campaign.open_link_bonus):
        return ZERO
    return campaign.tutorial_bonus


def to_earn(campaign: Campaign, annotator: Annotator) -> Decimal:
    """Return what passing the tutorial here promises; 0 if it was promised or paid before."""
    amount = offered(campaign, annotator)
    known = amount and (
        entry(annotator.pk, campaign.instrument) or _of(annotator.pk, campaign.instrument).exists()
    )
    return ZERO if known else amount


def for_failing(campaign: Campaign, annotator: Annotator | None = None) -> Decimal:
    """Return what a campaign pays for both rounds completed and not passed; 0 for people by its
    open link, and at crowds, which pay nobody who returns the work."""
    by_open_link = annotator is not None and annotator.by_open_link
    if not campaign.tutorial_required or (by_open_link and not campaign.open_link_bonus):
        return ZERO
    return planned_for_failing(campaign.crowd, campaign.failed_try_pay)


def planned_for_failing(crowd: str, amount: Decimal) -> Decimal:
    """Return what a campaign of this plan pays for a failed try."""
    return ZERO if adapters.publishes(crowd) else amount


def failing_key(campaign_id: int, annotator_id: int) -> str:
    return f"failed-try:{campaign_id}:{annotator_id}"


def paid_for_trying(campaign_id: int, annotator_id: int) -> Decimal:
    """Return what this person was paid for a failed try in a campaign; 0 if nothing."""
    row = LedgerEntry.objects.filter(key=failing_key(campaign_id, annotator_id)).first()
    return row.amount if row else ZERO


def held(campaign: Campaign, annotator: Annotator) -> Decimal:
    """Return what the budget holds for a person in the tutorial: passing or failing is paid."""
    return max(to_earn(campaign, annotator), for_failing(campaign, annotator))


def entry(annotator_id: int, instrument: str) -> LedgerEntry | None:
    """Return the ledger row that paid this person for the instrument's tutorial, if any."""
    return LedgerEntry.objects.filter(
        kind=LedgerEntry.Kind.TUTORIAL,
        participation__annotator=annotator_id,
        campaign__instrument=instrument,
    ).first()


def key(annotator_id: int, instrument: str) -> str:
    return f"tutorial:{annotator_id}:{instrument}"


def open_of(campaign_id: int, annotators: Iterable[int] | None = None) -> QuerySet[TutorialRun]:
    """Select the runs whose bonus a campaign has promised and that is not due yet.

    People with refused pay are left out; their bonus is restored with their pay.
    """
    refused = Review.objects.filter(campaign=campaign_id, pay_refused=True)
    rows = _open(TutorialRun.objects.filter(participation__campaign=campaign_id))
    rows = rows.exclude(annotator__in=refused.values("annotator"))
    return rows if annotators is None else rows.filter(annotator__in=annotators)


def counted(campaign: Campaign) -> QuerySet[TutorialRun]:
    """Select those of `open_of` for which the budget reserves money, apart from the units' part.

    They belong to people with a confirmed identity. Others are owed what their unit brings
    (`owing`). A person who has returned every unit comes again with another one, for which the
    budget is checked.
    """
    here = Participation.objects.filter(campaign=campaign, annotator=OuterRef("annotator"))
    return open_of(campaign.pk).filter(Exists(here.filter(_SURE).exclude(status=Status.LEFT)))


def due(campaign: Campaign) -> QuerySet[TutorialRun]:
    """Select those of `open_of` whose people a bonus can reach (`payable`)."""
    rows = open_of(campaign.pk)
    return rows.filter(_listed()) if adapters.publishes(campaign.crowd) else rows


def ended() -> list[int]:
    """Return the ended campaigns that owe promised bonuses: usually none."""
    by_link = Q(participation__tasks=None)
    rows = _open(TutorialRun.objects.filter(participation__campaign__status__in=OVER))
    refused = Review.objects.filter(
        campaign=OuterRef("participation__campaign"),
        annotator=OuterRef("annotator"),
        pay_refused=True,
    )
    rows = rows.filter(by_link | _listed()).exclude(Exists(refused)).order_by()
    return list(rows.values_list("participation__campaign", flat=True).distinct())


def to_be_paid() -> list[int]:
    """Return the campaigns of marketplaces with a bonus that is due and not yet paid.

    A bonus may fall due when nothing else of a campaign is left at its crowd.
    """
    owed = _paid().filter(payout=None)
    runs = TutorialRun.objects.filter(
        Exists(owed), promised__gt=0, participation__posting__isnull=False
    )
    rows = runs.order_by().values_list("participation__campaign", flat=True)
    return list(rows.distinct())


def begun(campaign: Campaign) -> QuerySet[TutorialRun]:
    """Select the tutorials in progress by link whose bonus the budget reserves."""
    rows = trying(campaign).filter(~Exists(_paid()), ~Exists(_promised_elsewhere()))
    return rows if offered(campaign) else rows.none()


def trying(campaign: Campaign) -> QuerySet[TutorialRun]:
    """Select the tutorials in progress by link: whoever fails is paid for the try."""
    rows = TutorialRun.objects.filter(
        ~Exists(_failed(campaign)),
        participation__campaign=campaign,
        participation__tasks=None,
        passed_at=None,
        started_at__gt=timezone.now() - RESERVED,
    )
    if not campaign.open_link_bonus:
        rows = rows.exclude(Annotator.from_open_link("annotator__"))
    return rows


def owing(campaign: Campaign, version: str) -> Q:
    """Return the condition that a paid unit may bring its person the bonus of this tutorial.

    They have yet to take it, or have passed it and are not confirmed yet.
    """
    mine = TutorialRun.objects.filter(
        annotator=OuterRef("annotator"), instrument=campaign.instrument
    )
    here = mine.filter(promised__gt=0, participation__campaign=campaign)
    elsewhere = mine.filter(promised__gt=0).exclude(participation__campaign=campaign)
    passed = mine.filter(version=version, passed_at__isnull=False)
    sure = Participation.objects.filter(
        _SURE, campaign=campaign, annotator=OuterRef("annotator")
    ).exclude(status=Status.LEFT)
    paid = LedgerEntry.objects.filter(
        kind=LedgerEntry.Kind.TUTORIAL,
        participation__annotator=OuterRef("annotator"),
        campaign__instrument=campaign.instrument,
    )
    unsure = Q(Exists(here)) & ~Exists(sure)
    open_to = ~Exists(passed) & ~Exists(_failed(campaign))
    return (unsure | open_to) & ~Exists(elsewhere) & ~Exists(paid)


def told(participation_id: int) -> tuple[Decimal, int] | None:
    """Return the bonus that an annotator was promised in this campaign, for their own page, and how
    many of their judgments count now."""
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    run = open_of(who.campaign_id, [who.annotator_id]).first()
    if run is None or not (run.participation_id == who.pk or who.is_sure):
        return None
    return run.promised, judged(who.campaign_id, who.annotator_id)


def judged(campaign_id: int, annotator_id: int) -> int:
    """Return how many judgments of this person count in a campaign."""
    return Slot.objects.filter(
        campaign=campaign_id,
        assignment__annotator=annotator_id,
        assignment__status=Assignment.Status.VERIFIED,
    ).count()


def payable(campaign: Campaign, annotator_id: int) -> bool:
    """Return whether a bonus can reach this person: crowds pay only people with a submission."""
    if not adapters.publishes(campaign.crowd):
        return True
    units = Participation.objects.filter(annotator=annotator_id, status__in=Participation.LISTED)
    return units.exclude(posting=None).exists()


def _listed() -> Q:
    units = Participation.objects.filter(
        annotator=OuterRef("annotator"), status__in=Participation.LISTED
    )
    return Q(Exists(units.exclude(posting=None)))


def _of(annotator_id: int, instrument: str) -> QuerySet[TutorialRun]:
    return TutorialRun.objects.filter(
        annotator=annotator_id, instrument=instrument, promised__gt=0, passed_at__isnull=False
    )


def _open(runs: QuerySet[TutorialRun]) -> QuerySet[TutorialRun]:
    # Few are not settled. Of these, some have been paid in the last minute.
    unpaid = runs.filter(~Exists(_paid()), settled=False)
    return unpaid.filter(passed_at__isnull=False, promised__gt=0)


def newly_settled() -> QuerySet[TutorialRun]:
    """Select the promises that the ledger holds and that are not noted as settled yet."""
    return TutorialRun.objects.filter(Exists(_paid()), promised__gt=0, settled=False)


def _paid() -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(
        kind=LedgerEntry.Kind.TUTORIAL,
        participation__annotator=OuterRef("annotator"),
        campaign__instrument=OuterRef("instrument"),
    )


def _failed(campaign: Campaign) -> QuerySet[TutorialRound]:
    """Select the failed last rounds of a person in a campaign."""
    return TutorialRound.objects.filter(
        campaign=campaign, annotator=OuterRef("annotator"), number__gte=ROUNDS, passed=False
    )


def _promised_elsewhere() -> QuerySet[TutorialRun]:
    same = TutorialRun.objects.filter(
        annotator=OuterRef("annotator"), instrument=OuterRef("instrument"), promised__gt=0
    )
    return same.exclude(pk=OuterRef("pk"))
