"""A query of a request ends after some seconds, and the reader is told; others have no limit."""

from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import include, path
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.models import Campaign
from config import requests
from tests.factories import campaign, user

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


def wait_for_a_row() -> None:
    with transaction.atomic():
        list(Campaign.objects.select_for_update())


def waiting(_request: HttpRequest) -> HttpResponse:
    wait_for_a_row()
    return HttpResponse()


class Waiting(APIView):
    def get(self, _request: Any) -> Response:
        wait_for_a_row()
        return Response({})


class Sleepy(APIView):
    def get(self, request: Any) -> Response:
        slept(float(request.query_params.get("seconds", 0)))
        return Response({})


handler500 = "config.requests.server_error"
urlpatterns = [
    path("sleepy/", sleepy),
    path("streamed/", streamed),
    path("work/sleepy/", sleepy),
    path("api/v1/sleepy/", Sleepy.as_view()),
    path("waiting/", waiting),
    path("work/waiting/", waiting),
    path("api/v1/waiting/", Waiting.as_view()),
    path("", include("config.urls")),
]


@pytest.fixture(autouse=True)
def _limits(settings: Any, monkeypatch: Any) -> Iterator[None]:
    monkeypatch.delenv("PGOPTIONS", raising=False)  # the plans of all other tests
    connection.close()
    settings.QUERY_SECONDS, settings.LOCK_SECONDS = 0.2, 0.1
    yield
    requests.lift()
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


def test_an_annotators_page_tries_again(visitor: Client) -> None:
    late = visitor.get("/work/sleepy/", {"seconds": 5})
    assert (late.status_code, late["Refresh"]) == (503, "15")


@pytest.fixture
def held_by_hand() -> Iterator[None]:
    """Somebody looks into the database by hand, and leaves a transaction open on a row."""
    made = campaign()
    by_hand = psycopg2.connect(**connection.get_connection_params())
    with by_hand.cursor() as cursor:
        cursor.execute("SELECT 1 FROM annotate_campaign WHERE id = %s FOR UPDATE", [made.pk])
    yield
    by_hand.close()


@pytest.mark.usefixtures("held_by_hand")
def test_who_waits_too_long_for_a_lock_is_told_to_try_again(visitor: Client) -> None:
    page = visitor.get("/waiting/")
    assert (page.status_code, page["Retry-After"]) == (503, "15")
    assert "This is being changed right now" in page.content.decode()
    api = visitor.get("/api/v1/waiting/")
    assert (api.status_code, api["Retry-After"]) == (503, "15")
    assert api.json()["error"] == "busy"
    assert "try again in a moment" in api.json()["message"].lower()
    work = visitor.get("/work/waiting/")
    assert (work.status_code, work["Refresh"]) == (503, "15")


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
    sent: list[str] = []
    send = requests._send
    monkeypatch.setattr(requests, "_send", lambda to: (sent.append(to.query_limits), send(to))[1])
    for address in ("/sleepy/", "/sleepy/", "/work/sleepy/", "/sleepy/"):
        visitor.get(address)
    assert sent == ["SET statement_timeout TO 200; SET lock_timeout TO 100"]


def test_requests_let_postgres_plan_as_it_does_by_default(visitor: Client) -> None:
    visitor.get("/work/sleepy/")
    assert (shown("enable_seqscan"), shown("plan_cache_mode")) == ("on", "auto")


def test_a_pool_gets_no_settings(visitor: Client, monkeypatch: Any) -> None:
    """The next transaction on the connection may be that of another request."""
    visitor.get("/work/sleepy/")  # what a connection before the pool was asked for
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert visitor.get("/sleepy/").content == b"0"


def test_nothing_is_sent_where_there_is_no_limit(visitor: Client, settings: Any) -> None:
    settings.QUERY_SECONDS = 0
    assert visitor.get("/sleepy/", {"seconds": 0.25}).content == b"0"


def test_what_no_request_asks_has_no_limit(visitor: Client) -> None:
    """A worker's connection is its own, and never sees a limit."""
    close_old_connections()
    assert limit_now() == "0"
    slept(0.3)


def test_another_error_of_the_database_is_not_said_to_be_slow() -> None:
    assert not requests.ran_out(OperationalError("gone"))
    assert not requests.ran_out(None)
    assert not requests.waited(OperationalError("gone"))
