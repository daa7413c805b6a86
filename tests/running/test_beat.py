"""Beat as it is started without containers: on a folder that is not there yet, and lightly."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.processes import ROOT, wait_for
from tests.servers import start_redis

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "celery", "-A", "config", "beat", "--loglevel", "INFO"]


@pytest.fixture
def broker() -> Iterator[str]:
    url, process = start_redis()
    yield url
    process.kill()


def environment(folder: Path, broker: str) -> dict[str, str]:
    return {**os.environ, "PLUMBLINE_VAR": str(folder), "REDIS_URL": broker}


def test_it_starts_on_a_folder_that_does_not_exist_and_sends(tmp_path: Path, broker: str) -> None:
    folder, log = tmp_path / "new" / "var", tmp_path / "beat.log"
    with log.open("wb") as out:
        beat = subprocess.Popen(
            COMMAND, cwd=ROOT, env=environment(folder, broker), stdout=out, stderr=out
        )
    try:
        wait_for(lambda: beat.poll() is not None or sent(broker) >= 5)
        assert beat.poll() is None, log.read_text()
        assert list(folder.glob("celerybeat-schedule*"))
        assert "Sending due task" in log.read_text()
        mapped = Path(f"/proc/{beat.pid}/maps").read_text()
        assert "/celery" in mapped or "python" in mapped
        assert "numpy" not in mapped
    finally:
        beat.kill()
        beat.wait()


def test_a_folder_that_cannot_be_made_is_told_in_words(tmp_path: Path, broker: str) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        COMMAND,
        cwd=ROOT,
        env=environment(tmp_path / "file" / "var", broker),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "PLUMBLINE_VAR" in done.stderr
    assert "Traceback" not in done.stderr


def sent(broker: str) -> int:
    """Return how many messages wait for a worker."""
    found = redis.Redis.from_url(broker).llen("celery")
    assert isinstance(found, int)
    return found
