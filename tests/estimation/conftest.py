"""What several tests about estimates share."""

import pytest
from django.contrib.auth.models import User

from annotate.models import Campaign
from annotate.review import reviews
from annotate.work import scoring
from tests import remembered
from tests.estimation.exporting.exported import NAMES
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, person, user


@pytest.fixture
def no_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is flagged but by the test itself."""
    monkeypatch.setattr(reviews, "screen_all", lambda *_asked: [])


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture
def eve() -> User:
    return user("eve")


@pytest.fixture
def study() -> Campaign:
    """Judged by three people, scored and estimated."""
    return remembered.again(_study, user())


def _study(owner: User) -> Campaign:
    made = campaign(owner=owner, items=8)
    people = [person(made, name) for name in NAMES]
    take_turns(people, 14)
    scoring.ensure(made.pk)
    settle(made)
    return made
