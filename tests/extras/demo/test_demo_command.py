"""The demonstration, whole: `manage.py demo --headless` in a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.local import servers
from config.local.folder import make
from extras.demo import corpus
from extras.demo.runner import SMALL
from tests.processes import ROOT, wait_for
from tests.servers import free_port

pytestmark = pytest.mark.demos

NOWHERE = "postgres://nobody@localhost:1/nothing"
HIDDEN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "TEST_DATABASE_URL", "TEST_REDIS_URL")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the servers' user can reach."""
    with servers.scratch_folder() as made:
        yield made


def run(folder: Path, *options: str, **more: str) -> "subprocess.CompletedProcess[str]":
    make(folder / "tmp")
    return subprocess.run(
        [sys.executable, "manage.py", "demo", "--headless", "--port", str(free_port()), *options],
        cwd=ROOT,
        env=environment(folder) | more,
        capture_output=True,
        text=True,
        timeout=900,
    )


def environment(folder: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return {**clean, "PLUMBLINE_VAR": str(folder / "var"), "TMPDIR": str(folder / "tmp")}


def result(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def widest(found: dict[str, Any], criterion: str) -> float:
    return max(row["width"] for row in found["estimates"] if row["criterion"] == criterion)


def test_the_headless_demo_closes_itself_at_the_target(place):
    found = result(run(place))
    assert found.keys() == {"reason", "excluded", "estimates"}
    assert found["reason"] == "target"
    assert len(found["estimates"]) == 3 * 4
    for row in found["estimates"]:
        assert row["reason"] == "target"
        assert row["low"] < row["high"]
        assert row["width"] == row["high"] - row["low"]
        assert row["n_items"] < 260  # well before the items ran out
        assert row["n_annotators"] >= 15
    assert widest(found, "overall") <= 0.30
    assert widest(found, "edit") <= 0.12
    assert not list((place / "tmp").iterdir())  # its database was a scratch one
    assert not (place / "var" / "postgres").exists()


def test_through_the_stand_in_for_mturk_both_sides_agree_on_every_cent(place):
    theirs = {"AWS_PROFILE": "real", "MTURK_ENVIRONMENT": "production", "DATABASE_URL": NOWHERE}
    done = run(place, "--crowd", "mturk", "--small", **theirs)
    found = result(done)
    crowd = found["crowd"]
    assert found["reason"] == "target"
    assert widest(found, "overall") <= 0.75
    assert widest(found, "edit") <= 0.40
    assert crowd["agree"], crowd
    assert crowd["hits"] >= 2  # at most nine places each
    assert crowd["bonuses"] >= 8  # one for each tutorial, whoever it was
    judged = {row["system"]: row["n_judgments"] for row in found["estimates"]}
    # A text that two systems wrote is judged for both, at most twice.
    rows = list(corpus.rows_for_upload(items=SMALL.items))
    shared = len(rows) - len({(row["item"], row["output"]) for row in rows})
    assert 5 * (crowd["approved"] + crowd["rejected"]) >= sum(judged.values()) - 2 * shared
    assert crowd["paid"] == crowd["ledger"]
    assert float(crowd["paid"]) == 2.00 * crowd["approved"] + 0.75 * crowd["bonuses"]
    assert not done.stderr


def test_a_crowd_without_a_stand_in_is_refused_kindly(place):
    done = run(place, "--crowd", "prolific")
    assert done.returncode == 1
    assert "stand-in for MTurk only" in done.stderr
    assert "Traceback" not in done.stderr


def test_settings_that_come_first_are_refused(place):
    done = run(place, "--settings", "config.settings")
    assert done.returncode == 1
    assert "could not be started" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_product_ends_with_the_demonstration_however_it_ends(how, place):
    make(place / "tmp")
    port = free_port()
    demo = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--small", "--port", str(port)],
        cwd=ROOT,
        env=environment(place),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=hears_interrupts,
    )
    try:
        wait_for(lambda: answers(port) or demo.poll() is not None, seconds=180)
        demo.send_signal(how)
        _, said = demo.communicate(timeout=60)
        left_behind = answers(port)
    finally:
        demo.kill()
        demo.wait()
    wait_for(lambda: not answers(port), seconds=20)
    assert b"Traceback" not in said
    if how == signal.SIGINT:
        assert not left_behind  # what still runs would write into the folder that is removed
        assert not list((place / "tmp").iterdir())


def hears_interrupts() -> None:
    """A shell lets what it starts in the background ignore them, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
