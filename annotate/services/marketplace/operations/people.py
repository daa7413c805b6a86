"""People at the crowd: pay them, exclude them, include them again, write to them."""

from dataclasses import replace
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from annotate.crowds.base import NOT_YET, Bonus, Effect, Marketplace, Outcome
from annotate.models import Operation, Participation, Review
from annotate.models.payloads import (
    BonusPayload,
    ExcludePayload,
    IncludePayload,
    MessagePayload,
    RejectPayload,
)
from annotate.services import locks
from annotate.services.marketplace import adjudication
from annotate.services.outbox.handlers import Handler, register

Kind = Operation.Kind
PATIENCE = timedelta(hours=1)  # for some minutes a crowd may not know what it has listed
BEHIND = (NOT_YET, "not_found")
UNLISTED = "unlisted"


def _unit(op: Operation) -> Participation:
    return Participation.objects.get(operations=op)


def _approve(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.approve(_unit(op).external_key))


def _override(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.approve(_unit(op).external_key, override=True))


def _reject(op: Operation, crowd: Marketplace) -> Outcome:
    told = RejectPayload.of(op)
    return _patient(op, crowd.reject(_unit(op).external_key, reason=told.reason))


def _doubted(op: Operation) -> str:
    """Return why an approval is held: a new review or a refusal since it was intended; or ""."""
    unit = _unit(op)
    reviews = Review.objects.filter(campaign=unit.campaign_id, annotator=unit.annotator_id)
    doubt = reviews.filter(Q(status=Review.Status.OPEN) | Q(pay_refused=True))
    return "A reviewer is looking at this work." if doubt.exists() else ""


def _patient(op: Operation, outcome: Outcome) -> Outcome:
    """Retry for a while where the crowd may lag behind; then a person must look."""
    if outcome.happened or outcome.code not in BEHIND:
        return outcome
    if timezone.now() < op.created_at + PATIENCE:
        return replace(outcome, effect=Effect.RETRYABLE)
    return replace(outcome, effect=Effect.REFUSED, code=UNLISTED)


def _approved(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        locks.campaign(op.campaign_id)
        adjudication.approved(op.participation_id)


def _rejected(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.participation_id is not None:
        locks.campaign(op.campaign_id)
        adjudication.rejected(op.participation_id)


def _bonus(op: Operation) -> Bonus:
    told = BonusPayload.of(op)
    return Bonus(told.listing, told.unit, told.person, told.amount, told.reason)


def _pay(op: Operation, crowd: Marketplace) -> Outcome:
    return _patient(op, crowd.pay_bonus(_bonus(op), op.token))


def _find_paid(op: Operation, crowd: Marketplace) -> Outcome | None:
    return Outcome(Effect.ALREADY) if crowd.find_bonus(_bonus(op), op.token) else None


def _paid(op: Operation, outcome: Outcome) -> None:
    if outcome.happened and op.entry_id is not None:
        locks.campaign(op.campaign_id)
        adjudication.bonus_paid(op.entry_id, BonusPayload.of(op).amount)


register(Kind.APPROVE, Handler(_approve, _approved, natural=True, held=_doubted))
register(Kind.REJECT, Handler(_reject, _rejected, natural=True))
register(Kind.OVERRIDE, Handler(_override, _approved, natural=True))
register(Kind.BONUS, Handler(_pay, _paid, _find_paid, keyed=True))


def _exclude(op: Operation, crowd: Marketplace) -> Outcome:
    told = ExcludePayload.of(op)
    return _overtaken(op) or crowd.set_excluded(told.person, True, group=told.group)


def _include(op: Operation, crowd: Marketplace) -> Outcome:
    told = IncludePayload.of(op)
    return _overtaken(op) or crowd.set_excluded(told.person, False, group=told.group)


def _overtaken(op: Operation) -> Outcome | None:
    """Return why this request is not sent now. Only the latest request counts.

    It waits for calls under way and replaces earlier requests.
    """
    same = Operation.objects.filter(campaign=op.campaign_id, annotator=op.annotator_id)
    if same.filter(pk__gt=op.pk).exists():
        return Outcome(Effect.ALREADY, message="There has been a later decision.")
    if same.filter(pk__lt=op.pk, status=Operation.Status.SENT).exists():
        return Outcome(Effect.RETRYABLE, "order", "It waits for an earlier change.")
    return None


def _write(op: Operation, crowd: Marketplace) -> Outcome:
    told = MessagePayload.of(op)
    return crowd.message(told.people, told.subject, told.text)


def _nothing(op: Operation, outcome: Outcome) -> None:
    """Do nothing: the operation's row is enough."""


register(Kind.EXCLUDE, Handler(_exclude, _nothing, natural=True))
register(Kind.INCLUDE, Handler(_include, _nothing, natural=True))
# A duplicate message does less harm than a missing one.
register(Kind.MESSAGE, Handler(_write, _nothing, natural=True))
