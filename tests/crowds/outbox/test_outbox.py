"""Interrupted at every place, an effect happens once (data rule 3)."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from annotate.common.errors import Conflict
from annotate.crowds import adapters, outbox
from annotate.crowds.contract import Configuration, Effect, Outcome, Terms, Transient, to_json
from annotate.models import AuditEntry, Batch, Campaign, Operation, Posting
from config import celery
from tests.annotate.work.storms import at_once
from tests.crowds import operations
from tests.crowds.scripted import DROPPED, LOST, NO_MONEY, THROTTLED, After, Killed, Scripted
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind, Status = Operation.Kind, Operation.Status
TERMS = Terms("Rate news", "Read a text and rate it.")


def posting(made: Campaign | None = None, **fields: Any) -> Posting:
    made = made or campaign()
    from django.utils import timezone

    batch = Batch.objects.create(
        campaign=made,
        crowd="mturk",
        environment="sandbox",
        terms=to_json(TERMS),
        reward="0.40",
        tasks=1,
        places=9,
        key=f"batch:{made.pk}",
        created_at=timezone.now(),
    )
    return Posting.objects.create(batch=batch, places=9, environment="sandbox", **fields)


def intended(kind: Operation.Kind = Kind.PUBLISH, to: Posting | None = None) -> Operation:
    to = to or posting()
    payload = next(one for one in operations.ON_POSTINGS if one.kind == kind)
    return operations.on_posting(payload, to)


def tried(op: Operation) -> Operation:
    outbox.carry_out(op.pk)
    op.refresh_from_db()
    return op


def test_what_was_intended_happens_once_and_is_settled(scripted: Scripted):
    op = tried(intended())
    assert op.status == Status.DONE
    assert (op.attempts, op.claim, op.claimed_until) == (1, "", None)
    there = Posting.objects.get()
    assert (there.status, there.external_id) == (Posting.Status.OPEN, f"L-{op.token[:12]}")
    assert there.expires_at is not None
    assert AuditEntry.objects.filter(verb="publish", subject=f"operation:{op.pk}").count() == 1
    assert not outbox.carry_out(op.pk)
    assert scripted.calls == ["publish"]


@pytest.mark.parametrize("step", [Killed(), After(Killed())], ids=["before", "after"])
def test_a_worker_that_dies_leaves_it_to_the_next_one(scripted: Scripted, clock, step):
    scripted.will("publish", step)
    op = intended()
    with suppress(Killed):
        outbox.carry_out(op.pk)
    op.refresh_from_db()
    assert op.status == Status.SENT
    assert Posting.objects.get().status == Posting.Status.PLANNED
    assert outbox.carry_out_due() == 0  # still claimed
    clock.move(minutes=3)
    assert outbox.carry_out_due() == 1
    assert len(scripted.published) == 1
    assert Posting.objects.get().status == Posting.Status.OPEN
    assert scripted.calls == ["publish", "publish"]  # the same key, while it is known


def test_a_token_past_its_life_is_not_relied_on(scripted: Scripted, clock):
    scripted.will("publish", After(Killed()))
    op = intended()
    with suppress(Killed):
        outbox.carry_out(op.pk)
    scripted.tokens_known = False
    clock.move(hours=23, minutes=30)  # the crowd knows it for 24
    assert tried(op).status == Status.DONE
    assert scripted.calls == ["publish", "find_postings"]
    assert len(scripted.published) == 1


def test_what_is_not_found_after_that_is_asked_anew(scripted: Scripted, clock):
    scripted.will("publish", LOST)
    op = tried(intended())
    first_sent = op.sent_at
    clock.move(hours=30)
    assert tried(op).status == Status.DONE
    assert scripted.calls == ["publish", "find_postings", "publish"]
    assert op.sent_at - first_sent >= timedelta(hours=29)


def test_a_crowd_without_keys_is_looked_at_first(scripted: Scripted, clock):
    scripted.can = Scripted(token_life=None).can
    scripted.tokens_known = False
    scripted.will("publish", DROPPED)
    op = tried(intended())
    assert (op.status, op.code) == (Status.SENT, "connection")
    assert (op.due_at - clock.now()).total_seconds() > 5  # it is given time to be listed
    assert not outbox.carry_out(op.pk)
    clock.move(minutes=1)
    assert tried(op).status == Status.DONE
    assert scripted.calls == ["publish", "find_postings"]
    assert len(scripted.published) == 1


def test_while_nobody_can_look_it_stays_open(scripted: Scripted, clock):
    scripted.can = Scripted(token_life=None).can
    scripted.will("publish", DROPPED)
    scripted.will("find_postings", Transient("It does not answer."))
    op = tried(intended())
    clock.move(minutes=1)
    assert (tried(op).status, op.code) == (Status.SENT, "transient")
    clock.move(minutes=1)
    assert tried(op).status == Status.DONE
    assert scripted.calls == ["publish", "find_postings", "find_postings"]


def test_throttled_it_waits_longer_each_time(scripted: Scripted, clock):
    scripted.will("publish", *[THROTTLED] * 4)
    op, waits = intended(), []
    for _ in range(4):
        assert tried(op).status == Status.PENDING
        assert op.sent_at is None  # it is known not to have happened
        waits.append((op.due_at - clock.now()).total_seconds())
        clock.move(seconds=waits[-1] + 1)
    expected = [1, 2, 4, 8]
    assert all(0.6 * e < w <= 1.25 * e for w, e in zip(waits, expected, strict=True)), waits
    assert tried(op).status == Status.DONE
    assert op.attempts == 5


def test_throttled_after_a_lost_answer_nothing_is_known_yet(scripted: Scripted, clock):
    scripted.will("publish", DROPPED, THROTTLED)
    op = tried(intended())
    sent = op.sent_at
    clock.move(minutes=1)
    assert tried(op).status == Status.SENT
    assert op.sent_at == sent  # the token's life began then


def test_refused_after_a_lost_answer_it_is_looked_for(scripted: Scripted, clock):
    scripted.will("publish", DROPPED, NO_MONEY)
    op = tried(intended())
    clock.move(minutes=1)
    assert tried(op).status == Status.DONE
    assert Posting.objects.get().external_id


@pytest.fixture
def bonus(monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """Bonuses that are paid through a crowd without keys; settled ones are kept."""
    settled: list[Outcome] = []
    monkeypatch.setitem(
        outbox._handlers,
        Kind.BONUS,
        outbox.Handler(
            call=lambda op, crowd: crowd.pay_bonus(None, op.token),  # type: ignore[arg-type]
            settle=lambda op, outcome: settled.append(outcome),
            find=lambda op, crowd: (
                Outcome(Effect.ALREADY) if crowd.find_bonus(None, op.token) else None  # type: ignore[arg-type]
            ),
            keyed=True,
        ),
    )
    return settled


NOT_LISTED = Outcome(Effect.REFUSED)
NOT_THERE = "The crowd does not list this bonus, but it may still be on its way."
CANNOT_TELL = Configuration("Two bonuses look the same.")


def unclear(scripted: Scripted, clock, seen: Outcome | Exception = NOT_LISTED) -> Operation:
    scripted.can = Scripted(token_life=None, idempotent_bonus=False).can
    scripted.will("pay_bonus", LOST)
    scripted.will("find_bonus", seen)
    op = tried(operations.on_unit(operations.PAID, person(campaign())))
    clock.move(minutes=1)
    return tried(op)


@pytest.mark.parametrize("seen", [NOT_LISTED, CANNOT_TELL], ids=["not listed", "cannot tell"])
def test_a_bonus_that_may_be_paid_waits_for_a_person(scripted: Scripted, clock, bonus, seen):
    op = unclear(scripted, clock, seen)
    assert op.status == Status.UNCLEAR
    assert op.message in (CANNOT_TELL.message, NOT_THERE)
    clock.move(days=1)
    assert outbox.carry_out_due() == 0
    assert not bonus
    assert scripted.calls == ["pay_bonus", "find_bonus"]


def test_a_person_says_it_was_paid(scripted: Scripted, clock, bonus):
    op = unclear(scripted, clock)
    outbox.decide(op.pk, True, actor_id=user().pk)
    op.refresh_from_db()
    assert op.status == Status.DONE
    assert [outcome.effect for outcome in bonus] == [Effect.ALREADY]
    assert scripted.calls.count("pay_bonus") == 1
    with pytest.raises(Conflict):
        outbox.decide(op.pk, False, actor_id=1)


def test_a_person_says_it_was_not_paid(scripted: Scripted, clock, bonus):
    op = unclear(scripted, clock)
    outbox.decide(op.pk, False, actor_id=user().pk)
    assert tried(op).status == Status.DONE
    assert scripted.calls == ["pay_bonus", "find_bonus", "pay_bonus"]
    verbs = AuditEntry.objects.filter(verb="operation_decided").values_list("detail", flat=True)
    assert [detail["happened"] for detail in verbs] == [False]


def test_an_unclear_one_can_be_looked_at_again(scripted: Scripted, clock, bonus):
    op = unclear(scripted, clock)
    outbox.retry(op.pk, actor_id=user().pk)
    assert tried(op).status == Status.DONE  # listed by now
    assert scripted.calls == ["pay_bonus", "find_bonus", "find_bonus"]


def test_an_error_of_ours_is_no_answer(scripted: Scripted, clock, caplog):
    scripted.will("publish", After(ValueError("bug")))
    op = tried(intended())
    assert (op.status, op.code) == (Status.SENT, "internal")
    assert "bug" in caplog.text
    clock.move(minutes=1)
    assert tried(op).status == Status.DONE
    assert len(scripted.published) == 1


def test_one_that_fails_does_not_keep_the_others_waiting(scripted: Scripted, monkeypatch, caplog):
    broken, fine = intended(), intended(to=posting(campaign()))
    publish = outbox.handler(Kind.PUBLISH)
    fail = outbox.Handler(
        publish.call,
        lambda op, outcome: (
            1 / 0 if op.pk == broken.pk else publish.settle(op, outcome)  # type: ignore[arg-type]
        ),
    )
    monkeypatch.setitem(outbox._handlers, Kind.PUBLISH, fail)
    outbox.carry_out_due()
    fine.refresh_from_db()
    assert fine.status == Status.DONE
    assert "could not be carried out" in caplog.text


def test_another_environment_is_never_called(scripted: Scripted, clock):
    scripted.environment = "production"
    op = tried(intended())
    assert (op.status, op.code, op.attempts) == (Status.PENDING, "environment", 0)
    assert "sandbox" in op.message
    assert "production" in op.message
    assert not scripted.calls
    scripted.environment = "sandbox"
    clock.move(minutes=2)
    assert tried(op).status == Status.DONE
    assert op.message == ""


def test_a_sent_one_stays_sent_in_another_environment(scripted: Scripted, clock):
    scripted.will("publish", DROPPED)
    op = tried(intended())
    scripted.environment = "production"
    clock.move(minutes=1)
    assert (tried(op).status, op.code) == (Status.SENT, "environment")


def test_a_crowd_that_is_not_set_up_is_told(monkeypatch):
    def missing(_crowd: str) -> None:
        raise Configuration("Set PROLIFIC_API_TOKEN.")

    monkeypatch.setattr(adapters, "marketplace", missing)
    op = tried(intended())
    assert (op.status, op.message) == (Status.PENDING, "Set PROLIFIC_API_TOKEN.")


def test_over_the_rate_it_waits_without_counting_as_a_try(scripted: Scripted, monkeypatch, clock):
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: False)
    op = tried(intended())
    assert (op.status, op.attempts, op.sent_at) == (Status.PENDING, 0, None)
    assert 0 < (op.due_at - clock.now()).total_seconds() < 2
    assert not scripted.calls


def test_what_comes_late_changes_nothing(scripted: Scripted, clock):
    """A worker held up for longer than its claim must not overwrite its successor's result."""
    op = intended()

    def overtaken() -> Outcome:
        clock.move(minutes=3)
        outbox.carry_out(op.pk)
        return NO_MONEY

    publish = scripted.publish
    answers = [overtaken]
    scripted.publish = lambda spec, key: answers.pop()() if answers else publish(spec, key)  # type: ignore[method-assign]
    tried(op)
    assert op.status == Status.DONE
    assert Posting.objects.get().status == Posting.Status.OPEN


def test_what_may_have_happened_is_not_dropped(scripted: Scripted, clock):
    scripted.will("publish", LOST)
    op = tried(intended())
    assert not outbox.drop(op.pk)
    op.refresh_from_db()
    assert op.status == Status.SENT


def test_with_the_broker_down_the_sweep_does_it(
    scripted: Scripted, monkeypatch, django_capture_on_commit_callbacks
):
    def down(*_args: object, **_kwargs: object) -> None:
        raise ConnectionError("no broker")

    from annotate import tasks

    monkeypatch.setattr(tasks.carry_out, "apply_async", down)
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    with django_capture_on_commit_callbacks(execute=True):
        op = intended()
    op.refresh_from_db()
    assert op.status == Status.PENDING
    assert tasks.carry_out_due() == 1
    op.refresh_from_db()
    assert op.status == Status.DONE


def test_a_worker_is_asked_once_it_is_committed(
    scripted: Scripted, monkeypatch, django_capture_on_commit_callbacks
):
    from annotate import tasks

    asked: list[Any] = []
    monkeypatch.setattr(tasks.carry_out, "apply_async", lambda args, **_options: asked.append(args))
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    with django_capture_on_commit_callbacks(execute=True):
        op = intended()
        assert not asked
    assert asked == [(op.pk,)]


@pytest.mark.django_db(transaction=True)
def test_two_workers_do_it_once(scripted: Scripted):
    ops = [intended(to=posting(campaign())) for _ in range(3)]
    done = at_once([lambda pk=op.pk: outbox.carry_out(pk) for op in ops for _ in range(5)])
    assert sum(done) == 3
    assert scripted.calls.count("publish") == 3
    assert Operation.objects.filter(status=Status.DONE).count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_crowd_is_never_called_inside_a_transaction(scripted: Scripted):
    open_: list[bool] = []
    publish = scripted.publish
    scripted.publish = lambda spec, key: (  # type: ignore[method-assign]
        open_.append(transaction.get_connection().in_atomic_block),
        publish(spec, key),
    )[1]
    assert tried(intended()).status == Status.DONE
    assert open_ == [False]
