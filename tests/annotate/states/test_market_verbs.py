"""Every verb of postings and operations against every state of theirs."""

from collections.abc import Callable
from typing import Any

import pytest

from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import Effect, Outcome, Posted, PostingLevel, Stage
from annotate.crowds.outbox import handler
from annotate.models import (
    Operation,
    Posting,
)
from tests.annotate.states import standing
from tests.annotate.states.trying import Moves, Verb, cases, check, done
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def settle(kind: Operation.Kind, outcome: Outcome) -> Verb:
    def settled(there: Posting) -> None:
        op = standing.an_operation("sent", there, kind=kind)
        handler(kind).settle(op, outcome)

    return settled


def level(stage: Stage) -> Verb:
    def looked(there: Posting) -> None:
        reconciling._level(there, PostingLevel(stage, 3, 1, 0), problem="")

    return looked


Kind = Operation.Kind
POSTED = Posted("L-1", 3, group="G", url="https://x.test/")
OF_POSTING: dict[str, tuple[Verb, Moves]] = {
    "published": (
        settle(Kind.PUBLISH, Outcome(Effect.APPLIED, posted=POSTED)),
        dict.fromkeys(("planned", "failed"), "open"),
    ),
    "not_published": (
        settle(Kind.PUBLISH, Outcome(Effect.REFUSED, "funds", "No money.")),
        dict.fromkeys(("planned", "failed"), "failed"),
    ),
    "stopped": (settle(Kind.STOP, Outcome(Effect.APPLIED)), {"open": "draining"}),
    "not_stopped": (settle(Kind.STOP, Outcome(Effect.REFUSED, "x", "No.")), {}),
    "archived": (settle(Kind.ARCHIVE, Outcome(Effect.APPLIED)), {}),
    "added": (settle(Kind.ADD_PLACES, Outcome(Effect.APPLIED)), {}),
    "level_open": (level(Stage.OPEN), dict.fromkeys(("draining", "closed"), "open")),
    "level_draining": (level(Stage.DRAINING), dict.fromkeys(("open", "closed"), "draining")),
    "level_closed": (level(Stage.CLOSED), dict.fromkeys(("open", "draining"), "closed")),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_POSTING, Posting.Status))
def test_postings(verb: Verb, state: str, to: str):
    there = standing.a_posting(state)
    before = len(standing.acts(there))
    done(verb, there)
    there.refresh_from_db()
    assert there.status == to
    if to != state:
        assert len(standing.acts(there)) == before + 1


# ---- operations


def carry_out(op: Operation) -> bool:
    return outbox.carry_out(op.pk)


def by_hand(verb: Callable[..., Any], *given: Any) -> Verb:
    return lambda op: verb(op.pk, *given, actor_id=user("reviewer").pk)


OF_OPERATION: dict[str, tuple[Verb, Moves]] = {
    "carry_out": (carry_out, dict.fromkeys(("pending", "sent"), "done")),
    "retry": (by_hand(outbox.retry), {"refused": "pending", "unclear": "sent"}),
    "did_not_happen": (by_hand(outbox.decide, False), {"unclear": "pending"}),
    "drop": (by_hand(outbox.drop), dict.fromkeys(("pending", "refused"), "dropped")),
    "drop_by_us": (
        lambda op: outbox.drop(op.pk),
        dict.fromkeys(("pending", "refused"), "dropped"),
    ),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_OPERATION, Operation.Status))
def test_operations(verb: Verb, state: str, to: str):
    check(verb, standing.an_operation(state), to)


def test_who_was_slow_does_not_settle_what_another_worker_has_claimed_since():
    op = standing.an_operation("pending")
    slow, quick = Operation.objects.get(pk=op.pk), Operation.objects.get(pk=op.pk)
    assert outbox.move(slow, Operation.Status.SENT, attempts=1, claim="slow")
    quick.refresh_from_db()  # the claim of the other one is over
    assert outbox.move(quick, Operation.Status.SENT, attempts=2, claim="quick")
    assert not outbox.move(slow, Operation.Status.DONE, claim="")
    assert not outbox.note(slow, claimed_until=None, message="mine")
    found = Operation.objects.get(pk=op.pk)
    assert (found.status, found.attempts, found.claim) == ("sent", 2, "quick")
    assert found.message == ""


@pytest.mark.parametrize("changed", [{"claim": "another"}, {"claim": ""}, {"attempts": 2}])
def test_an_operation_settles_only_as_it_was_read(changed: dict[str, Any]):
    op = standing.an_operation("sent")
    Operation.objects.filter(pk=op.pk).update(attempts=1, claim="mine")
    op.refresh_from_db()
    Operation.objects.filter(pk=op.pk).update(**changed)
    assert not outbox.move(op, Operation.Status.DONE)
    assert Operation.objects.get(pk=op.pk).status == "sent"


@pytest.mark.parametrize("state", Operation.Status.values)
def test_a_person_says_that_an_operation_happened(state: str):
    op = standing.an_operation(state, kind=Kind.STOP)
    Posting.objects.filter(operations=op).update(status="open")
    check(by_hand(outbox.decide, True), op, "done" if state == "unclear" else state)
