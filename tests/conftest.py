"""What all tests share."""

from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.utils import timezone

from tests.crowds.clock import Clock


@pytest.fixture(autouse=True, scope="session")
def _quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["tests.passwords.QuickHasher"]):
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(timezone, "now", moved.now)
    return moved
