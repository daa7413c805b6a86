"""A query of a request ends after some seconds, and the reader is told; others have no limit."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, close_old_connections, connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import include, path
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import statements
from annotate.models import Assignment
from annotate.services.work import leasing
from config import query_time
from tests.annotate.work.pages.working import submit
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


def slept(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


def shown(setting: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {setting}")
        return str(cursor.fetchone()[0])


def limit_now() -> str:
    return shown("statement_timeout")


def sleepy(request: HttpRequest) -> HttpResponse:
    slept(float(request.GET.get("seconds", 0)))
    return HttpResponse(limit_now())


def streamed(_request: HttpRequest) -> StreamingHttpResponse:
    def lines() -> Iterator[str]:
        slept(0.3)
        yield limit_now()

    return StreamingHttpResponse(lines())


class Sleepy(APIView):
    def get(self, request: Any) -> Response:
        slept(float(request.query_params.get("seconds", 0)))
        return Response({})


handler500 = "config.errors.server_error"
urlpatterns = [
    path("sleepy/", sleepy),
    path("streamed/", streamed),
    path("work/sleepy/", sleepy),
    path("api/v1/sleepy/", Sleepy.as_view()),
    path("", include("config.urls")),
]


@pytest.fixture(autouse=True)
def _limits(settings: Any, monkeypatch: Any) -> Iterator[None]:
    monkeypatch.delenv("PGOPTIONS")  # the plans of all other tests
    connection.close()
    settings.PAGE_QUERY_SECONDS, settings.WORK_QUERY_SECONDS = 0.2, 0.1
    yield
    query_time.work(query_time.Manner())
    connection.close()


@pytest.fixture
def visitor() -> Client:
    visitor = Client(raise_request_exception=False)
    visitor.force_login(user())
    return visitor


def test_a_page_says_what_happened_and_what_to_do(visitor: Client) -> None:
    answer = visitor.get("/sleepy/", {"seconds": 5})
    assert (answer.status_code, answer["Retry-After"]) == (503, "15")
    said = answer.content.decode()
    assert "This took too long" in said
    assert "try again in a minute" in said
    assert "pg_sleep" not in said


def test_the_api_says_it_in_json(visitor: Client) -> None:
    answer = visitor.get("/api/v1/sleepy/", {"seconds": 5})
    assert (answer.status_code, answer["Retry-After"]) == (503, "15")
    assert answer.json()["error"] == "too_slow"
    assert "Nothing was changed" in answer.json()["message"]


def test_the_connection_goes_on(visitor: Client) -> None:
    """The same connection, of which the test's own is one, answers the next request."""
    visitor.get("/sleepy/", {"seconds": 5})
    raw = connection.connection
    assert visitor.get("/sleepy/").content == b"200ms"
    assert connection.connection is raw


def test_an_annotators_page_has_its_own_limit(visitor: Client) -> None:
    assert visitor.get("/work/sleepy/").content == b"100ms"
    assert visitor.get("/sleepy/", {"seconds": 0.12}).content == b"200ms"
    late = visitor.get("/work/sleepy/", {"seconds": 5})
    assert (late.status_code, late["Refresh"]) == (503, "15")


def test_a_download_has_none_while_it_is_sent(visitor: Client) -> None:
    visitor.get("/sleepy/")
    answer = visitor.get("/streamed/")
    assert b"".join(answer.streaming_content) == b"0"  # type: ignore[attr-defined]
    assert visitor.get("/sleepy/").content == b"200ms"


def test_a_new_connection_has_it_too(visitor: Client) -> None:
    visitor.get("/sleepy/")
    connection.close()
    assert visitor.get("/sleepy/").content == b"200ms"


def test_it_is_sent_only_where_it_changes(visitor: Client, monkeypatch: Any) -> None:
    sent: list[float] = []
    send = query_time._send
    monkeypatch.setattr(
        query_time, "_send", lambda to: (sent.append(to.query_manner.seconds), send(to))[1]
    )
    for address in ("/sleepy/", "/sleepy/", "/work/sleepy/", "/work/sleepy/", "/sleepy/"):
        visitor.get(address)
    assert sent == [0.2, 0.1, 0.2]


def test_an_annotators_queries_go_by_indexes_and_keep_their_plans(visitor: Client) -> None:
    visitor.get("/work/sleepy/")
    assert (shown("enable_seqscan"), shown("plan_cache_mode")) == ("off", "force_generic_plan")
    visitor.get("/sleepy/")
    assert shown("enable_seqscan") == "on"
    assert shown("plan_cache_mode") != "force_generic_plan"


def test_no_kept_plan_of_an_annotator_scans_a_table() -> None:
    """The tables are nearly empty when these are planned, where a scan is cheapest."""
    who = person(campaign(items=5))
    leasing.lease(who.pk)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
        statements._planned.clear()
        cursor.execute("SET enable_seqscan TO on")
        submit(Client(), who)
        cursor.execute("SELECT name, cardinality(parameter_types) FROM pg_prepared_statements")
        names = cursor.fetchall()
        assert len(names) >= 4
        for name, n in names:
            cursor.execute(f"EXPLAIN EXECUTE {name} ({', '.join(['NULL'] * n)})")
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Index" in plan or plan.startswith("Insert on")
            assert "Seq Scan" not in plan, plan


def blocks() -> int:
    """Return how many blocks the kept reads of an annotator's requests look at."""
    task = Assignment.objects.filter(status="leased").earliest("pk")
    who, now = task.participation, timezone.now()
    read = 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, statement, parameter_types::text[] FROM pg_prepared_statements"
        )
        for name, sql, types in cursor.fetchall():
            values = values_of(sql, len(types), task, who, now)
            if values is not None:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE {name} ({values})")
                plan = cursor.fetchone()[0][0]["Plan"]
                read += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return read


def values_of(sql: str, n: int, task: Any, who: Any, now: Any) -> str | None:
    """Return the values of a person's standing and of a task in hand; None for other statements."""
    if "tutorialrun" in sql and n == 5:
        day = now.replace(hour=0, minute=0)
        return f"{who.campaign_id}, {who.annotator_id}, {who.pk}, '{day}', '{now}'"
    if "ended_before" in sql and n == 2:
        return f"{task.pk}, {who.pk}"
    return None


def test_a_kept_plan_reads_no_more_when_others_have_judged() -> None:
    """Plans that were made for nearly empty tables read what concerns one person, not all work."""
    study = campaign(items=80, double_share=0)
    who = person(study)
    query_time.work(query_time.Manner(5, by_index=True))
    for _ in range(2):
        submit(Client(), who)
    before = blocks()
    assert before > 10
    for n in range(4):
        other = person(study, f"other-{n}")
        for _ in range(15):
            submit(Client(), other)
    assert blocks() < 1.5 * before


def test_a_pool_gets_no_settings(visitor: Client, monkeypatch: Any) -> None:
    """The next transaction on the connection may be that of another request."""
    visitor.get("/work/sleepy/")  # what a connection before the pool was asked for
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert visitor.get("/sleepy/").content == b"0"
    visitor.get("/work/sleepy/")
    assert shown("enable_seqscan") == "on"


def test_nothing_is_sent_where_there_is_no_limit(visitor: Client, settings: Any) -> None:
    settings.PAGE_QUERY_SECONDS = 0
    assert visitor.get("/sleepy/", {"seconds": 0.25}).content == b"0"


def test_what_no_request_asks_has_no_limit(visitor: Client) -> None:
    """A worker's connection is its own, and never sees a limit."""
    close_old_connections()
    assert limit_now() == "0"
    slept(0.3)


def test_another_error_of_the_database_is_not_said_to_be_slow() -> None:
    assert not query_time.ran_out(OperationalError("gone"))
    assert not query_time.ran_out(None)
