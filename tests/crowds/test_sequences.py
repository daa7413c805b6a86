"""Whatever happens in whatever order, between us and a crowd: afterwards both say the same.

Hundreds of seeded stories over real servers: people come, work, leave, forge and hand in twice;
reviewers rule; clocks run; calls fail before and after the far side has acted; workers die.
"""

import random
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import transaction

from annotate.crowds import adapters
from annotate.crowds.contract import Marketplace
from tests.crowds.clock import Clock
from tests.crowds.far_side import FarSide
from tests.crowds.money.balance import check, nobody_is_waited_for
from tests.crowds.mturk.far_side import mturk_far_side
from tests.crowds.prolific.far_side import WORLDS, prolific_far_side
from tests.crowds.walk import TERMS, Walk, heal, story

pytestmark = [pytest.mark.django_db, pytest.mark.stories]
CHUNKS, STORIES, LENGTH = 18, 24, 8


class _Done(Exception):
    """Each story begins with an empty database."""


def tell(far: FarSide, crowd: Marketplace, clock: Clock, seed: int) -> Walk:
    """One story from beginning to end, and what must hold after it."""
    known, bonuses = set(far.postings()), len(far.bonuses())
    print(f"story {seed}")  # shown where it fails
    random.seed(seed)  # the outbox spreads its retries by chance
    walk = Walk.begin(far, crowd, clock, seed)
    story(walk, LENGTH)
    if seed % 5 == 0:
        heal(walk)
        walk.pass_time(settings.CROWD_GRACE)
        heal(walk)
        nobody_is_waited_for(walk, known)
        check(walk, known_before=known, bonuses_before=bonuses, final=False)
    over = TERMS.auto_approval if crowd.key == "mturk" else crowd.refusal_limit
    walk.pass_time(over + timedelta(days=1))  # every deadline, all approvals by the crowd itself
    heal(walk)
    check(walk, known_before=known, bonuses_before=bonuses, final=True)
    return walk


def tell_all(far: FarSide, clock: Clock, seeds: Iterable[int]) -> None:
    """Each story begins with an empty database, in front of a far side that remembers."""
    crowd = far.adapter()
    with patch.object(adapters, "marketplace", lambda _crowd: crowd):
        for seed in seeds:
            with suppress(_Done), transaction.atomic():
                tell(far, crowd, clock, seed)
                raise _Done


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mturk_and_we_agree_in_the_end(chunk: int, clock: Clock, quick: None) -> None:
    with mturk_far_side(seed=chunk, reuse_ids=chunk % 2 == 1) as far:
        tell_all(far, clock, range(chunk * STORIES, (chunk + 1) * STORIES))


@pytest.mark.parametrize("world", range(len(WORLDS)), ids=list(WORLDS))
def test_prolific_and_we_agree_in_the_end(world: int, clock: Clock, quick: None) -> None:
    chunk = CHUNKS + world
    with prolific_far_side(**list(WORLDS.values())[world]) as far:
        tell_all(far, clock, range(chunk * STORIES, (chunk + 1) * STORIES))
