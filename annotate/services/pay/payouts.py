"""Paying by hand: a list of what is due, the mark that it was paid, and undoing that mark.

Preparing, marking and refusing all lock the campaign's row, so they run one after the other.
"""

from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction

from annotate import adapters
from annotate.errors import Conflict, Invalid, NotFound
from annotate.models import Campaign, Payout, PayoutList
from annotate.selectors.pay import accounts
from annotate.services import audit, locks

LONGEST = 500
AT_ONCE = 2000  # rows in one statement


def prepare(campaign_id: int, *, actor_id: int) -> PayoutList:
    """Make a list of what is due now, and return it.

    Returns the existing list if it is not marked and nothing has changed since. Raises `Conflict`
    where nothing is due, or where the crowd pays people.
    """
    with transaction.atomic():
        _require_by_hand(locks.campaign(campaign_id))
        due = [
            [one.participation, str(one.due)]
            for one in accounts.of_campaign(campaign_id)
            if one.due > 0
        ]
        if not due:
            raise Conflict("Nothing is due: everybody is paid.")
        seen, last = _last_payout(campaign_id), _last_list(campaign_id)
        if last is not None and (last.rows, last.seen) == (due, seen):
            return last
        made = PayoutList.objects.create(
            campaign_id=campaign_id,
            rows=due,
            people=len(due),
            amount=_total(due),
            seen=seen,
            actor_id=actor_id,
        )
        audit.record(
            "payout_list",
            campaign_id=campaign_id,
            actor_id=actor_id,
            subject=f"list:{made.public_id}",
            amount=str(_total(due)),
            people=len(due),
        )
    return made


def mark_paid(list_id: int, *, actor_id: int) -> int:
    """Record that every line of a list was paid; return how many, 0 if it was marked before.

    Raises `Conflict` where something was paid, refused or undone since the list was made. Nothing
    is recorded then, so the record always agrees with the list.
    """
    found = _get(list_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        if found.payouts.exists():
            return 0
        _check_current(found)
        Payout.objects.bulk_create(
            (
                Payout(
                    participation_id=participation_id,
                    listed=found,
                    amount=Decimal(amount),
                    key=f"list:{found.pk}:{participation_id}",
                    actor_id=actor_id,
                )
                for participation_id, amount in found.rows
            ),
            batch_size=AT_ONCE,
        )
        audit.record(
            "paid_out",
            campaign_id=found.campaign_id,
            actor_id=actor_id,
            subject=f"list:{found.public_id}",
            amount=str(_total(found.rows)),
            people=len(found.rows),
        )
    return len(found.rows)


def undo(list_id: int, pseudonyms: Iterable[str], *, actor_id: int, reason: str) -> int:
    """Undo the mark for these people, so that their pay is due again; return how many.

    Raises `Invalid` without a reason or people, and `Conflict` where one of them is not marked as
    paid.
    """
    reason, names = reason.strip(), sorted(set(pseudonyms))
    _check_undo(reason, names)
    found = _get(list_id)
    with transaction.atomic():
        locks.campaign(found.campaign_id)
        paid = found.payouts.filter(amount__gt=0, participation__annotator__pseudonym__in=names)
        undone = [_undo(payout, actor_id) for payout in paid.order_by("pk")]
        if len(undone) < len(names):
            raise Conflict("Some of these annotators are not marked as paid by this list.")
        audit.record(
            "payout_undone",
            campaign_id=found.campaign_id,
            actor_id=actor_id,
            subject=f"list:{found.public_id}",
            reason=reason,
            people=names,
            amount=str(sum(undone, Decimal(0))),
        )
    return len(undone)


def paid_by(campaign: Campaign) -> str:
    """Return the label of the crowd that pays these annotators; "" where they are paid by hand."""
    return adapters.label(campaign.crowd) if adapters.publishes(campaign.crowd) else ""


def _require_by_hand(campaign: Campaign) -> None:
    if crowd := paid_by(campaign):
        raise Conflict(
            f"People of this campaign are paid through {crowd}: their work is approved there, and "
            "everything beside its reward is paid as a bonus. A list to pay by hand would pay them "
            "twice.",
            code="marketplace",
        )


def _check_undo(reason: str, names: list[str]) -> None:
    errors = {}
    if not 1 <= len(reason) <= LONGEST:
        errors["reason"] = f"Say why, in at most {LONGEST} characters: it goes into the log."
    if not names:
        errors["annotators"] = "Choose who was not paid after all."
    if errors:
        raise Invalid(errors)


def _undo(payout: Payout, actor_id: int) -> Decimal:
    key = f"undo:{payout.pk}"
    if Payout.objects.filter(key=key).exists():
        raise Conflict("This mark has been taken back already.")
    Payout.objects.create(
        participation_id=payout.participation_id,
        listed_id=payout.listed_id,
        amount=-payout.amount,
        key=key,
        actor_id=actor_id,
    )
    return payout.amount


def _check_current(found: PayoutList) -> None:
    """Raise `Conflict` unless every line is still due and none was paid meanwhile."""
    listed = {participation_id for participation_id, _amount in found.rows}
    later = Payout.objects.filter(participation__campaign=found.campaign_id, pk__gt=found.seen)
    if not listed.isdisjoint(later.values_list("participation", flat=True)):
        raise Conflict(
            "Another list with the same people has been marked since this one was made. Nothing "
            "was recorded. Make a new list: it holds what is still due."
        )
    due = {one.participation: one.due for one in accounts.of_campaign(found.campaign_id)}
    if any(due[participation_id] < Decimal(amount) for participation_id, amount in found.rows):
        raise Conflict(
            "Pay of an annotator on this list has been refused since it was made. Nothing was "
            "recorded. Make a new list: it holds what is due now."
        )


def _get(list_id: int) -> PayoutList:
    try:
        return PayoutList.objects.get(pk=list_id)
    except PayoutList.DoesNotExist:
        raise NotFound("There is no such pay-out list.") from None


def _last_payout(campaign_id: int) -> int:
    mine = Payout.objects.filter(participation__campaign=campaign_id)
    return mine.order_by("-pk").values_list("pk", flat=True).first() or 0


def _last_list(campaign_id: int) -> PayoutList | None:
    return PayoutList.objects.filter(campaign=campaign_id).order_by("-pk").first()


def _total(rows: list[list[object]]) -> Decimal:
    return sum((Decimal(str(amount)) for _participation, amount in rows), Decimal(0))
