"""Paid units of marketplaces, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db.models import Count, Sum
from django.utils.translation import gettext as _

from annotate.crowds.tariffs import ZERO
from annotate.crowds.terms import from_json
from annotate.errors import NotFound
from annotate.models import Assignment, LedgerEntry, Participation, Posting

Status = Participation.Status


@dataclass(frozen=True)
class UnitOffer:
    """What a posting offers: a number of tasks for one reward."""

    campaign_id: int
    crowd: str
    tasks: int
    reward: Decimal
    approve_after: timedelta  # time until undisputed work is approved


@dataclass(frozen=True)
class Unit:
    """A paid unit for its annotator; `name`, `receipt`, `submit_to` and `code` serve to submit it.

    given_back: its tasks that were returned undone.
    topped_up: the part of its reward that is paid although there were no tasks for it.
    """

    offer: UnitOffer
    status: str
    done: int
    given_back: int
    topped_up: Decimal
    name: str
    receipt: str
    submit_to: str
    code: str

    @property
    def is_active(self) -> bool:
        return self.status == Status.ACTIVE

    @property
    def is_left(self) -> bool:
        return self.status == Status.LEFT

    @property
    def is_decided(self) -> bool:
        return self.status in (Status.APPROVED, Status.REJECTED)

    @property
    def is_handed_in(self) -> bool:
        """Return whether it was submitted here; whether the crowd has it is not known yet."""
        return self.status == Status.HANDED_IN


@dataclass(frozen=True)
class UnitStage:
    """How many units of a person are in one state, and their amounts."""

    status: str
    n: int
    amount: Decimal


def judged(participation_id: int) -> int:
    """Return how many tasks are done under this participation, without lapsed ones."""
    return Assignment.objects.filter(
        participation=participation_id, status__in=Assignment.JUDGED
    ).count()


def given_back(participation_id: int) -> int:
    """Return how many of its tasks were returned undone although they were available."""
    return Assignment.objects.filter(
        ~Assignment.has_work(),
        participation=participation_id,
        status=Assignment.Status.RETURNED,
    ).count()


def offer(posting_public_id: str) -> UnitOffer:
    found = Posting.objects.select_related("batch").filter(public_id=posting_public_id).first()
    if found is None:
        raise NotFound(_("This study does not exist any more."))
    return _offer(found)


def of(who: Participation) -> Unit | None:
    """Return the unit of a participation; None by link. Its posting must be loaded."""
    if who.posting is None:
        return None
    rest = LedgerEntry.objects.filter(participation=who, kind=LedgerEntry.Kind.REMAINDER)
    return Unit(
        offer=_offer(who.posting),
        status=who.status,
        done=judged(who.pk),
        given_back=given_back(who.pk),
        topped_up=(rest.aggregate(sum=Sum("amount"))["sum"] or ZERO).quantize(ZERO),
        name=who.external_key,
        receipt=who.receipt,
        submit_to=who.submit_to,
        code=who.posting.code,
    )


def stages(participation_id: int) -> list[UnitStage]:
    """Return the state of the units that this person has started in this campaign.

    Units that were returned without any work are left out.
    """
    campaign, annotator = Participation.objects.values_list("campaign", "annotator").get(
        pk=participation_id
    )
    mine = Participation.objects.filter(campaign=campaign, annotator=annotator)
    counts: Mapping[str, int] = dict(
        mine.filter(assignments__status__in=Assignment.JUDGED)
        .order_by()
        .values_list("status")
        .annotate(n=Count("pk", distinct=True))
    )
    sums = LedgerEntry.objects.filter(participation__in=mine).order_by()
    amounts: Mapping[str, Decimal] = dict(
        sums.values_list("participation__status").annotate(sum=Sum("amount"))
    )
    return [
        UnitStage(status, counts[status], amounts.get(status, ZERO).quantize(ZERO))
        for status in Status.values
        if status in counts
    ]


def _offer(posting: Posting) -> UnitOffer:
    batch = posting.batch
    return UnitOffer(
        batch.campaign_id,
        batch.crowd,
        batch.tasks,
        batch.reward,
        from_json(batch.terms).approve_after,
    )
