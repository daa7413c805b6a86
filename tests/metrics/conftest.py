"""The released judgments, read where they lie; never copied into the repository."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = "price-of-debiasing-lqual.jsonl.gz"


@pytest.fixture(scope="session")
def released() -> list[dict[str, Any]]:
    """One dict per output of the language-quality data."""
    folder = Path(os.environ.get("PLUMBLINE_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (folder / FILE).exists():
        pytest.skip(f"released data absent: {folder / FILE} (set PLUMBLINE_DATA to its folder)")
    with gzip.open(folder / FILE, "rt", encoding="utf8") as lines:
        return [json.loads(line) for line in lines]
