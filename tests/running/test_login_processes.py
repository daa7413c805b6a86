"""Guessing passwords at two web processes, which share nothing but Postgres and Redis."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib import error, parse, request

import pytest

from tests.factories import user
from tests.processes import stack, wait_for
from tests.servers import free_port, start_redis

TOKEN = "/api/v1/token/"


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_web_processes_share_the_limit(tmp_path: Path) -> None:
    user("ada")
    url, server = start_redis()
    try:
        ports = [free_port(), free_port()]
        folders = [tmp_path / "one", tmp_path / "two"]
        for folder in folders:
            folder.mkdir()
        with (
            stack(folders[0], redis_url=url, port=ports[0]) as one,
            stack(folders[1], redis_url=url, port=ports[1]) as two,
        ):
            one.start("web")
            two.start("web")
            bases = [f"http://127.0.0.1:{port}" for port in ports]
            for base in bases:
                wait_for(lambda base=base: status(f"{base}/healthz") == 200)
            with ThreadPoolExecutor(8) as people:
                asked = [people.submit(token_status, bases[n % 2], f"wrong {n}") for n in range(24)]
            seen = [one.result() for one in asked]
        # All of them are under way at once: none is looked at before it is counted.
        assert sorted(seen) == [400] * 10 + [429] * 14
    finally:
        server.kill()


def token_status(base: str, password: str) -> int:
    body = parse.urlencode({"username": "ada", "password": password}).encode()
    return status(request.Request(base + TOKEN, body))


def status(asked: Any) -> int:
    try:
        with request.urlopen(asked, timeout=20) as answer:
            return answer.status
    except error.HTTPError as refused:
        return refused.code
    except OSError:
        return 0
