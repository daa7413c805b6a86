"""Where the released judgments lie, if they do; never copied into the repository."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get("PLUMBLINE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data"
)


def records(name: str) -> list[dict[str, Any]]:
    """Return one dict per output of a released file; skips, saying so, where it is absent."""
    if not (FOLDER / name).exists():
        pytest.skip(f"released data absent: {FOLDER / name} (set PLUMBLINE_DATA to its folder)")
    with gzip.open(FOLDER / name, "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines]
