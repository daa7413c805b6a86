"""What the tests of pages about results share."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import user


@pytest.fixture
def ada(client: Client) -> User:
    ada = user()
    client.force_login(ada)
    return ada
