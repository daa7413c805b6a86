"""What several tests about estimates share."""

import pytest
from django.contrib.auth.models import User

from annotate.services import screening
from tests.factories import user


@pytest.fixture
def no_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is flagged but by the test itself."""
    monkeypatch.setattr(screening, "screen_all", lambda *_asked: [])


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture
def eve() -> User:
    return user("eve")
