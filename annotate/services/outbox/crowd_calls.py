"""Calls a crowd for one operation, or checks whether an earlier call succeeded. Writes no rows."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from annotate.crowds.base import Configuration, CrowdError, Effect, Marketplace, Outcome, Transient
from annotate.models import Operation
from annotate.requests import counting
from annotate.services.outbox.handlers import Handler, handler

KEPT = 5  # seconds for which the count of one second is kept


def permit(crowd: str, environment: str, *, wait: float = 0.0) -> bool:
    """Return whether this crowd may be called, waiting up to `wait` seconds for permission."""
    name, until = f"{crowd}:{environment}", time.monotonic() + wait
    while not _take(name):
        rest = 1.0 - time.time() % 1.0  # until the count of the next second starts
        if time.monotonic() + rest > until:
            return False
        time.sleep(rest)
    return True


def _take(name: str) -> bool:
    taken = counting.count(f"calls:{name}:{int(time.time())}", KEPT)
    return bool(taken <= settings.CROWD_CALLS_PER_SECOND)


TOKEN_MARGIN = timedelta(hours=1)  # for differing clocks and the duration of a call
Status = Operation.Status

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answer:
    """A crowd's answer, and the new status of the operation."""

    outcome: Outcome
    status: Operation.Status


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
        return _repeated(how, op, crowd)
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


def _repeated(how: Handler, op: Operation, crowd: Marketplace) -> Answer:
    """Ask again under the same key. Only success is final: a refusal may concern this try alone."""
    outcome = _call(how, op, crowd)
    if outcome.effect == Effect.REFUSED and how.find is not None:
        return _look(how, op, crowd) or _judged(outcome)
    return _judged(outcome, unknown=True)


def _look(how: Handler, op: Operation, crowd: Marketplace) -> Answer | None:
    """Check whether the effect has happened; None if it has not and may be requested."""
    if how.find is None:
        return _unclear("Plumbline cannot see whether this happened.")
    try:
        found = how.find(op, crowd)
    except Configuration as error:
        return _unclear(error.message)
    except CrowdError as error:
        return Answer(Outcome(Effect.AMBIGUOUS, error.code, error.message), Status.SENT)
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
        return Answer(outcome, Status.DONE)
    if outcome.effect == Effect.REFUSED:
        return Answer(outcome, Status.REFUSED)
    open_ = Status.SENT if unknown or outcome.effect == Effect.AMBIGUOUS else Status.PENDING
    return Answer(outcome, open_)


def _unclear(why: str) -> Answer:
    return Answer(Outcome(Effect.AMBIGUOUS, "unclear", why), Status.UNCLEAR)
