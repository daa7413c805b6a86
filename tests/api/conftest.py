import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from tests import remembered
from tests.crowds.conftest import scripted  # noqa: F401  (a fixture)
from tests.factories import campaign, judge, person, user


@pytest.fixture(autouse=True)
def _fresh_throttle():
    cache.clear()


@pytest.fixture
def ada(db):
    return user("ada")


@pytest.fixture
def client_of(db):
    """Return an API client of a user, signed in by session."""

    def of(who):
        client = APIClient()
        client.force_login(who)
        return client

    return of


@pytest.fixture
def api(ada, client_of):
    return client_of(ada)


@pytest.fixture
def study(ada):
    """An open campaign of Ada's with three judgments of two people."""
    return remembered.again(_study, ada)


def _study(owner):
    made = campaign(owner=owner, systems=("alpha", "beta"))
    first, second = person(made, "worker-A1B2"), person(made, "worker-C3D4")
    judge(first)
    judge(first, overall=0, edit="The council met on Monday in the district, as they tell it.")
    judge(second)
    return made
