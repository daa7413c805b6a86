"""A body that is allowed by its length does not hold a process by the number of its values."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotate.campaigns.parsers import MOST_ROWS
from annotate.common.json import MOST_VALUES
from annotate.models import Campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

CAMPAIGNS = "/api/v1/campaigns/"


def many(value: str, n: int) -> str:
    return ",".join([value] * n)


BODIES = {
    "rows that are numbers": (f'{{"outputs": [{many("1", MOST_ROWS + 1)}]}}', "as a file"),
    "empty rows": (f'{{"outputs": [{many("{}", MOST_ROWS + 1)}]}}', "as a file"),
    "numbers in a row": (f'{{"outputs": [{{"a": [{many("1", 4_000_001)}]}}]}}', "4,000,000 values"),
    "numbers in a field": (f'{{"metrics": [{many("1", MOST_VALUES + 1)}]}}', "100,000 values"),
    "numbers in two fields": (
        f'{{"metrics": [{many("1", MOST_VALUES // 2)}], "gold": [{many("1", MOST_VALUES // 2)}]}}',
        "100,000 values",
    ),
    "fields": (
        "{" + ",".join(f'"f{n}": 1' for n in range(MOST_VALUES + 1)) + "}",
        "100,000 values",
    ),
    "digits": (f'{{"budget": {"1" * 5_000_000}}}', "too large"),
    "levels": (f'{{"gold": {"[" * 5_000_000}}}', "nested far too deep"),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.slow
def test_it_is_refused_before_anything_looks_at_each_value(api: APIClient, name: str) -> None:
    body, told = BODIES[name]
    answer: Any = api.post(CAMPAIGNS, body, content_type="application/json")
    assert (answer.status_code, told in answer.json()["message"]) == (400, True), answer.json()
    assert not Campaign.objects.exists()


def test_other_addresses_bound_it_too(api: APIClient, study: Campaign) -> None:
    address = f"{CAMPAIGNS}{study.public_id}/links/"
    body = f'{{"names": [{many("1", 900_000)}]}}'
    answer: Any = api.post(address, body, content_type="application/json")
    assert (answer.status_code, "values" in answer.json()["message"]) == (400, True)
