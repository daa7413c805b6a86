from collections.abc import Iterator
from decimal import Decimal

import botocore.endpoint
import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotate.crowds import adapters, outbox
from annotate.crowds.contract import Marketplace
from annotate.models import Campaign
from tests.crowds.clock import Clock
from tests.crowds.contract import FAR_SIDES
from tests.crowds.far_side import FarSide
from tests.crowds.market import Market, market
from tests.crowds.mturk.far_side import mturk_far_side
from tests.crowds.prolific.far_side import prolific_far_side
from tests.crowds.scripted import Scripted
from tests.factories import campaign, user


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A crowd that does as told, in place of MTurk, called as often as one likes."""
    crowd = Scripted()
    monkeypatch.setattr(adapters, "marketplace", lambda _crowd: crowd)
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    return crowd


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits: neither for a limit of calls, nor before asking again."""
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    monkeypatch.setattr(botocore.endpoint.time, "sleep", lambda _seconds: None)


@pytest.fixture(params=FAR_SIDES)
def far(request: pytest.FixtureRequest, quick: None) -> Iterator[FarSide]:
    """Every far side in turn."""
    with FAR_SIDES[request.param]() as far_side:
        yield far_side


@pytest.fixture
def crowd(far: FarSide) -> Marketplace:
    return far.adapter()


@pytest.fixture
def made(scripted: Scripted) -> Campaign:
    return campaign(crowd="mturk", reward=Decimal("0.50"), items=32)


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


@pytest.fixture
def mine(ada: Client, scripted: Scripted) -> Campaign:
    owner = User.objects.get()
    return campaign(owner=owner, crowd="mturk", reward=Decimal("0.50"), items=32)


@pytest.fixture
def mturk(clock: Clock, db: None, quick: None) -> Iterator[Market]:
    """A campaign on MTurk's stand-in, where ids of returned units are used again."""
    with mturk_far_side(seed=1, reuse_ids=True) as far, market(far, clock) as made:
        yield made


@pytest.fixture
def prolific(clock: Clock, db: None, quick: None) -> Iterator[Market]:
    """A campaign on Prolific's stand-in."""
    with prolific_far_side() as far, market(far, clock) as made:
        yield made
