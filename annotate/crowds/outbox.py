"""The outbox: effects on crowds are committed as rows, then carried out (data rule 3).

An operation is claimed by a conditional UPDATE, carried out outside of transactions, and settled in
one transaction. After an interruption the outcome is unknown: the call is repeated if that is
harmless; otherwise its effect is looked for.

This is the only writer of an operation's status (data rule 2). The audit row is written in the same
transaction for final states and for a person's decisions. For attempts, the row itself records
their number, their time and the last outcome. An operation's row comes last in the lock order
(`annotate.work.leasing`).
"""

import logging
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.common import audit, intents, limits
from annotate.common.errors import Conflict, NotFound
from annotate.crowds import adapters
from annotate.crowds.contract import (
    Configuration,
    CrowdError,
    Effect,
    Marketplace,
    Outcome,
    Transient,
)
from annotate.models import Operation

Status = Operation.Status

# SENT to SENT: another attempt, or another check of its effect.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.SENT, Status.DROPPED}),
    Status.SENT: frozenset(
        {Status.PENDING, Status.SENT, Status.DONE, Status.REFUSED, Status.UNCLEAR}
    ),
    Status.UNCLEAR: frozenset({Status.PENDING, Status.SENT, Status.DONE}),
    Status.REFUSED: frozenset({Status.PENDING, Status.DROPPED}),
    Status.DONE: frozenset(),
    Status.DROPPED: frozenset(),
}


def move(op: Operation, to: Status, **changes: Any) -> bool:
    """Change the status of the row and of `op` if the row is as it was read; False otherwise."""
    source, record = Status(op.status), audit.elsewhere
    moved = audit.change(_as_read(op), TRANSITIONS, to, sources=[source], record=record, **changes)
    _follow(op, status=to, **changes)
    return bool(moved)


def note(op: Operation, **changes: Any) -> bool:
    """Change other fields of the row and of `op` if the row is as it was read; False otherwise."""
    noted = audit.note(_as_read(op), **changes)
    _follow(op, **changes)
    return bool(noted)


def _as_read(op: Operation) -> QuerySet[Operation]:
    return Operation.objects.filter(
        pk=op.pk, status=op.status, attempts=op.attempts, claim=op.claim
    )


def _follow(op: Operation, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(op, name, value)


# How each kind of operation is carried out, as the delivery below needs it.
#
# A module registers its kinds when it is imported; `annotate.apps` imports them all.


@dataclass(frozen=True)
class Handler:
    """One kind of operation.

    call: ask the crowd, once, outside of transactions. It may read rows first, and returns
        RETRYABLE where another operation must come first (a posting that is not published yet).
    settle: write what follows, inside the settling transaction. It runs once for each final
        outcome: `outcome.happened`, or REFUSED. It does not touch the operation's own row, and it
        locks in the order of `annotate.work.leasing` (operations come last).
    find: check whether it has happened; the outcome (ALREADY) if so, None if not. Raises
        `Configuration` if the crowd cannot say; then a person must look.
    natural: doing it twice is the same as doing it once, so it is asked again.
    keyed: the crowd recognises `op.token` for as long as its `can.token_life` says.
    dropped: write what follows when it is no longer wanted, in the dropping transaction.
    held: why it must wait; "" if it need not. Checked before each try while it is known not to have
        happened. An operation that may have happened cannot be held back.
    again: write what follows when a person has it tried again after a refusal, in that transaction.
        Raises `Conflict` where that is no longer allowed.

    A kind that is neither natural nor keyed, and has no `find`, becomes UNCLEAR when its call is
    interrupted.
    """

    call: Callable[[Operation, Marketplace], Outcome]
    settle: Callable[[Operation, Outcome], None]
    find: Callable[[Operation, Marketplace], Outcome | None] | None = None
    natural: bool = False
    keyed: bool = False
    dropped: Callable[[Operation], None] | None = None
    held: Callable[[Operation], str] | None = None
    again: Callable[[Operation], None] | None = None


_handlers: dict[str, Handler] = {}


def register(kind: Operation.Kind, handler: Handler) -> None:
    """Set how operations of this kind are carried out."""
    _handlers[kind] = handler


def handler(kind: str) -> Handler:
    return _handlers[kind]


# Calls a crowd for one operation, or checks whether an earlier call succeeded. Writes no rows.


KEPT = 5  # seconds for which the count of one second is kept


def permit(crowd: str, environment: str, *, wait: float = 0.0) -> bool:
    """Return whether this crowd may be called, waiting up to `wait` seconds for permission."""
    until = time.monotonic() + wait
    while True:
        taken = limits.count(f"calls:{crowd}:{environment}:{int(time.time())}", KEPT)
        if taken <= settings.CROWD_CALLS_PER_SECOND:
            return True
        rest = 1.0 - time.time() % 1.0  # until the count of the next second starts
        if time.monotonic() + rest > until:
            return False
        time.sleep(rest)


TOKEN_MARGIN = timedelta(hours=1)  # for differing clocks and the duration of a call

logger = logging.getLogger(__name__)


Answer = tuple[Outcome, Operation.Status]  # a crowd's answer, and the operation's new status


def ask(
    op: Operation, crowd: Marketplace, *, unknown: bool, again: Callable[[], bool]
) -> Answer | None:
    """Carry out a claimed operation, once.

    unknown: an earlier try may have had its effect.
    again: notes that the crowd is asked again, and returns whether this worker still has the claim.
        The result is None if it has not.
    """
    how = handler(op.kind)
    if not unknown and how.held and (why := how.held(op)):
        return _judged(Outcome(Effect.RETRYABLE, "held", why))
    if not unknown or how.natural:
        return _judged(_call(how, op, crowd))
    if how.keyed and _recognised(op, crowd):
        # Under the same key only success is final: a refusal may concern this try alone.
        outcome = _call(how, op, crowd)
        if outcome.effect == Effect.REFUSED and how.find is not None:
            return _look(how, op, crowd) or _judged(outcome)
        return _judged(outcome, unknown=True)
    answer = _look(how, op, crowd)
    if answer is not None:
        return answer
    return _judged(_call(how, op, crowd)) if again() else None


def _recognised(op: Operation, crowd: Marketplace) -> bool:
    """Return whether the crowd still knows the key of the first try."""
    life = crowd.can.token_life
    if life is None or op.sent_at is None:
        return False
    return timezone.now() < op.sent_at + life - TOKEN_MARGIN


def _look(how: Handler, op: Operation, crowd: Marketplace) -> Answer | None:
    """Check whether the effect has happened; None if it has not and may be requested."""
    if how.find is None:
        return _unclear("Plumbline cannot see whether this happened.")
    try:
        found = how.find(op, crowd)
    except Configuration as error:
        return _unclear(error.message)
    except CrowdError as error:
        return Outcome(Effect.AMBIGUOUS, error.code, error.message), Status.SENT
    if found is not None:
        return _judged(found)
    if op.kind == Operation.Kind.BONUS and not crowd.can.idempotent_bonus:
        return _unclear("The crowd does not list this bonus, but it may still be on its way.")
    return None


def _call(how: Handler, op: Operation, crowd: Marketplace) -> Outcome:
    try:
        return how.call(op, crowd)
    except (Transient, Configuration) as error:  # while reading, before the effect
        return Outcome(Effect.RETRYABLE, error.code, error.message)
    except CrowdError as error:
        return Outcome(Effect.REFUSED, error.code, error.message)
    except Exception as error:
        logger.exception("operation %s: %s failed", op.pk, op.kind)
        return Outcome(Effect.AMBIGUOUS, "internal", f"An error in Plumbline: {error!r}")


def _judged(outcome: Outcome, *, unknown: bool = False) -> Answer:
    if outcome.happened:
        return outcome, Status.DONE
    if outcome.effect == Effect.REFUSED:
        return outcome, Status.REFUSED
    unknown = unknown or outcome.effect == Effect.AMBIGUOUS
    return outcome, Status.SENT if unknown else Status.PENDING


def _unclear(why: str) -> Answer:
    return Outcome(Effect.AMBIGUOUS, "unclear", why), Status.UNCLEAR


CLAIM = timedelta(minutes=2)
BACK_OFF, LONGEST_BACK_OFF = 1.0, 600.0  # seconds
LOOK_AFTER = 10.0  # seconds; a crowd lists its effects with a short delay
SETTINGS_AFTER = 60.0  # seconds until mismatched settings are checked again
AT_ONCE = 500  # operations per sweep
GIVEN_UP = "given_up"  # the code of an operation that a person dropped; only a person renews it


def carry_out(operation_id: int, *, wait: float = 0.0) -> bool:
    """Carry out an operation if it is due and not claimed; return whether it was tried.

    `wait`: seconds to wait for the rate limit. Call it outside of transactions.
    """
    op = _due().filter(pk=operation_id).first()
    if op is None:
        return False
    crowd = _reachable(op)
    if crowd is None:
        return False
    if not permit(op.crowd, op.environment, wait=wait):
        _postpone(op, _jittered(1.0))
        return False
    unknown = op.status == Status.SENT
    if not _claim(op):
        return False
    answer = ask(op, crowd, unknown=unknown, again=lambda: _send_anew(op))
    if answer is not None:
        _settle(op, *answer)
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


def _postpone(op: Operation, seconds: float, **said: str) -> None:
    """Postpone an unclaimed operation. This is not counted as an attempt."""
    note(op, due_at=timezone.now() + timedelta(seconds=seconds), **said)


def _claim(op: Operation) -> bool:
    """Move PENDING or SENT -> SENT for this worker alone; False if another worker was first."""
    now = timezone.now()
    return move(
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
    return note(op, sent_at=now, claimed_until=now + CLAIM)


def _settle(op: Operation, outcome: Outcome, status: Operation.Status) -> None:
    """Write the outcome and all that follows, unless another worker took the operation over."""
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
    if not move(op, status, claim="", claimed_until=None, **changes):
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
