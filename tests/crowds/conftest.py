from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Marketplace
from annotate.models import Campaign
from annotate.services import rates
from tests.crowds.contract import FAR_SIDES
from tests.crowds.far_side import FarSide
from tests.crowds.scripted import Scripted
from tests.factories import campaign, user


class Clock:
    """Our clock, which tests move."""

    def __init__(self) -> None:
        self.ahead = timedelta()
        self._real = timezone.now

    def now(self) -> datetime:
        return self._real() + self.ahead

    def move(self, **by: float) -> None:
        self.ahead += timedelta(**by)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(timezone, "now", moved.now)
    return moved


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """A crowd that does as told, in place of MTurk, called as often as one likes."""
    crowd = Scripted()
    monkeypatch.setattr(adapters, "marketplace", lambda _crowd: crowd)
    monkeypatch.setattr(rates, "permit", lambda *_crowd, wait=0.0: True)
    return crowd


@pytest.fixture(params=FAR_SIDES)
def far(request: pytest.FixtureRequest) -> Iterator[FarSide]:
    """Every far side in turn."""
    with FAR_SIDES[request.param]() as far_side:
        yield far_side


@pytest.fixture
def crowd(far: FarSide) -> Marketplace:
    return far.adapter()


@pytest.fixture
def made(scripted: Scripted) -> Campaign:
    return campaign(crowd="mturk", reward=Decimal("0.50"))


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


@pytest.fixture
def mine(ada: Client, scripted: Scripted) -> Campaign:
    owner = User.objects.get()
    return campaign(owner=owner, crowd="mturk", reward=Decimal("0.50"), items=32)
