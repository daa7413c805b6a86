"""Web processes share the connections that come together."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.processes import ROOT, wait_for
from tests.servers import free_port

WHO = """
import os

def application(environ, start_response):
    start_response("200 OK", [("Content-Length", "8")])
    return [f"{os.getpid():8}".encode()]
"""
TOGETHER = 50


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Return where two processes of four threads answer with their own number."""
    port = free_port()
    (tmp_path / "who.py").write_text(WHO)
    command = [
        *(sys.executable, "-m", "gunicorn", "who", f"--bind=127.0.0.1:{port}", "--workers=2"),
        *("--threads=4", "--worker-class=config.web.sharing.SharingWorker", "--keep-alive=30"),
        *(f"--pythonpath={tmp_path}", "--no-control-socket"),
    ]
    with (tmp_path / "log").open("wb") as log:
        web = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        wait_for(lambda: _both_answer(port))
        yield port
    finally:
        web.terminate()
        web.wait()


def _both_answer(port: int) -> bool:
    try:
        return len({*_asked(port, 20)}) == 2
    except OSError:
        return False


def _asked(port: int, number: int) -> list[int]:
    """Return which process answers on each of so many connections that are opened together."""
    with ExitStack() as opened:
        all_ = [HTTPConnection("127.0.0.1", port, timeout=10) for _ in range(number)]
        for one in all_:
            opened.enter_context(closing(one))
            one.connect()
        for one in all_:
            one.request("GET", "/")
        return [int(one.getresponse().read()) for one in all_]


def test_of_connections_that_come_together_each_process_gets_its_share(port):
    for _ in range(5):
        fewest = min(Counter(_asked(port, TOGETHER)).values())
        assert fewest >= TOGETHER // 4
