"""The demonstration, whole: `manage.py demo --headless` in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import ROOT
from tests.servers import free_port

pytestmark = pytest.mark.demos

HIDDEN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "TEST_DATABASE_URL", "TEST_REDIS_URL")


def run(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    clean = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return subprocess.run(
        [sys.executable, "manage.py", "demo", "--headless", "--port", str(free_port()), *options],
        cwd=ROOT, env={**clean, "PLUMBLINE_VAR": str(folder)}, capture_output=True, text=True,
        timeout=400,
    )  # fmt: skip


def result(done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def widest(found: dict[str, Any], criterion: str) -> float:
    return max(row["width"] for row in found["estimates"] if row["criterion"] == criterion)


def test_the_headless_demo_closes_itself_at_the_target(tmp_path):
    found = result(run(tmp_path))
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
    assert not list(tmp_path.glob("*.sqlite3"))  # its database was a scratch one


def test_through_the_stand_in_for_mturk_both_sides_agree_on_every_cent(tmp_path):
    done = run(tmp_path, "--crowd", "mturk", "--small")
    found = result(done)
    crowd = found["crowd"]
    assert found["reason"] == "target"
    assert widest(found, "overall") <= 0.75
    assert widest(found, "edit") <= 0.40
    assert crowd["agree"], crowd
    assert crowd["hits"] >= 2  # at most nine places each
    assert crowd["bonuses"] >= 8  # one for each tutorial, whoever it was
    judged = {row["system"]: row["n_judgments"] for row in found["estimates"]}
    assert 5 * (crowd["approved"] + crowd["rejected"]) >= sum(judged.values())
    assert crowd["paid"] == crowd["ledger"]
    assert float(crowd["paid"]) == 2.00 * crowd["approved"] + 0.75 * crowd["bonuses"]
    assert not done.stderr


def test_a_crowd_without_a_stand_in_is_refused_kindly(tmp_path):
    done = run(tmp_path, "--crowd", "prolific")
    assert done.returncode == 1
    assert "stand-in for MTurk only" in done.stderr
    assert "Traceback" not in done.stderr
