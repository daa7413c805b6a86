"""The demonstration, whole: `manage.py demo --headless` in a process of its own."""

import json
import os
import subprocess
import sys

from tests.processes import ROOT
from tests.servers import free_port


def test_the_headless_demo_closes_itself_at_the_target(tmp_path):
    hidden = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "TEST_DATABASE_URL", "TEST_REDIS_URL")
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "manage.py", "demo", "--headless", "--port", str(free_port())],
        cwd=ROOT, env={**clean, "PLUMBLINE_VAR": str(tmp_path)}, capture_output=True, text=True,
        timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout)
    assert result["reason"] == "target"
    assert len(result["estimates"]) == 3 * 4
    for row in result["estimates"]:
        assert row["reason"] == "target"
        assert row["low"] < row["high"]
        assert row["width"] == row["high"] - row["low"]
        assert row["n_items"] < 260  # well before the items ran out
        assert row["n_annotators"] >= 15
    widths = {(row["system"], row["criterion"]): row["width"] for row in result["estimates"]}
    assert max(width for (_, criterion), width in widths.items() if criterion == "overall") <= 0.30
    assert max(width for (_, criterion), width in widths.items() if criterion == "edit") <= 0.12
    assert not list(tmp_path.glob("*.sqlite3"))  # its database was a scratch one
