"""A stand-in for MTurk, its people, and a requester at its API."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.extras.mturk_simulator.requester import client


@pytest.fixture
def turk() -> Iterator[MTurkFarSide]:
    with mturk_far_side(seed=7) as far_side:
        yield far_side


@pytest.fixture
def requester(turk: MTurkFarSide) -> Iterator[Any]:
    with client(turk.url, retries={"total_max_attempts": 1}) as made:
        yield made
