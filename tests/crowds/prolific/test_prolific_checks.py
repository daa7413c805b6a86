"""What Prolific would refuse is said before it is asked."""

from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.prolific.studies import problems
from tests.crowds.prolific.test_prolific import spec


def fields(live: bool = True, currency: str = "GBP", **changes: object) -> list[str]:
    return [one.field for one in problems(spec(**changes), live=live, currency=currency)]


def test_a_sound_posting_has_no_problem():
    assert fields() == []
    assert fields(code="") == [], "a code is made when it is published"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", " "),
        ("description", ""),
        ("places", 0),
        ("reward", Decimal("1.505")),
        ("reward", Decimal("0")),
        ("minutes", 0.0),
        ("duration", timedelta(minutes=4)),
        ("duration", timedelta(hours=24)),
        ("url", "plumbline.example/work"),
        ("code", "A-1"),
    ],
)
def test_each_part_is_looked_at(field, value):
    assert fields(**{field: value}) == [field]


def test_prolific_itself_sends_people_to_https_only():
    plain = "http://localhost:8000/work/"
    assert fields(live=True, url=plain) == ["url"]
    assert fields(live=False, url=plain) == []


@pytest.mark.parametrize(
    ("currency", "minutes", "least"),
    [
        ("GBP", 5, "0.50"),
        ("USD", 5, "0.67"),
        ("USD", 1, "0.14"),
        ("", 5, "0.50"),
        ("EUR", 5, "0.50"),
    ],
)
def test_the_time_is_paid_by_prolifics_minimum_at_least(currency, minutes, least):
    just = Decimal(least)
    assert fields(currency=currency, minutes=minutes, reward=just) == []
    less = just - Decimal("0.01")
    assert fields(currency=currency, minutes=minutes, reward=less) == ["reward"]
