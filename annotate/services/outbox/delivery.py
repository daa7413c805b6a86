"""The outbox: effects on crowds are committed as rows, then carried out (data rule 3).

An operation is claimed by a conditional UPDATE, carried out outside of transactions, and settled in
one transaction. After an interruption the outcome is unknown: the call is repeated if that is
harmless; otherwise its effect is looked for.

An operation's row comes last in the lock order (`services.work.leasing`).
"""

import logging
import random
import time
import uuid
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Configuration, Effect, Marketplace, Outcome
from annotate.errors import Conflict, NotFound
from annotate.models import Operation
from annotate.services import audit
from annotate.services.outbox import crowd_calls, intents, states
from annotate.services.outbox.crowd_calls import Answer, ask
from annotate.services.outbox.handlers import handler

CLAIM = timedelta(minutes=2)
BACK_OFF, LONGEST_BACK_OFF = 1.0, 600.0  # seconds
LOOK_AFTER = 10.0  # seconds; a crowd lists its effects with a short delay
SETTINGS_AFTER = 60.0  # seconds until mismatched settings are checked again
AT_ONCE = 500  # operations per sweep
GIVEN_UP = "given_up"  # the code of an operation that a person dropped; only a person renews it
Status = Operation.Status

logger = logging.getLogger(__name__)


def carry_out(operation_id: int, *, wait: float = 0.0) -> bool:
    """Carry out an operation if it is due and not claimed; return whether it was tried.

    `wait`: seconds to wait for the rate limit. Call it outside of transactions.
    """
    op = _due().filter(pk=operation_id).first()
    if op is None:
        return False
    crowd = _reachable(op)
    if crowd is None or not _permitted(op, wait):
        return False
    unknown = op.status == Status.SENT
    if not _claim(op):
        return False
    _settle(op, ask(op, crowd, unknown=unknown, again=lambda: _send_anew(op)))
    return True


def carry_out_due(*, within: float = 5.0) -> int:
    """Carry out what is due, for `within` seconds; return the number of tries."""
    until, tried = time.monotonic() + within, 0
    for pk in list(_due().order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE]):
        if time.monotonic() >= until:
            break
        try:
            tried += carry_out(pk, wait=max(0.0, until - time.monotonic()))
        except Exception:  # one failure does not delay the others
            logger.exception("operation %s could not be carried out", pk)
    return tried


def decide(operation_id: int, happened: bool, *, actor_id: int) -> None:
    """Answer an UNCLEAR operation after a look at the crowd: it is settled, or tried again."""
    with transaction.atomic():
        op = _get(operation_id, Status.UNCLEAR, verb="decide about")
        if happened:
            outcome = Outcome(Effect.ALREADY, message="A person saw that it happened.")
            handler(op.kind).settle(op, outcome)
            _change(op, Status.DONE, code="", message=outcome.message, done_at=timezone.now())
        else:
            _again(op, Status.PENDING)
        _log(op, "operation_decided", actor_id=actor_id, happened=happened)


def retry(operation_id: int, *, actor_id: int) -> None:
    """Retry a REFUSED operation after its cause is corrected, or look again at an UNCLEAR one."""
    with transaction.atomic():
        op = _get(operation_id, Status.REFUSED, Status.UNCLEAR, verb="retry")
        if op.status == Status.REFUSED and (again := handler(op.kind).again):
            again(op)
        _again(op, Status.PENDING if op.status == Status.REFUSED else Status.SENT)
        _log(op, "operation_retried", actor_id=actor_id)


def drop(operation_id: int, *, actor_id: int | None = None) -> bool:
    """Drop an operation that has not happened, in the caller's transaction if there is one.

    An operation dropped by a person is not intended again for the same reason. Returns False and
    changes nothing where it has happened or may have happened.
    """
    op = Operation.objects.get(pk=operation_id)
    if op.status not in Operation.NOT_HAPPENED:
        return False
    try:
        with transaction.atomic():
            if dropped := handler(op.kind).dropped:
                dropped(op)
            code = op.code if actor_id is None else GIVEN_UP
            _change(op, Status.DROPPED, code=code, done_at=timezone.now())
            _log(op, "operation_dropped", actor_id=actor_id)
    except Conflict:
        return False
    return True


def hurry(operations: QuerySet[Operation]) -> None:
    """Try open operations at once, because what they waited for happens in this transaction."""
    waiting = operations.filter(status=Status.PENDING)
    for pk in waiting.values_list("pk", flat=True):
        waiting.filter(pk=pk).update(due_at=timezone.now())
        intents.announce_operation(pk)


def hurry_postponed() -> None:
    """Try the postponed operations now, because a person has corrected the cause."""
    hurry(Operation.objects.exclude(code=""))


def _due() -> QuerySet[Operation]:
    now = timezone.now()
    unclaimed = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return Operation.objects.filter(unclaimed, status__in=Operation.OPEN, due_at__lte=now)


def _reachable(op: Operation) -> Marketplace | None:
    """Return the crowd in the operation's environment; otherwise postpone it with a message."""
    try:
        crowd = adapters.marketplace(op.crowd)
    except Configuration as error:
        _postpone(op, SETTINGS_AFTER, code=error.code, message=error.message)
        return None
    if crowd.environment == op.environment:
        return crowd
    _postpone(
        op,
        SETTINGS_AFTER,
        code="environment",
        message=f"This belongs to {crowd.label} “{op.environment}”, but the settings name "
        f"“{crowd.environment}”.",
    )
    return None


def _permitted(op: Operation, wait: float) -> bool:
    if crowd_calls.permit(op.crowd, op.environment, wait=wait):
        return True
    _postpone(op, _jittered(1.0))
    return False


def _postpone(op: Operation, seconds: float, **said: str) -> None:
    """Postpone an unclaimed operation. This is not counted as an attempt."""
    states.note(op, due_at=timezone.now() + timedelta(seconds=seconds), **said)


def _claim(op: Operation) -> bool:
    """Move PENDING or SENT -> SENT for this worker alone; False if another worker was first."""
    now = timezone.now()
    return states.move(
        op,
        Status.SENT,
        attempts=op.attempts + 1,
        sent_at=op.sent_at or now,
        claimed_until=now + CLAIM,
        claim=uuid.uuid4().hex,
    )


def _send_anew(op: Operation) -> bool:
    """Note that the crowd is about to be asked afresh; False if the claim is lost."""
    now = timezone.now()
    return states.note(op, sent_at=now, claimed_until=now + CLAIM)


def _settle(op: Operation, answer: Answer | None) -> None:
    """Write the outcome and all that follows, unless another worker took the operation over."""
    if answer is None:
        return
    outcome, status = answer.outcome, answer.status
    try:
        with transaction.atomic():
            if status in (Status.DONE, Status.REFUSED):
                handler(op.kind).settle(op, outcome)
            _change(op, status, code=outcome.code, message=outcome.message, **_times(op, status))
            if status not in Operation.OPEN:
                _log(op, op.kind, effect=outcome.effect.value)
    except _Lost:
        logger.warning("operation %s was taken over by another worker", op.pk)


def _times(op: Operation, status: str) -> dict[str, Any]:
    now = timezone.now()
    if status not in Operation.OPEN:
        return {"done_at": None if status == Status.UNCLEAR else now}
    seconds = min(LONGEST_BACK_OFF, BACK_OFF * 2 ** min(op.attempts - 1, 12))
    if status == Status.SENT:
        seconds = max(LOOK_AFTER, seconds)
    sent_at = op.sent_at if status == Status.SENT else None
    return {"due_at": now + timedelta(seconds=_jittered(seconds)), "sent_at": sent_at}


def _jittered(seconds: float) -> float:
    return seconds * random.uniform(0.75, 1.25)


class _Lost(Conflict):
    """The row has changed since it was read."""


def _again(op: Operation, status: Operation.Status) -> None:
    sent_at = op.sent_at if status == Status.SENT else None
    _change(op, status, attempts=0, sent_at=sent_at, due_at=timezone.now(), done_at=None)
    intents.announce_operation(op.pk)


def _change(op: Operation, status: Operation.Status, **changes: Any) -> None:
    """Change the status by a conditional UPDATE, which ends the claim."""
    if not states.move(op, status, claim="", claimed_until=None, **changes):
        raise _Lost("Another process has changed this meanwhile. Look at it again.")


def _get(operation_id: int, *statuses: Operation.Status, verb: str) -> Operation:
    op = Operation.objects.filter(pk=operation_id).first()
    if op is None:
        raise NotFound("There is no such operation.")
    if op.status not in statuses:
        raise Conflict(f"There is no need to {verb} this: it is {op.get_status_display()}.")
    return op


def _log(op: Operation, verb: str, *, actor_id: int | None = None, **detail: Any) -> None:
    audit.record(
        verb,
        campaign_id=op.campaign_id,
        actor_id=actor_id,
        subject=f"operation:{op.pk}",
        kind=op.kind,
        status=op.status,
        code=op.code,
        **detail,
    )
