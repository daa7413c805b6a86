"""Records what a crowd has decided about a paid unit: state, pay-out and ledger.

Each function runs in the caller's transaction, which locks the campaign. It takes effect once,
whether an operation or the crowd's list reports the decision.
"""

from decimal import Decimal

from django.utils import timezone

from annotate.models import LedgerEntry, Operation, Participation, Payout
from annotate.services.marketplace import messages
from annotate.services.pay import unit_ledger
from annotate.services.work import confirmed_work, participation_states

Status = Participation.Status
Kind = Operation.Kind
TRIED = (Operation.Status.SENT, Operation.Status.DONE, Operation.Status.UNCLEAR)


def approved(participation_id: int) -> bool:
    """Move CONFIRMED or REJECTED -> APPROVED: the crowd pays the unit."""
    if not participation_states.move(
        participation_id, Status.APPROVED, sources=(Status.CONFIRMED, Status.REJECTED)
    ):
        return False
    participation = _get(participation_id)
    _end_unverified(participation)
    Payout.objects.create(
        participation=participation,
        amount=unit_ledger.reward_of(participation),
        key=f"approve:{participation_id}",
    )
    unit_ledger.square_with_approval(participation)
    messages.reach(participation.annotator_id)
    return True


def rejected(participation_id: int) -> bool:
    """Move CONFIRMED -> REJECTED: the crowd does not pay the unit.

    Without a ruling that refused its pay, it was rejected on the crowd's site, and the ledger
    follows.
    """
    if not participation_states.move(
        participation_id, Status.REJECTED, sources=(Status.CONFIRMED,)
    ):
        return False
    participation = _get(participation_id)
    _end_unverified(participation)
    ours = participation.operations.filter(kind=Kind.REJECT, status__in=TRIED)
    if not ours.exists():
        unit_ledger.square_with_rejection(
            participation, reason="The work was rejected at the crowd itself."
        )
    messages.reach(participation.annotator_id)
    return True


def bonus_paid(entry_id: int, amount: Decimal) -> bool:
    """Record that this ledger row was paid as a bonus."""
    participation_id = LedgerEntry.objects.values_list("participation", flat=True).get(pk=entry_id)
    _payout, made = Payout.objects.get_or_create(
        key=unit_ledger.bonus_key(entry_id),
        defaults={"participation_id": participation_id, "entry_id": entry_id, "amount": amount},
    )
    if made:
        unit_ledger.square_with_bonus(_get(participation_id), entry_id, amount)
    return made


def _get(participation_id: int) -> Participation:
    return Participation.objects.select_related("campaign", "posting__batch").get(
        pk=participation_id
    )


def _end_unverified(participation: Participation) -> None:
    """End unverified work once its pay is decided, so that its campaign does not wait for it."""
    if participation.verified_at is None:
        confirmed_work.lose(participation, now=timezone.now())
