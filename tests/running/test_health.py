"""`/healthz` is the process alone; `/readyz` looks at what it needs."""

import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import urllib3
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotate.common import marks, tokens
from annotate.models import ChangeMark
from config import due
from config.web.receiving import Alive
from tests.factories import campaign, person
from tests.processes import Stack, stack, wait_for
from tests.servers import free_port

MINUTE = timedelta(minutes=1)


def asked(client: Client) -> tuple[int, Any]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def test_healthz_asks_nothing_but_the_process() -> None:
    def application(_environ: Any, _start: Any) -> list[bytes]:
        raise AssertionError("the application was asked")

    said: list[Any] = []
    alive = Alive(application, longest_body=0)
    answer = alive({"PATH_INFO": "/healthz"}, lambda *how: said.append(how))
    assert (b"".join(answer), said[0][0]) == (b'{"status": "ok"}', "200 OK")
    with pytest.raises(AssertionError):
        alive({"PATH_INFO": "/login/"}, said.append)


@pytest.mark.django_db
def test_a_mark_older_than_a_minute_is_not_ready(client: Client) -> None:
    assert asked(client) == (200, {"status": "ok"})
    study = campaign()
    marks.mark(study.pk, "judgment")
    assert asked(client)[0] == 200
    ChangeMark.objects.update(at=timezone.now() - 1.1 * MINUTE)
    status, said = asked(client)
    assert (status, list(said["wrong"])) == (503, ["estimates"])
    assert "is the worker running?" in said["wrong"]["estimates"]


@pytest.mark.django_db
def test_a_broker_that_is_away_is_not_ready(client: Client, settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    due.shared.cache_clear()
    try:
        assert asked(client) == (
            503,
            {"status": "not ready", "wrong": {"broker": "Redis does not answer."}},
        )
    finally:
        due.shared.cache_clear()


# --- real processes


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Stack]:
    """One web process of four threads."""
    with stack(tmp_path, redis_url=os.environ["REDIS_URL"], port=free_port()) as processes:
        processes.start("web")
        wait_for(lambda: status(processes, "/healthz") == 200)
        status(processes, "/login/")
        yield processes


def status(web: Stack, path: str, *, seconds: float = 30) -> int:
    try:
        address = f"http://127.0.0.1:{web.port}{path}"
        return urllib3.request("GET", address, retries=False, timeout=seconds).status
    except urllib3.exceptions.HTTPError:
        return 0


def half_sent(web: Stack, *, body: bool) -> socket.socket:
    """Return a connection that has sent half of a request, and sends no more."""
    head = "POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
    if body:
        head += "Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=a"
    opened = socket.create_connection(("127.0.0.1", web.port), timeout=60)
    opened.sendall(head.encode())
    return opened


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_half_sent_requests_keep_nobody_waiting(web: Stack) -> None:
    begun = time.monotonic()
    slow = [half_sent(web, body=n % 2 == 0) for n in range(24)]
    time.sleep(0.5)
    assert [status(web, "/login/", seconds=10) for _ in range(4)] == [200] * 4
    assert status(web, "/healthz") == 200
    for number, one in enumerate(slow):
        with closing(one):
            told = one.recv(1000)
        # Half a body is told that it came too slowly; half of the headers is no request.
        assert told.startswith(b"HTTP/1.1 408" if number % 2 == 0 else b"")
    assert 15 < time.monotonic() - begun < 60


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_locked_by_hand_keeps_nobody_waiting_for_long(web: Stack) -> None:
    study = campaign(items=30)
    pages = [f"/work/p/{tokens.participation_token(person(study, f'p{n}').pk)}/" for n in range(12)]
    by_hand = psycopg2.connect(**connection.get_connection_params())
    with closing(by_hand), by_hand.cursor() as cursor, ThreadPoolExecutor(12) as people:
        cursor.execute("SELECT 1 FROM annotate_campaign WHERE id = %s FOR UPDATE", [study.pk])
        waiting = [people.submit(status, web, page, seconds=60) for page in pages]
        time.sleep(1)
        began = time.monotonic()
        assert status(web, "/healthz") == 200
        assert time.monotonic() - began < 1
        assert [one.result() for one in waiting] == [503] * 12
        assert status(web, "/login/") == 200
    wait_for(lambda: status(web, pages[0]) == 200)
