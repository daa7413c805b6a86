"""A world that is written again is the world that was made."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from annotate.models import Assignment, AuditEntry, ChangeMark, Judgment, Review
from tests import remembered, reviewed
from tests.factories import judge, person, user

pytestmark = pytest.mark.django_db  # on Postgres alone: elsewhere worlds are made each time


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def rows() -> dict[str, list[dict[str, Any]]]:
    """Return every row that is there, without its times."""
    return {
        model.__name__: [
            {name: value for name, value in row.items() if not isinstance(value, datetime)}
            for row in model._base_manager.order_by("pk").values()
        ]
        for model in remembered._models()
    }


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[User]:
    """The users for whom a case was really made."""
    told: list[User] = []
    make = reviewed._case

    def case(owner: User, **how: Any) -> Review:
        told.append(owner)
        return make(owner, **how)

    monkeypatch.setattr(remembered, "_worlds", {})
    monkeypatch.setattr(reviewed, "_case", case)
    return told


@pytest.mark.slow
def test_every_row_is_there_again(made: list[User]) -> None:
    ada = user()
    with undone():
        reviewed.case(ada)
        first = rows()
    with undone():
        reviewed.case(ada)
        assert rows() == first
    assert made == [ada]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_one_that_was_committed_is_there_for_all(made: list[User]) -> None:
    first = user()
    reviewed.case(first)
    call_command("flush", verbosity=0, interactive=False, inhibit_post_migrate=True)
    assert not Judgment.objects.exists()
    review = reviewed.case(user())
    with ThreadPoolExecutor() as others:
        assert others.submit(_judged_by_others, review.pk).result() == 34
    assert made == [first]


def _judged_by_others(review: int) -> int:
    try:
        return Judgment.objects.filter(campaign__reviews=review).count()
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_one_that_was_not_committed_is_not_written_where_it_would_be(made: list[User]) -> None:
    ada = user()
    with undone():
        reviewed.case(ada)
    reviewed.case(ada)
    assert made == [ada, ada]


@pytest.mark.slow
def test_it_belongs_to_whom_it_is_written_for(made: list[User]) -> None:
    with undone():
        reviewed.case(user("eve"))
    ada = user()
    review = reviewed.case(ada)
    assert made != [ada]
    assert [one.user for one in review.campaign.memberships.all()] == [ada]


@pytest.mark.slow
def test_it_was_made_just_now(made: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    ada = user()
    with undone():
        reviewed.case(ada)
    later = timezone.now() + timedelta(days=9)
    monkeypatch.setattr(timezone, "now", lambda: later)
    campaign = reviewed.case(ada).campaign
    times = Judgment.objects.filter(campaign=campaign).values_list("submitted_at", flat=True)
    assert all(timedelta(0) <= later - at < timedelta(minutes=1) for at in times)


@pytest.mark.slow
def test_what_was_later_than_another_still_is(made: list[User]) -> None:
    def ages() -> list[float]:
        kept = [*ChangeMark.objects.order_by("pk"), *AuditEntry.objects.order_by("pk")]
        first = Judgment.objects.order_by("pk")[0].submitted_at
        return [round((row.at - first).total_seconds(), 6) for row in kept]

    ada = user()
    with undone():
        reviewed.case(ada)
        first = ages()
    reviewed.case(ada)
    assert ages() == first
    assert made == [ada]


@pytest.mark.slow
def test_work_goes_on_in_it(made: list[User]) -> None:
    ada = user()
    with undone():
        reviewed.case(ada)
    campaign = reviewed.case(ada).campaign
    n = Assignment.objects.filter(campaign=campaign).count()
    judge(person(campaign, "newcomer"))
    assert Assignment.objects.filter(campaign=campaign).count() == n + 1


@pytest.mark.slow
def test_a_second_one_in_a_test_is_another(made: list[User]) -> None:
    ada = user()
    with undone():
        reviewed.case(ada)
    first, second = reviewed.case(ada), reviewed.case(ada)
    assert first.campaign_id != second.campaign_id
    assert made == [ada, ada]
