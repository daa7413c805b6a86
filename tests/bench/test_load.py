"""The load benchmark as a whole: it starts all servers, measures, and ends them."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.load.row import SERVING
from bench.load.usage import family, processes
from config.local import servers

ROOT = Path(__file__).resolve().parents[2]
PEER = f"""{sys.executable} -c 'print("{{\\"tasks_per_s\\": 50, \\"cpu_ms\\": 35}}")'"""

pytestmark = pytest.mark.slow


@contextmanager
def start(*arguments: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the command with servers of its own, and temporary files in `folder`."""
    ours = ("PYTEST_XDIST_WORKER", "TEST_DATABASE_URL", "TEST_REDIS_URL")
    env = {name: value for name, value in os.environ.items() if name not in ours}
    with subprocess.Popen(
        [sys.executable, "-m", "bench.load", "--no-sync", *arguments],
        cwd=ROOT,
        env=env | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()  # where a test fails


@pytest.fixture
def temporary() -> Iterator[Path]:
    with servers.scratch_folder() as made:
        yield made


def test_three_annotators_beside_a_peer(temporary, tmp_path):
    figures = tmp_path / "figures.json"
    arguments = ["--annotators", "3", "--seconds", "2", "--json", str(figures), "--peer", PEER]
    with start(*arguments, folder=temporary) as process:
        out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err
    (row,) = json.loads(figures.read_text())
    assert row["acknowledged"] == row["stored"] > 3
    assert row["errors"] == {}
    assert row["submit"]["n"] > 0
    assert all(row["cpu"][name] > 0 for name in ("web", "postgres"))
    assert all(row["memory"][name] > 1 for name in SERVING)
    assert row["peer"] == {"tasks_per_s": 50, "cpu": 0.035}
    both = f"{row['acknowledged']:,} | {row['stored']:,}"
    assert both in re.sub(" +", " ", out)
    assert f"{row['cpu_serving'] / 0.035:.2f} ×" in out
    assert list(temporary.glob("plumbline-load-*")) == []


def test_ctrl_c_ends_every_process(temporary):
    with start("--annotators", "3", "--seconds", "300", folder=temporary) as process:
        wait_for(lambda: len(serving(process.pid)) > 8)  # three of web, five of the workers, beat
        running = family(processes(), process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    # On a busy machine the last ones are seen for a moment after their parents have ended.
    wait_for(lambda: not running & processes().keys(), seconds=20)
    assert list(temporary.glob("plumbline-load-*")) == []


def test_a_server_that_ends_is_named_with_its_log(temporary):
    with start("--annotators", "3", "--seconds", "300", folder=temporary) as process:
        wait_for(lambda: len(serving(process.pid)) > 8)
        (worker,) = [
            pid
            for pid, command in serving(process.pid).items()
            if "--queues=celery" in command and processes()[pid].parent == process.pid
        ]
        os.kill(worker, signal.SIGKILL)
        _out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "worker ended with code -9" in err
    (folder,) = temporary.glob("plumbline-load-*")
    assert str(folder / "worker.log") in err


def serving(root: int) -> dict[int, str]:
    """Return the command lines of the servers below a process, by process id."""
    found = {}
    for pid in family(processes(), root):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        except OSError:
            continue
        if {"gunicorn", "celery"} & {*command}:
            found[pid] = " ".join(command)
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.2)
