"""A refresh screens a small campaign each time, and a large one before a decision."""

from dataclasses import replace

import pytest

from annotate.models import Campaign, Review
from annotate.review import reviews
from annotate.tasks import keep_verdicts
from estimation import refresh
from estimation.models import Decision, Estimate
from tests.annotate.screening.test_screening_service import STORY, crowd, fast, slow_clock
from tests.factories import campaign, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """A campaign with a person who is too fast, and which counts as large."""
    slow_clock(monkeypatch)
    monkeypatch.setattr(refresh, "SCREENED_EACH_TIME", 0)
    long = [replace(row, output=f"{row.output} {STORY}") for row in rows(60)]
    study = campaign(owner=user(), rows_=long, targets={"overall": 0.01})
    crowd(study)
    fast(study)
    return study


@pytest.mark.slow
def test_a_large_campaign_is_screened_by_a_task_of_its_own(made: Campaign) -> None:
    refresh.refresh(made.pk)
    assert Estimate.objects.filter(campaign=made).exists()
    assert not Review.objects.exists()
    assert keep_verdicts() >= 1
    assert Review.objects.get().status == Review.Status.OPEN


@pytest.mark.slow
def test_it_is_screened_before_a_decision(made: Campaign) -> None:
    made.targets.update(width=10.0)
    refresh.refresh(made.pk)
    assert Review.objects.get().status == Review.Status.OPEN
    assert Decision.objects.exists()


@pytest.mark.slow
def test_the_task_leaves_what_was_screened_a_moment_ago(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "PEOPLE_A_SECOND", 0.01)
    assert reviews.screen_due() == 1
    fast(made, "another")
    assert reviews.screen_due() == 0
    assert Review.objects.count() == 1
