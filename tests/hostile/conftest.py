import pytest
from django.test import Client

from tests.addresses import World, built
from tests.crowds.conftest import scripted  # noqa: F401  (a fixture)
from tests.hostile.trying import Tries, furnished
from tests.hostile.values import FEW, TEXTS


@pytest.fixture
def world(scripted) -> World:  # noqa: F811  (the fixture)
    return furnished(built())


@pytest.fixture(
    params=[
        pytest.param(FEW, marks=pytest.mark.slow),
        pytest.param(TEXTS, marks=pytest.mark.hostile),
    ],
    ids=["few", "all"],
)
def texts(request: pytest.FixtureRequest) -> dict[str, str]:
    return request.param


@pytest.fixture(params=["anonymous", "owner"])
def tries(request: pytest.FixtureRequest, world: World, texts: dict[str, str]) -> Tries:
    return Tries(_client(world if request.param == "owner" else None), texts)


@pytest.fixture
def owner(world: World, texts: dict[str, str]) -> Tries:
    return Tries(_client(world), texts)


def _client(world: World | None) -> Client:
    client = Client(raise_request_exception=False)
    if world is not None:
        client.force_login(world.owner)
    return client
