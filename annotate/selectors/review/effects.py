"""The effects of rulings, possible and past, on judgments, money and dates; not on scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate import adapters
from annotate.crowds.tariffs import CENT, ZERO
from annotate.models import Exclusion, Judgment, LedgerEntry, Ruling
from annotate.selectors.pay import accounts
from annotate.selectors.review import refusals as refusal_rules

Kind = LedgerEntry.Kind
FOR_WORK = (
    Kind.REWARD,
    Kind.COMPENSATION,
    Kind.REMAINDER,
    Kind.LAPSE,
    Kind.REFUSAL,
    Kind.REINSTATEMENT,
)


@dataclass(frozen=True)
class Effects:
    """What each act would do now to one annotator's work in one campaign.

    counting: judgments that an exclusion removes.
    excluded: judgments that a reversal restores.
    due: the unpaid part of their earnings.
    at_stake: the part of `due` that is for the work and can be refused.
    refused: what a reversal restores.
    undecided: undecided paid units of a marketplace.
    paid_out: it was paid, or is being paid.
    least_reason: the fewest characters of a refusal's reason at this crowd.
    """

    counting: int
    excluded: int
    due: Decimal
    at_stake: Decimal
    refused: Decimal
    undecided: int
    refusable_until: datetime | None
    paid_out: bool
    least_reason: int
    crowd: str

    @property
    def too_late(self) -> bool:
        return self.refusable_until is not None and timezone.now() > self.refusable_until

    @property
    def refusable(self) -> bool:
        something = bool(self.at_stake) or self.undecided > 0
        return something and not self.paid_out and not self.too_late


@dataclass(frozen=True)
class PastEffects:
    """The past effects of some rulings, from the facts that they wrote."""

    out: int
    back: int
    refused: Decimal
    restored: Decimal


def effects(campaign_id: int, annotator_id: int) -> Effects:
    """Return what rulings would do; always the same number of queries."""
    held = Judgment.objects.filter(
        campaign=campaign_id, annotator=annotator_id, assignment__slot__isnull=False
    )
    out = Exclusion.objects.filter(
        judgment__campaign=campaign_id, judgment__annotator=annotator_id, restored_at=None
    )
    crowd = refusal_rules.crowd_of(campaign_id)
    pays = {"participation__campaign": campaign_id, "participation__annotator": annotator_id}
    earned = LedgerEntry.objects.filter(**pays).aggregate(
        all=_sum(Q()),
        work=_sum(Q(kind__in=FOR_WORK)),
        refused=_sum(Q(kind__in=(Kind.REFUSAL, Kind.REINSTATEMENT))),
    )
    paid = accounts.paid_out(campaign_id, annotator_id)
    return Effects(
        counting=held.count(),
        excluded=out.count(),
        due=(earned["all"] - paid).quantize(CENT),
        at_stake=_at_stake(campaign_id, annotator_id, earned["work"], paid=paid),
        refused=-earned["refused"].quantize(CENT),
        undecided=refusal_rules.undecided(campaign_id, annotator_id),
        refusable_until=refusal_rules.until(campaign_id, annotator_id),
        paid_out=refusal_rules.paid(campaign_id, annotator_id),
        least_reason=crowd.can.least_reason,
        crowd=crowd.label,
    )


def _at_stake(campaign_id: int, annotator_id: int, work: Decimal, *, paid: Decimal) -> Decimal:
    """Return what can be refused. By link, one mark pays for everything, so it is 0 after that."""
    if paid and not adapters.publishes(refusal_rules.crowd_of(campaign_id).key):
        return ZERO
    rest = work - accounts.paid_for_work(campaign_id, annotator_id)
    return max(ZERO, rest).quantize(CENT)


def done(ruling_ids: Iterable[int]) -> PastEffects:
    """Return the effects of these rulings, which were submitted together."""
    rulings = list(Ruling.objects.filter(pk__in=list(ruling_ids)))
    money = LedgerEntry.objects.filter(ruling__in=rulings).aggregate(
        refused=_sum(Q(kind=Kind.REFUSAL)), restored=_sum(Q(kind=Kind.REINSTATEMENT))
    )
    back = [ruling for ruling in rulings if ruling.act == Ruling.Act.RESTORE]
    return PastEffects(
        out=Exclusion.objects.filter(ruling__in=rulings).count(),
        back=Exclusion.objects.filter(
            ruling__review__in=[ruling.review_id for ruling in back],
            restored_at__in=[ruling.at for ruling in back],
        ).count(),
        refused=-money["refused"].quantize(CENT),
        restored=money["restored"].quantize(CENT),
    )


def _sum(which: Q) -> Coalesce:
    return Coalesce(Sum("amount", filter=which), ZERO, output_field=accounts.MONEY)
