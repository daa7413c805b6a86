"""Seeds of random walks."""

from typing import Any

import pytest


def walks(n: int) -> list[Any]:
    """Return the seeds 0 to n - 1, of which all but the first are slow."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, n))]
