"""What all tests share."""

from collections.abc import Iterator

import pytest
from django.test import override_settings


@pytest.fixture(autouse=True, scope="session")
def _quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["tests.passwords.QuickHasher"]):
        yield
