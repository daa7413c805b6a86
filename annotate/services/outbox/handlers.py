"""How each kind of operation is carried out, as `services.outbox.delivery` needs it.

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

    call: ask the crowd, once, outside of transactions. It may read rows first, and returns
        RETRYABLE where another operation must come first (a posting that is not published yet).
    settle: write what follows, inside the settling transaction. It runs once for each final
        outcome: `outcome.happened`, or REFUSED. It does not touch the operation's own row, and it
        locks in the order of `services.work.leasing` (operations come last).
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
    """Set how operations of this kind are carried out."""
    _handlers[kind] = handler


def handler(kind: str) -> Handler:
    return _handlers[kind]
