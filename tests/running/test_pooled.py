"""With DATABASE_POOLED=1 each transaction may have another connection of a pool to Postgres.

Here a session loses all that it holds before each transaction, as PgBouncer's `DISCARD ALL` does;
what PgBouncer keeps for each client (encoding and time zone) stays. Nothing that is sent may hold
for longer than its transaction, because the next client would have it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from psycopg2.extensions import TRANSACTION_STATUS_IDLE, cursor

from annotate.campaigns import imports, life
from annotate.models import Campaign
from annotate.tasks import add_up, expire_leases, keep_verdicts, reconcile, stop_expired
from annotate.work import scoring
from config import requests
from estimation import deferred, refresh
from tests.addresses import World, built
from tests.annotate.work.pages.working import call, submit
from tests.factories import campaign, leased, person
from tests.test_doors import GUARDED, tries

pytestmark = pytest.mark.django_db(transaction=True)

POOLED = "DISABLE_SERVER_SIDE_CURSORS"
# Statements whose effect, or whose partner in a later one, belongs to a session.
OF_A_SESSION = re.compile(
    r"^\s*(SET\s+(?!LOCAL|CONSTRAINTS|TRANSACTION)|RESET|PREPARE|EXECUTE|DEALLOCATE|LISTEN|UNLISTEN|LOAD"
    r"|DECLARE|FETCH|CREATE\s+(GLOBAL\s+|LOCAL\s+)?TEMP|LOCK\s+.*\bSESSION\b)"
    r"|pg_(try_)?advisory_(?!xact)|set_config\([^)]*,\s*false\)|\b(lastval|currval)\(|\bINTO\s+TEMP",
    re.IGNORECASE,
)
# The driver and Django set these at the start; PgBouncer keeps them for each client.
KEPT = re.compile(
    r"^SELECT set_config\('TimeZone'|^SET TIME ZONE|^SET client_encoding", re.IGNORECASE
)


class Pool:
    """What was sent to the database, by cursors that lose their session."""

    sent: list[str] = []

    @classmethod
    def cursor(cls) -> type[cursor]:
        class Forgetful(cursor):
            def execute(self, query: Any, params: Any = None) -> None:
                cls._forget(self)
                cls.sent.append(query if isinstance(query, str) else str(query))
                super().execute(query, params)

            def copy_expert(self, sql: Any, *how: Any) -> None:
                cls._forget(self)
                cls.sent.append(str(sql))
                super().copy_expert(sql, *how)

        return Forgetful

    @staticmethod
    def _forget(used: cursor) -> None:
        raw = used.connection
        if raw.info.transaction_status != TRANSACTION_STATUS_IDLE:
            return
        before, raw.autocommit = raw.autocommit, True
        cursor.execute(used, "DISCARD ALL")
        cursor.execute(used, "SET TIME ZONE 'UTC'")
        raw.autocommit = before

    @classmethod
    def of_a_session(cls) -> list[str]:
        return [sql for sql in cls.sent if OF_A_SESSION.search(sql) and not KEPT.match(sql)]


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Pool]]:
    """This thread's connection goes through a pool, and the product is told."""
    connection.close()
    options = connection.settings_dict["OPTIONS"] | {"cursor_factory": Pool.cursor()}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    monkeypatch.setitem(connection.settings_dict, POOLED, True)
    monkeypatch.setattr(Pool, "sent", [])
    yield Pool
    requests.lift()
    connection.close()


def works(study: Campaign, visitor: Client) -> None:
    """Somebody leases, writes, is alive, submits and gets the next task."""
    who = person(study)
    for _task in range(2):
        now = leased(who).pk
        assert call(visitor, who, "heartbeat", {}, assignment=now).status_code == 200
        draft = call(visitor, who, "draft", {"revision": 0, "data": {}}, assignment=now)
        assert draft.status_code == 200
        assert submit(visitor, who).status_code == 200


def tasks(study_id: int) -> None:
    """What the worker does with it, sooner or later."""
    scoring.ensure(study_id)
    refresh.refresh(study_id)
    deferred.MEASURING.carry_out(study_id)
    for task in (expire_leases, add_up, stop_expired, keep_verdicts, reconcile):
        task()
    imports.run_due()


def read(world: World) -> set[int]:
    """Open each page, answer and download as its owner; return the status codes."""
    visitor, found = Client(), set()
    visitor.force_login(world.owner)
    doors = [replace(door, methods=door.methods & {"get"}) for door in GUARDED]
    for _name, answer in tries(world, doors, visitor):
        found.add(answer.status_code)
        if answer.streaming:
            b"".join(answer.streaming_content)
    return found


@pytest.mark.slow
def test_nothing_that_is_sent_outlives_its_transaction(pool: type[Pool]) -> None:
    world, study = built(), campaign(items=20)
    works(study, Client())
    tasks(study.pk)
    assert max(read(world)) < 500
    life.close(study.pk, "hand")
    tasks(study.pk)
    assert len(pool.sent) > 1000
    assert pool.of_a_session() == []


def test_without_the_setting_a_limit_of_one_request_would_hold_for_others(
    pool: type[Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict, POOLED, False)
    Client().get("/readyz")
    Client().get("/login/")
    assert [sql for sql in pool.of_a_session() if "statement_timeout" in sql]
