import pytest
from django.test import Client

from tests.addresses import World, built
from tests.crowds.conftest import scripted  # noqa: F401  (a fixture)
from tests.hostile.trying import Tries, furnished


@pytest.fixture
def world(scripted) -> World:  # noqa: F811  (the fixture)
    return furnished(built())


@pytest.fixture(params=["anonymous", "owner"])
def tries(request: pytest.FixtureRequest, world: World) -> Tries:
    return Tries(_client(world if request.param == "owner" else None))


@pytest.fixture
def owner(world: World) -> Tries:
    return Tries(_client(world))


def _client(world: World | None) -> Client:
    client = Client(raise_request_exception=False)
    if world is not None:
        client.force_login(world.owner)
    return client
