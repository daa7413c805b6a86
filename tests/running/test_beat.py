"""Beat as it is started without containers: on a folder that is not there yet, and lightly."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from config.celery import app
from config.workers import BACKGROUND, LONG
from tests.processes import ROOT, wait_for
from tests.servers import start_redis

pytestmark = pytest.mark.slow

QUEUES = ("celery", BACKGROUND)
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
        wait_for(lambda: beat.poll() is not None or len(sent(broker)) >= 5)
        assert beat.poll() is None, log.read_text()
        assert set() < sent(broker, BACKGROUND) <= {*LONG}
        assert sent(broker, "celery").isdisjoint(LONG)
        assert list(folder.glob("celerybeat-schedule*"))
        assert "Sending due task" in log.read_text()
        mapped = Path(f"/proc/{beat.pid}/maps").read_text()
        assert "/celery" in mapped or "python" in mapped
        assert "numpy" not in mapped
    finally:
        beat.kill()
        beat.wait()


def test_each_task_of_the_background_exists() -> None:
    app.loader.import_default_modules()
    assert set(LONG) <= set(app.tasks)


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


def sent(broker: str, *queues: str) -> set[str]:
    """Return the tasks whose messages wait for a worker, in these queues or all."""
    waiting = redis.Redis.from_url(broker)
    messages = [one for queue in queues or QUEUES for one in waiting.lrange(queue, 0, -1)]
    return {json.loads(one)["headers"]["task"] for one in messages}
