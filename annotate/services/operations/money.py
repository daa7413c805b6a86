"""Pay at the crowd: approve, reject, override, bonus. What follows is written once it happened."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from annotate.crowds.base import Bonus, Effect, Marketplace, Outcome
from annotate.models import Operation, Participation, Review
from annotate.services import adjudication, leasing
from annotate.services.operations.base import Handler, register

Kind = Operation.Kind
PATIENCE = timedelta(minutes=15)  # a crowd may not know for minutes what it has listed already
NO_MONEY = "The account at the crowd has too little money. Add money there, then retry."


def _unit(op: Operation) -> Participation:
    return Participation.objects.get(operations=op)


def _approve(op: Operation, crowd: Marketplace) -> Outcome:
    unit = _unit(op)
    if op.attempts <= 1 and _doubted(unit):
        return Outcome(Effect.RETRYABLE, "review", "A reviewer is looking at this work.")
    return _patient(op, crowd.approve(unit.external_key))


def _override(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.approve(_unit(op).external_key, override=True))


def _reject(op: Operation, crowd: Marketplace) -> Outcome:
    outcome = crowd.reject(
        _unit(op).external_key, reason=op.arguments["reason"],
        category=op.arguments.get("category", ""),
    )  # fmt: skip
    return _patient(op, outcome)


def _doubted(unit: Participation) -> bool:
    """Whether a review was opened, or pay refused, since the approval was intended."""
    review = Review.objects.filter(campaign=unit.campaign_id, annotator=unit.annotator_id).first()
    return review is not None and (review.status == Review.Status.OPEN or review.pay_refused)


def _patient(op: Operation, outcome: Outcome) -> Outcome:
    """Say what to do about money; ask again for a while where the crowd may just be behind."""
    if outcome.effect != Effect.REFUSED:
        return outcome
    if outcome.code == "funds":
        return replace(outcome, message=NO_MONEY)
    young = timezone.now() < op.created_at + PATIENCE
    if young and outcome.code == "not_found":
        return replace(outcome, effect=Effect.RETRYABLE)
    return outcome


def _approved(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        leasing.lock(op.campaign_id)
        adjudication.approved(op.participation_id)


def _rejected(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        leasing.lock(op.campaign_id)
        adjudication.rejected(op.participation_id)


def _bonus(op: Operation) -> Bonus:
    of = op.arguments
    return Bonus(of["listing"], of["unit"], of["person"], Decimal(of["amount"]), of["reason"])


def _pay(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.pay_bonus(_bonus(op), op.token))


def _find_paid(op: Operation, crowd: Marketplace) -> Outcome | None:
    return Outcome(Effect.ALREADY) if crowd.find_bonus(_bonus(op), op.token) else None


def _paid(op: Operation, outcome: Outcome) -> None:
    if outcome.happened:
        leasing.lock(op.campaign_id)
        adjudication.bonus_paid(int(op.arguments["entry"]), Decimal(op.arguments["amount"]))


register(Kind.APPROVE, Handler(_approve, _approved, natural=True))
register(Kind.REJECT, Handler(_reject, _rejected, natural=True))
register(Kind.OVERRIDE, Handler(_override, _approved, natural=True))
register(Kind.BONUS, Handler(_pay, _paid, _find_paid, keyed=True))
