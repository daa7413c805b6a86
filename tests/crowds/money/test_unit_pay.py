"""What is decided about the pay of a unit, as a table; what its reward covers, what is extra."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotate.models import LedgerEntry
from annotate.pay.ledger import Kind, PayAct, Status, account, decide

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
PAST, SOON = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
DUE = Decimal("0.60")
UNTOUCHED = (Status.ACTIVE, Status.HANDED_IN, Status.LEFT, Status.APPROVED)


def facts(status: Status, due: Decimal = Decimal(0), **others: Any) -> dict[str, Any]:
    return {"status": status, "due": due, **others}


@pytest.mark.parametrize(
    ("unit", "act"),
    [
        (facts(Status.CONFIRMED, DUE, approve_from=PAST), PayAct.APPROVE),
        (facts(Status.CONFIRMED, DUE, approve_from=NOW), PayAct.APPROVE),
        (facts(Status.CONFIRMED, DUE, approve_from=SOON), PayAct.WAIT),
        (facts(Status.CONFIRMED, DUE), PayAct.WAIT),
        (facts(Status.CONFIRMED, DUE, in_review=True, approve_from=PAST), PayAct.WAIT),
        (facts(Status.CONFIRMED, DUE, doubt=True, approve_from=PAST), PayAct.ASK),
        (
            facts(Status.CONFIRMED, DUE, doubt=True, in_review=True, approve_from=PAST),
            PayAct.WAIT,
        ),
        (facts(Status.CONFIRMED, refused=True, approve_from=SOON), PayAct.REJECT),
        (facts(Status.CONFIRMED, refused=True, doubt=True), PayAct.REJECT),
        (facts(Status.CONFIRMED, DUE, refused=True, in_review=True), PayAct.REJECT),
        (facts(Status.REJECTED, refused=True, override_until=SOON), PayAct.NOTHING),
        (facts(Status.REJECTED, override_until=SOON), PayAct.NOTHING),
        (facts(Status.REJECTED, DUE, refused=True, override_until=SOON), PayAct.NOTHING),
        (facts(Status.REJECTED, DUE, override_until=SOON), PayAct.OVERRIDE),
        (facts(Status.REJECTED, DUE, override_until=NOW), PayAct.BONUS),
        (facts(Status.REJECTED, DUE), PayAct.BONUS),
        *[(facts(one, DUE, approve_from=PAST), PayAct.NOTHING) for one in UNTOUCHED],
        *[(facts(one, DUE, refused=True), PayAct.NOTHING) for one in UNTOUCHED],
    ],
)
def test_what_is_done_about_a_unit(unit: dict[str, Any], act: PayAct) -> None:
    assert decide(**unit, now=NOW) is act


def entry(n: int, kind: Kind, amount: str, **more: Any) -> LedgerEntry:
    return LedgerEntry(pk=n, kind=kind, amount=Decimal(amount), fee=Decimal(0), **more)


def rows(*wanted: tuple[Kind, str]) -> list[LedgerEntry]:
    """Rows in this order; rewards belong to a task, and compensations that say so."""
    for_task = {Kind.REWARD}
    return [
        entry(n, kind, amount, assignment_id=1 if kind in for_task else None)
        for n, (kind, amount) in enumerate(wanted, start=1)
    ]


def paid_as_bonus(entries: list[LedgerEntry], *, handed_in: bool = True) -> list[int]:
    return [one.pk for one, _n in account(entries, reward=DUE).bonuses(handed_in=handed_in)]


def instead(entries: list[LedgerEntry], *paid: int, due: str = "0.60") -> list[tuple[int, Decimal]]:
    found = account(entries, reward=DUE).instead(paid=paid, due=Decimal(due))
    return [(one.pk, amount) for one, amount in found]


EARNED = rows((Kind.REWARD, "0.30"), (Kind.REWARD, "0.30"))


def test_the_reward_covers_what_fits_and_the_rest_is_extra() -> None:
    assert paid_as_bonus(EARNED) == []
    assert account(EARNED, reward=DUE).earned == DUE
    more = rows(
        (Kind.REWARD, "0.30"),
        (Kind.TUTORIAL, "0.75"),
        (Kind.REWARD, "0.30"),
        (Kind.REWARD, "0.30"),
        (Kind.BONUS, "0.10"),
    )
    assert account(more, reward=DUE).earned == DUE
    assert paid_as_bonus(more) == [2, 4, 5]
    assert paid_as_bonus(more, handed_in=False) == [2, 5], (
        "work of a submission is paid once handed in"
    )


def test_a_remainder_is_covered_too() -> None:
    entries = rows((Kind.REWARD, "0.30"), (Kind.REMAINDER, "0.30"))
    assert account(entries, reward=DUE).earned == DUE
    assert paid_as_bonus(entries) == []


def test_where_the_crowd_will_not_pay_the_unit_its_work_goes_as_one_bonus() -> None:
    """Each bonus bears a fee: one of $0.60 costs what the unit would have cost."""
    assert paid_as_bonus(EARNED) == []
    assert instead(EARNED) == [(1, DUE)]
    assert instead(EARNED, 1, due="0.30") == [(2, Decimal("0.30"))], "version 0.1 paid row by row"
    assert instead(EARNED, 1, due="0.00") == []


def test_refused_work_is_not_paid_in_any_way_but_what_was_given_is() -> None:
    refused = rows(
        (Kind.REWARD, "0.30"),
        (Kind.TUTORIAL, "0.75"),
        (Kind.COMPENSATION, "0.20"),
        (Kind.REFUSAL, "-0.50"),
        (Kind.COMPENSATION, "0.10"),
    )
    assert account(refused, reward=DUE).earned == 0
    assert paid_as_bonus(refused) == [2, 5], "given after the refusal: meant"
    assert instead(refused, due="0.00") == []
    restored = [*refused, entry(6, Kind.REINSTATEMENT, "0.50")]
    assert paid_as_bonus(restored) == [2, 3, 5]


def test_what_lapsed_with_its_unit_is_not_paid() -> None:
    lapsed = rows((Kind.REWARD, "0.30"), (Kind.BONUS, "0.10"), (Kind.LAPSE, "-0.30"))
    assert account(lapsed, reward=DUE).earned == 0
    assert paid_as_bonus(lapsed) == [2]
    back = [*lapsed, entry(4, Kind.LAPSE, "0.30")]
    assert account(back, reward=DUE).earned == Decimal("0.30")
