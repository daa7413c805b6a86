"""`serve` and the commands in another terminal: they speak of the same address."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import ROOT, wait_for

pytestmark = pytest.mark.slow

MANAGE = [sys.executable, "manage.py"]


@pytest.fixture
def embedded(tmp_path: Path) -> dict[str, str]:
    """The environment of an installation of its own, without any settings."""
    kept = ("PATH", "HOME", "LANG")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "PLUMBLINE_VAR": str(tmp_path / "var"),
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def address(embedded: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """Where `serve` says that it runs, on a port that the system chose."""
    log = tmp_path / "serve.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*MANAGE, "serve", "--port", "0"], cwd=ROOT, env=embedded, stdout=out, stderr=out
        )
    try:
        wait_for(lambda: "runs at" in log.read_text() or server.poll() is not None, seconds=120)
        found = re.search(r"runs at (http://localhost:\d+);", log.read_text())
        assert found, log.read_text()
        yield found.group(1)
    finally:
        server.kill()
        server.wait()


def create(file: Path, embedded: dict[str, str]) -> dict[str, str]:
    row = {"item": "1", "system": "a", "output": "x"}
    file.write_text(json.dumps(row))
    plan = ["--name", "News", "--target", "overall=0.2", "--json"]
    command = [*MANAGE, "create_campaign", str(file), *plan]
    return json.loads(subprocess.check_output(command, cwd=ROOT, env=embedded))


def test_create_campaign_prints_the_address_under_which_serve_runs(
    address: str, embedded: dict[str, str], tmp_path: Path
) -> None:
    made = create(tmp_path / "outputs.jsonl", embedded)
    assert made["dashboard"] == f"{address}/campaigns/{made['id']}/"
    assert made["annotators"].startswith(f"{address}/work/join/")
    chosen = create(tmp_path / "outputs.jsonl", embedded | {"PUBLIC_URL": "https://plumb.example"})
    assert chosen["dashboard"].startswith("https://plumb.example/campaigns/")


def test_where_nothing_runs_it_prints_the_usual_address(
    embedded: dict[str, str], tmp_path: Path
) -> None:
    subprocess.run([*MANAGE, "migrate", "-v", "0"], cwd=ROOT, env=embedded, check=True)
    for note in ("", "{}", "[1]", '{"url": "http://localhost:1", "host": "127.0.0.1", "port": 1}'):
        (tmp_path / "var" / "serving.json").write_text(note)
        made = create(tmp_path / "outputs.jsonl", embedded)
        assert made["dashboard"].startswith("http://localhost:8000/campaigns/")
