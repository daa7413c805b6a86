"""How a kind of operation is carried out: what `services.outbox.delivery` needs to know of it.

A module registers its kinds when it is imported; `annotate.apps` imports them all.
"""

from collections.abc import Callable
from dataclasses import dataclass

from annotate.crowds.base import Marketplace, Outcome
from annotate.models import Operation

Call = Callable[[Operation, Marketplace], Outcome]
Find = Callable[[Operation, Marketplace], Outcome | None]
Settle = Callable[[Operation, Outcome], None]
Dropped = Callable[[Operation], None]
Held = Callable[[Operation], str]
Again = Callable[[Operation], None]


@dataclass(frozen=True)
class Handler:
    """One kind of operation.

    call: ask the crowd, once, outside of any transaction. Rows may be read first; where
    something must come before (a posting that is not published yet), return RETRYABLE.
    settle: write what follows, inside the settling transaction. It runs once for each final
    outcome: `outcome.happened`, or REFUSED. It must not touch the operation's own row, and does
    all its locking in the order of `services.work.leasing` (operations come last).
    find: ask whether it has happened; its outcome (ALREADY) if so, None if not. Raises
    `Configuration` if the crowd cannot tell: then a person must look.
    natural: doing it twice is the same as doing it once, so it is simply asked again.
    keyed: the crowd recognises `op.token` for as long as its `can.token_life` says.
    dropped: write what follows when it is no longer wanted, in the dropping transaction.
    held: why it must wait, "" if it need not. Asked before each try, as long as it is known that
    it has not happened: what may have happened cannot be held back any more.
    again: write what follows when a person lets it be tried again after it was refused, in that
    transaction; `Conflict` where it may not be any more.

    A kind that is neither natural nor keyed, and cannot be looked for, becomes UNCLEAR when its
    call is interrupted.
    """

    call: Call
    settle: Settle
    find: Find | None = None
    natural: bool = False
    keyed: bool = False
    dropped: Dropped | None = None
    held: Held | None = None
    again: Again | None = None


_handlers: dict[str, Handler] = {}


def register(kind: Operation.Kind, handler: Handler) -> None:
    """Say how operations of this kind are carried out."""
    _handlers[kind] = handler


def handler(kind: str) -> Handler:
    return _handlers[kind]
