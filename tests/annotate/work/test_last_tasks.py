"""The last tasks of a campaign go out under its lock, one after another, to everybody at once.

Postgres compiles what it expects to take long (JIT), which takes longer than the query itself, and
here everybody would wait for it. Debian's Postgres does; Python's wheels of it cannot.
"""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from annotate.models import Assignment, Judgment, Participation
from annotate.work import leasing
from tests.annotate.work.pages.working import submit
from tests.annotate.work.storms import at_once, check_invariants
from tests.factories import campaign, person

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PEOPLE = 30
TASKS = 64


class Costs:
    """What Postgres expects each statement to cost, on this thread's connection."""

    def __init__(self) -> None:
        self.found: list[tuple[float, str]] = []

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, *how: Any) -> Any:
        if str(sql).lstrip().startswith(("SELECT", "EXECUTE", "UPDATE", "INSERT", "DELETE")):
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                plan = cursor.fetchone()[0][0]["Plan"]
            self.found.append((plan["Total Cost"], str(sql)))
        return execute(sql, params, *how)


@pytest.fixture
def as_users_have_it(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """New connections have none of the settings by which other tests are planned."""
    monkeypatch.delenv("PGOPTIONS", raising=False)
    settings.LOCK_SECONDS = 30  # all thirty wait in one process, which explains each statement
    connection.close()


def test_thirty_people_share_the_last_tasks_and_nothing_is_compiled(as_users_have_it: None) -> None:
    study = campaign(
        items=TASKS, systems=("alpha",), double_share=0, annotator_cap=None, budget=1000
    )
    people = [person(study, f"p{i}") for i in range(PEOPLE)]
    costs = Costs()
    begin = threading.Barrier(PEOPLE)

    def work(who: Participation) -> int:
        """Judge until nothing is left; return how many."""
        client, done = Client(), 0
        try:
            with connection.execute_wrapper(costs):
                begin.wait()
                while isinstance(leasing.lease(who.pk), Assignment):
                    assert submit(client, who).status_code == 200
                    done += 1
        finally:
            connection.close()
        return done

    outcomes = at_once([lambda who=who: work(who) for who in people])
    assert sum(outcomes) == TASKS
    assert Judgment.objects.count() == TASKS
    check_invariants(study)
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit_above_cost")
        limit = float(cursor.fetchone()[0])
    assert len(costs.found) > 500
    assert max(costs.found)[0] < limit / 10, max(costs.found)
