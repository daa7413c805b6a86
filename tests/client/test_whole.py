"""From the installed client alone: a file, simulated people, the stop, and a check of it."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from config.local import servers
from extras.demo import corpus, people
from tests.processes import ROOT, wait_for

pytestmark = pytest.mark.demos

MANAGE = [sys.executable, str(ROOT / "manage.py")]
ALONE = "import importlib.util as u, plumbline_client; print(u.find_spec('annotate') or 'alone')"
PASSWORD = "long enough to be fine"
PAUSE = 2.0  # seconds for a text: who is faster than anybody can read is listed, and waits


def environment(**more: str) -> dict[str, str]:
    kept = ("PATH", "HOME", "LANG")
    return {name: os.environ[name] for name in kept if name in os.environ} | more


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with what the client's wheel holds, and nothing of the product."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT / "client", check=True, capture_output=True)
    (wheel,) = tmp_path.glob("plumbline_client-*.whl")
    with ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server of its own, with an account."""
    with servers.scratch_folder() as room:
        yield from _served(room, tmp_path)


def _served(room: Path, tmp_path: Path) -> Iterator[str]:
    mine = environment(
        PLUMBLINE_VAR=str(room / "var"),
        PYTHONUNBUFFERED="1",
        DJANGO_SUPERUSER_PASSWORD=PASSWORD,
    )
    subprocess.run([*MANAGE, "migrate", "-v", "0"], env=mine, check=True)
    ada = ["createsuperuser", "--noinput", "--username", "ada", "--email", "ada@example.org"]
    subprocess.run([*MANAGE, *ada], env=mine, check=True, capture_output=True)
    log = tmp_path / "serve.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*MANAGE, "serve", "--port", "0"], env=mine, stdout=out, stderr=out
        )
    try:
        wait_for(lambda: "runs at" in log.read_text() or server.poll() is not None, seconds=120)
        found = re.search(r"runs at (http://localhost:\d+);", log.read_text())
        assert found, log.read_text()
        yield found.group(1)
    finally:
        server.terminate()
        server.wait()


def outputs(folder: Path) -> Path:
    file = folder / "outputs.jsonl"
    rows = corpus.rows_for_upload(items=200, systems=corpus.SYSTEMS[:2])
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def judge(link: str, stop: threading.Event) -> int:
    """Let twelve people work until there is nothing to do; return how many texts they judged."""
    cast = [one for one in people.cast(13, seed=3) if not one.careless]
    with ThreadPoolExecutor(len(cast)) as pool:
        done = [
            pool.submit(people.work, one, link, stop, PAUSE, lambda _said: None) for one in cast
        ]
        return sum(one.result().submitted for one in done)


def test_from_a_file_to_numbers_that_somebody_else_checks(
    installed: Path, address: str, tmp_path: Path
) -> None:
    mine = environment(PYTHONPATH=str(installed), PLUMBLINE_URL=address)
    alone = [sys.executable, "-c", ALONE]
    assert subprocess.check_output(alone, cwd=tmp_path, env=mine, text=True).split() == ["alone"]
    account = {"username": "ada", "password": PASSWORD}
    mine["PLUMBLINE_TOKEN"] = httpx.post(f"{address}/api/v1/token/", json=account).json()["token"]
    script = ROOT / "client" / "examples" / "whole.py"
    arguments = [str(outputs(tmp_path)), "News", str(tmp_path / "results")]
    whole = subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=tmp_path,
        env=mine,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert whole.stdout is not None
    stop = threading.Event()
    try:
        link = whole.stdout.readline().strip()
        assert link.startswith(f"{address}/work/join/")
        judged = judge(link, stop)
        said, _nothing = whole.communicate(timeout=60)
    finally:
        stop.set()
        whole.kill()
    assert whole.returncode == 0
    assert said.startswith(f"closed: target, {judged} judgments")
    assert judged < 400, "it stopped before everything was judged"
    report = json.loads((tmp_path / "results" / "report.json").read_text())
    assert report["checklist"]
    elsewhere = environment(DATABASE_URL="postgres://nobody@127.0.0.1:1/none")
    verified = subprocess.run(
        [*MANAGE, "verify", str(tmp_path / "results" / "export.zip")],
        cwd=tmp_path,
        env=elsewhere,
        capture_output=True,
        text=True,
    )
    assert verified.returncode == 0, verified.stderr
    assert "estimates" in verified.stdout
