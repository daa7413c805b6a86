"""The load benchmark as a whole: it starts all servers, measures, and ends them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.local import servers

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run the command with servers of its own; yield it and its temporary folder."""
    ours = ("PYTEST_XDIST_WORKER", "TEST_DATABASE_URL", "TEST_REDIS_URL")
    env = {name: value for name, value in os.environ.items() if name not in ours}
    with (
        servers.scratch_folder() as folder,
        subprocess.Popen(
            [sys.executable, "-m", "bench.load", *arguments],
            cwd=ROOT,
            env=env | {"TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            yield process, folder
        finally:
            process.terminate()  # where a test fails


def test_three_annotators():
    with started("--annotators", "3", "--seconds", "2") as (process, folder):
        out, err = process.communicate(timeout=400)
        left = list(folder.glob("plumbline-load-*"))
    assert process.returncode == 0, err
    head, _rule, row = (line.strip("| ").split(" | ") for line in out.splitlines()[-3:])
    found = dict(zip(head, row, strict=True))
    stored, acknowledged = re.findall(r"\d+", found["stored"])
    assert int(stored) == int(acknowledged) > 3
    assert float(found["speed"]) > 0
    assert float(found["cpu"]) > 0
    assert found["errors"] == "0"
    assert left == []


def test_ctrl_c_ends_every_process():
    with started("--annotators", "3", "--seconds", "300") as (process, folder):
        until = time.monotonic() + 180
        while not (logs := list(folder.glob("plumbline-load-*/web.log"))):
            assert time.monotonic() < until
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        assert process.returncode == 130
        assert not logs[0].parent.exists()
        commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        assert str(folder) not in commands.stdout
