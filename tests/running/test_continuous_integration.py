"""What a continuous-integration machine runs where time is short, and where it is not."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MUST = ["setup-dev browser", "test", "pages", "lint"]
MAY = ["slow", "debian", "demos", "simulations", "stories", "hostile"]


def run(folder: Path, seconds: int, *, fails: str = "none") -> tuple[int, list[str], str]:
    """Run it with a `make` that only writes down its targets, one of which may fail."""
    make = folder / "make"
    make.write_text(f'#!/bin/sh\necho "$*" >> {folder}/made\n[ "$*" != "{fails}" ]\n')
    make.chmod(0o755)
    command = ["bash", str(ROOT / ".ci/run"), str(seconds)]
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, timeout=60)
    return done.returncode, (folder / "made").read_text().splitlines(), done.stdout


def test_everything_is_run_where_it_fits(tmp_path: Path) -> None:
    code, made, said = run(tmp_path, 1000)
    assert (code, made) == (0, MUST + MAY)
    assert "Not run" not in said


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    code, made, said = run(tmp_path, -1)
    assert (code, made) == (0, MUST)
    assert [f"Not run, for want of time: make {one} (about" in said for one in MAY] == [True] * len(
        MAY
    )


@pytest.mark.parametrize("target", ["test", "lint", "stories"])
def test_a_failure_ends_it(tmp_path: Path, target: str) -> None:
    code, made, said = run(tmp_path, 1000, fails=target)
    assert (code, made[-1]) == (1, target)
    assert "green" not in said


def test_each_target_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in [*MUST[0].split(), *MUST[1:], *MAY]:
        assert f"\n{target}: " in makefile
