"""A process that serves the background leaves the processor to others, and to other sessions."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from config.workers import niceness

BACKGROUND, ESTIMATES = "background", "celery"
TOLD = """
import json, os, django; django.setup()
from pathlib import Path
from celery.signals import celeryd_after_setup
from config.celery import app
app.amqp.queues.select(["{queue}"])
def told():
    of_session = Path("/proc/self/autogroup")
    words = of_session.read_text().split() if of_session.exists() else []
    return [os.nice(0), int(words[-1]) if words else None]
before = told()
celeryd_after_setup.send(sender=None, instance=type("Worker", (), {{"app": app}}))
print(json.dumps([before, told()]))
"""


def levels(queue: str, *, own_session: bool) -> list[list[int | None]]:
    """Return niceness, of the process and of its session, before and after a worker is set up."""
    done = subprocess.run(
        [sys.executable, "-c", TOLD.format(queue=queue)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        start_new_session=own_session,
    )
    found: list[list[int | None]] = json.loads(done.stdout)
    return found


def lowered(of_session: int | None) -> int | None:
    """Return the session's niceness after it yields; None where the kernel knows no sessions."""
    return None if of_session is None else niceness.LAST


@pytest.mark.slow
def test_the_background_and_its_session_let_others_first() -> None:
    (_, session), after = levels(BACKGROUND, own_session=True)
    assert after == [niceness.LAST, lowered(session)]


@pytest.mark.slow
def test_a_session_of_others_keeps_its_share() -> None:
    (_, session), after = levels(BACKGROUND, own_session=False)
    assert after == [niceness.LAST, session]


@pytest.mark.slow
def test_a_worker_of_estimates_lets_nobody_first() -> None:
    before, after = levels(ESTIMATES, own_session=True)
    assert after == before


def test_a_kernel_that_refuses_is_told_of_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(niceness, "OF_SESSION", tmp_path / "nowhere" / "autogroup")
    niceness._let_other_sessions_first()
    assert "keeps its share" in caplog.text
