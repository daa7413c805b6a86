"""What the tests of pages about results share."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from tests.factories import user


@pytest.fixture(autouse=True)
def _no_plots_of_other_tests() -> None:
    cache.clear()


@pytest.fixture
def ada(client: Client) -> User:
    ada = user()
    client.force_login(ada)
    return ada
