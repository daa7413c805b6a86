"""What all tests share."""

import math
from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.utils import timezone
from limits.storage import MemoryStorage

from annotate.requests import counting
from tests.crowds.clock import Clock


@pytest.fixture(autouse=True, scope="session")
def _quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["tests.passwords.QuickHasher"]):
        yield


@pytest.fixture(autouse=True)
def _counted_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with nothing counted, whatever others do with the session's Redis."""
    monkeypatch.setattr(counting, "_own", MemoryStorage())
    monkeypatch.setattr(counting, "_silent_until", math.inf)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(timezone, "now", moved.now)
    return moved
