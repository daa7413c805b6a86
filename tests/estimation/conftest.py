import pytest

from annotate.models import Campaign
from annotate.services import scoring
from tests.estimation.exported import NAMES
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, person, user


@pytest.fixture
def study() -> Campaign:
    """Judged by three people, scored and estimated."""
    made = campaign(owner=user(), items=8)
    people = [person(made, name) for name in NAMES]
    take_turns(people, 14)
    scoring.ensure(made.pk)
    settle(made)
    return made
