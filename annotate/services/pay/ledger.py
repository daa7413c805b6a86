"""Ledger rows: what work earns, what a refusal cancels, and what restoring pay brings back."""

from decimal import Decimal

from django.db.models import Sum
from django.utils import timezone

from annotate import adapters
from annotate.crowds.tariffs import CENT, ZERO, Price
from annotate.errors import Conflict, Invalid
from annotate.models import Assignment, Campaign, LedgerEntry, Participation, Review, Ruling
from annotate.selectors.pay import budget
from annotate.selectors.review import refusals
from annotate.selectors.review.effects import FOR_WORK
from annotate.services import totals
from annotate.services.pay import unit_ledger

Kind = LedgerEntry.Kind


def earn_task(assignment: Assignment, *, campaign: Campaign, kind: Kind) -> LedgerEntry:
    """Add what this assignment has earned; a second row for it violates the unique key.

    The caller adds the row to the campaign's totals, as the last that its transaction does.

    On a marketplace, the caller locks the participation, because the fees of a unit's tasks depend
    on each other.
    """
    each = _price(assignment, campaign)
    entry: LedgerEntry = LedgerEntry.objects.create(
        campaign=campaign,
        participation_id=assignment.participation_id,
        assignment=assignment,
        kind=kind,
        amount=each.reward,
        fee=each.fee,
        key=f"assignment:{assignment.pk}",
    )
    return entry


def earn_rest(who: Participation, *, campaign: Campaign, reward: Decimal) -> Decimal:
    """Add the rest of the announced pay of a unit; return the amount.

    Refused pay is not topped up: the amount is 0 where a ruling has refused it.
    """
    mine = LedgerEntry.objects.filter(participation=who)
    if mine.filter(kind=Kind.REFUSAL).exists():
        return ZERO
    missing = reward - unit_ledger.standing(who)
    if missing <= 0:
        return ZERO
    each = unit_ledger.price(who, missing)
    before = mine.filter(kind=Kind.REMAINDER).count()  # each lapsed with the unit
    entry = LedgerEntry.objects.create(
        campaign=campaign,
        participation=who,
        kind=Kind.REMAINDER,
        amount=each.reward,
        fee=each.fee,
        key=f"remainder:{who.pk}" + (f":{before}" if before else ""),
    )
    totals.spend(entry)
    return each.reward


def _price(assignment: Assignment, campaign: Campaign) -> Price:
    who = assignment.participation
    if who.tasks is None:
        return budget.price(campaign)
    return unit_ledger.price(who, campaign.reward)


REFUSED = (Kind.REFUSAL, Kind.REINSTATEMENT)


def refuse(review: Review, ruling: Ruling) -> Decimal:
    """Cancel what is due for the work, except tutorial bonuses; return the amount.

    Raises `Conflict` after the crowd's limit, where it has been paid or is being paid, and where
    nothing is due. Raises `Invalid` for a reason that is shorter than the crowd's minimum.
    """
    _check_reason(review, ruling)
    _check_limit(review)
    participations = _of(review)
    if refusals.paid(review.campaign_id, review.annotator_id):
        raise Conflict("This work has been paid out already: pay can no longer be refused.")
    total = sum((_cancel(one, FOR_WORK, ruling) for one in participations), Decimal(0))
    if not total and not refusals.undecided(review.campaign_id, review.annotator_id):
        raise Conflict("Nothing is due for this work: there is no pay to refuse.")
    return total


def repay(review: Review, ruling: Ruling) -> Decimal:
    """Restore refused pay; return the amount. A returned unit brings 0."""
    mine = _of(review)
    total = sum((-_cancel(one, REFUSED, ruling) for one in mine), Decimal(0))
    lost = (one for one in mine if one.status == Participation.Status.LEFT)
    return total - sum((unit_ledger.lapse(one) for one in lost), Decimal(0))


def _check_reason(review: Review, ruling: Ruling) -> None:
    crowd, given = adapters.entry(review.campaign.crowd), len(ruling.reason.strip())
    least = crowd.can.least_reason
    if given < least:
        said = (
            f"{crowd.label} takes a reason of at least {least} characters, which the annotator "
            f"reads; this one has {given}. Explain it in more words."
        )
        raise Invalid({"reason": said})


def _check_limit(review: Review) -> None:
    until = refusals.until(review.campaign_id, review.annotator_id)
    if until is not None and timezone.now() > until:
        raise Conflict(
            f"Pay for this work could be refused until {until:%d %B %Y, %H:%M}. The work can "
            "still be left out of the estimates."
        )


def _of(review: Review) -> list[Participation]:
    return list(
        Participation.objects.filter(
            campaign=review.campaign_id, annotator=review.annotator_id
        ).order_by("pk")
    )


def _cancel(participation: Participation, kinds: tuple[Kind, ...], ruling: Ruling) -> Decimal:
    """Add a row that cancels these kinds; return their sum before it."""
    row = LedgerEntry.objects.filter(participation=participation, kind__in=kinds).aggregate(
        amount=Sum("amount"), fee=Sum("fee")
    )
    amount, fee = ((row[name] or Decimal(0)).quantize(CENT) for name in ("amount", "fee"))
    if amount or fee:
        entry = LedgerEntry.objects.create(
            campaign_id=participation.campaign_id,
            participation=participation,
            kind=Kind.REFUSAL if kinds is FOR_WORK else Kind.REINSTATEMENT,
            amount=-amount,
            fee=-fee,
            ruling=ruling,
            key=f"ruling:{ruling.pk}:{participation.pk}",
        )
        totals.spend(entry)
    return amount
