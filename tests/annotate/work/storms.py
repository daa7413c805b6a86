"""Many people at once, and the invariants that must hold afterwards, read by SQL."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal

from django.db import connection

from annotate.common.errors import Gone
from annotate.models import (
    Assignment,
    Campaign,
    Participation,
)
from annotate.pay import budget
from annotate.work import submitting
from tests.factories import GOOD, person

THREADS = 16
Job = Callable[[], object]


def at_once(jobs: Sequence[Job]) -> list:
    """Run each job in a thread of its own, all released together; return their results."""
    start = threading.Barrier(len(jobs))
    results: list = [None] * len(jobs)
    errors: list[BaseException] = []

    def run(number: int, job: Job) -> None:
        try:
            start.wait(timeout=120)
            results[number] = job()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    # A machine with other work may need minutes for what takes seconds; a lock never ends.
    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=600)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def sql(query: str, *params: object) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return cursor.fetchall()


def check_invariants(study: Campaign) -> None:
    """Assert what must hold of a campaign's facts at any moment."""
    check_slots(study.pk)
    check_people(study)
    check_money(study)


def check_slots(pk: int) -> None:
    assert not sql(
        "SELECT p.output_id FROM annotate_slot p JOIN annotate_judgment j "
        "ON j.assignment_id = p.assignment_id AND j.superseded_at IS NULL "
        "WHERE p.campaign_id = %s GROUP BY p.output_id "
        "HAVING count(*) > (SELECT count(*) FROM annotate_slot q WHERE q.output_id = p.output_id)",
        pk,
    ), "an output has more counted judgments than planned"
    assert not sql(
        "SELECT p.id FROM annotate_slot p JOIN annotate_assignment a ON a.id = p.assignment_id "
        "WHERE p.campaign_id = %s AND (a.output_id <> p.output_id OR a.campaign_id <> %s "
        "OR a.status NOT IN ('leased', 'submitted', 'verified'))",
        pk,
        pk,
    ), "a slot is held by an assignment that cannot hold it"
    assert not sql(
        "SELECT a.id FROM annotate_assignment a LEFT JOIN annotate_slot p "
        "ON p.assignment_id = a.id WHERE a.campaign_id = %s AND a.status = 'leased' "
        "AND p.id IS NULL",
        pk,
    ), "a lease holds no slot"
    assert not sql(
        "SELECT a.id FROM annotate_assignment a LEFT JOIN annotate_judgment j "
        "ON j.assignment_id = a.id WHERE a.campaign_id = %s "
        "AND (a.status IN ('submitted', 'verified')) <> (j.id IS NOT NULL)",
        pk,
    ), "a submitted assignment without a judgment, or a judgment without a submit"


def check_people(study: Campaign) -> None:
    assert not sql(
        "SELECT annotator_id FROM annotate_judgment WHERE campaign_id = %s "
        "AND superseded_at IS NULL "
        "GROUP BY annotator_id, output_id HAVING count(*) > 1",
        study.pk,
    ), "somebody judged an output twice"
    assert not sql(
        "SELECT a.annotator_id FROM annotate_slot p JOIN annotate_assignment a "
        "ON a.id = p.assignment_id WHERE p.campaign_id = %s "
        "GROUP BY a.annotator_id, p.output_id HAVING count(*) > 1",
        study.pk,
    ), "somebody holds two slots of an output"
    most = study.annotator_cap or 10**9
    assert not sql(
        "SELECT a.annotator_id FROM annotate_slot p JOIN annotate_assignment a "
        "ON a.id = p.assignment_id WHERE p.campaign_id = %s "
        "GROUP BY a.annotator_id HAVING count(*) > %s",
        study.pk,
        most,
    ), "an annotator is over the cap"
    assert not sql(
        "SELECT annotator_id FROM annotate_assignment WHERE campaign_id = %s "
        "AND status = 'leased' GROUP BY annotator_id HAVING count(*) > 2",
        study.pk,
    ), "somebody has more than two open assignments"


def check_money(study: Campaign) -> None:
    reward = study.reward
    fee = (reward * study.fee_rate).quantize(Decimal("0.01"), "ROUND_HALF_UP")
    paid = sum_of(study, "amount")
    n_paid, n_unpaid = sql(
        "SELECT count(l.id), count(*) - count(l.id) FROM annotate_judgment j "
        "LEFT JOIN annotate_ledgerentry l ON l.assignment_id = j.assignment_id "
        "WHERE j.campaign_id = %s AND j.superseded_at IS NULL",
        study.pk,
    )[0]
    n_counted = counted(study)
    n_compensated = sql(
        "SELECT count(*) FROM annotate_ledgerentry WHERE campaign_id = %s "
        "AND kind = 'compensation'",
        study.pk,
    )[0][0]
    assert n_paid == n_counted + n_compensated
    assert paid == reward * (n_counted + n_compensated)
    assert sum_of(study, "fee") == fee * n_paid
    n_waiting = study.audit.filter(verb="compensation_needed").count()
    assert n_unpaid == n_waiting, "unpaid work that nobody was told about"
    n_leased = Assignment.objects.filter(campaign=study, status="leased").count()
    due, spent, leased = (
        budget.commitments_of(study),
        paid + fee * n_paid,
        n_leased * (reward + fee),
    )
    assert (due.spent, due.leases, due.total) == (spent, leased, spent + leased)
    if study.budget is not None:
        assert spent + leased <= study.budget


def sum_of(study: Campaign, column: str) -> Decimal:
    """Add a column row by row: no database's arithmetic is trusted."""
    return sum(study.ledger.values_list(column, flat=True), Decimal(0))


def counted(study: Campaign) -> int:
    return sql(
        "SELECT count(*) FROM annotate_judgment j JOIN annotate_slot p "
        "ON p.assignment_id = j.assignment_id "
        "WHERE p.campaign_id = %s AND j.superseded_at IS NULL",
        study.pk,
    )[0][0]


def crowd(study: Campaign, n: int) -> list[Participation]:
    return [person(study, f"p{i}") for i in range(n)]


def try_submit(assignment: Assignment, who: Participation) -> submitting.Receipt | None:
    with suppress(Gone):  # the same text again: leased anew after an expiry, or in another tab
        return submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw=GOOD)
    return None
