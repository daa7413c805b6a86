"""Test workers that run at once share the servers, but not what the servers hold."""

import pytest
import redis
from django.db import connection

from tests.servers import redis_of, start_redis


def test_what_one_worker_deletes_another_keeps() -> None:
    url, server = start_redis()
    try:
        own = {f"gw{n}": redis.Redis.from_url(redis_of(f"gw{n}", url)) for n in range(12)}
        for worker, kept in own.items():
            kept.set("who", worker)
        redis.Redis.from_url(url).flushdb()
        own.pop("gw3").flushdb()
        assert {worker: kept.get("who").decode() for worker, kept in own.items()} == {
            worker: worker for worker in own
        }
    finally:
        server.kill()


def test_a_server_that_is_given_keeps_its_account_and_its_first_number() -> None:
    assert redis_of("gw0", "rediss://ada:secret@example.org:7/3") == (
        "rediss://ada:secret@example.org:7/4"
    )


@pytest.mark.django_db
def test_no_plan_of_another_test_is_kept() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PREPARE of_one AS SELECT count(*) FROM annotate_slot WHERE id > $1")
        for _ in range(7):  # after five, Postgres would keep a plan
            cursor.execute("EXECUTE of_one (0)")
        cursor.execute(
            "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE name = 'of_one'"
        )
        assert cursor.fetchone() == (7, 0)
        cursor.execute("DEALLOCATE of_one")
