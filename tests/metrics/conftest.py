"""The released judgments, read where they lie."""

from __future__ import annotations

from typing import Any

import pytest

from tests import released_data


@pytest.fixture(scope="session")
def released() -> list[dict[str, Any]]:
    """One dict per output of the language-quality data."""
    return released_data.records("price-of-debiasing-lqual.jsonl.gz")
