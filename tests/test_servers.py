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
def test_a_plan_that_is_kept_goes_by_an_index() -> None:
    """It was made for the tables of one test, and serves the next one."""
    with connection.cursor() as cursor:
        cursor.execute("PREPARE of_one AS SELECT text FROM annotate_output WHERE id = $1")
        cursor.execute("EXPLAIN EXECUTE of_one (0)")
        assert "Index Scan" in cursor.fetchone()[0]
        cursor.execute("DEALLOCATE of_one")
