import pytest
from django.test import Client

from annotate.models import Campaign
from tests.annotate.researcher import owner_of
from tests.factories import campaign, user


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


@pytest.fixture
def mine(ada: Client) -> Campaign:
    return campaign(owner=owner_of(ada))
