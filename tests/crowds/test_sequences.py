"""Whatever happens in whatever order, between us and a crowd: afterwards both say the same.

Hundreds of seeded stories over real servers: people come, work, leave, forge and hand in twice;
reviewers rule; clocks run; calls fail before and after the far side has acted; workers die.
"""

from contextlib import suppress
from datetime import timedelta

import botocore.endpoint
import pytest
from django.db import transaction

from annotate import adapters
from annotate.crowds.base import Marketplace
from annotate.services import rates
from tests.crowds.balance import check
from tests.crowds.conftest import Clock
from tests.crowds.far_side import FarSide
from tests.crowds.mturk_far_side import mturk_far_side
from tests.crowds.walk import Walk, heal, story

pytestmark = pytest.mark.django_db
CHUNKS, STORIES, LENGTH = 20, 26, 20


class _Done(Exception):
    """Each story begins with an empty database."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits: neither for a limit of calls, nor before asking again."""
    monkeypatch.setattr(rates, "permit", lambda *_crowd, wait=0.0: True)
    monkeypatch.setattr(botocore.endpoint.time, "sleep", lambda _seconds: None)


def tell(far: FarSide, crowd: Marketplace, clock: Clock, seed: int) -> Walk:
    """One story from beginning to end, and what must hold after it."""
    known, bonuses = set(far.postings()), len(far.bonuses())
    walk = Walk.begin(far, crowd, clock, seed)
    print(f"story {seed}")  # shown where it fails
    story(walk, LENGTH)
    heal(walk)
    check(walk, known_before=known, bonuses_before=bonuses, final=False)
    walk.pass_time(timedelta(days=4))  # every deadline, and every approval by the crowd itself
    heal(walk)
    check(walk, known_before=known, bonuses_before=bonuses, final=True)
    return walk


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_both_sides_agree_in_the_end(
    chunk: int, clock: Clock, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mturk_far_side(seed=chunk, reuse_ids=chunk % 2 == 1) as far:
        far.world.faults.patience = 0.01
        crowd = far.adapter()
        monkeypatch.setattr(adapters, "marketplace", lambda _crowd: crowd)
        for seed in range(chunk * STORIES, (chunk + 1) * STORIES):
            with suppress(_Done), transaction.atomic():
                tell(far, crowd, clock, seed)
                raise _Done
