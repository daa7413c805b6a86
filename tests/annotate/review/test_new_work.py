"""Between two looks at everybody, new work is looked at among a sample; all decide in the end."""

from dataclasses import replace
from typing import Any

import pytest

from annotate.models import Campaign, Flag, Review
from annotate.selectors.review import screening
from annotate.services.review import new_work, reviews
from estimation.services import estimating, memory
from tests.annotate.screening.test_screening_service import STORY, crowd, fast, slow_clock
from tests.factories import campaign, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """A campaign at which this process has looked, and may look again at any time."""
    slow_clock(monkeypatch)
    monkeypatch.setattr(new_work, "SPARING", 0)
    long = [replace(row, output=f"{row.output} {STORY}") for row in rows(90)]
    study = campaign(owner=user(), rows_=long, targets={"overall": 0.01})
    crowd(study)
    reviews.screen(study.pk)
    return study


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many people each look at everybody has seen."""
    seen: list[int] = []
    columns = screening.columns

    def counted(campaign: Campaign) -> Any:
        found = columns(campaign)
        seen.append(found.people.size if found else 0)
        return found

    monkeypatch.setattr(screening, "columns", counted)
    return seen


@pytest.mark.slow
def test_who_becomes_careless_is_found_before_the_next_look_at_everybody(made, looks) -> None:
    who = fast(made)
    assert reviews.screen_new_work(made.pk) == 1
    assert Review.objects.get().annotator == who
    assert looks == [7]  # six people, and this one


@pytest.mark.slow
def test_careful_work_brings_no_look_at_everybody(made, looks) -> None:
    crowd(made, people=2, each=2)
    assert reviews.screen_new_work(made.pk) == 0
    assert looks == []
    assert not Review.objects.exists()


@pytest.mark.slow
def test_everybody_is_looked_at_once_for_the_same_suspicion(made, looks, monkeypatch) -> None:
    """Where the look at everybody does not confirm it, it is not asked for again."""
    monkeypatch.setattr(reviews, "_flag", lambda *_said: 0)
    for n in (9, 7, 7):
        fast(made, n=n)
        assert reviews.screen_new_work(made.pk) == 0
    assert len(looks) == 1


@pytest.mark.slow
def test_nobody_is_looked_at_where_the_process_has_not_looked_at_everybody(made, looks) -> None:
    new_work.forget()
    fast(made)
    assert reviews.screen_new_work(made.pk) == 0
    assert looks == []


@pytest.mark.slow
def test_looks_take_a_tenth_of_the_time(made, looks, monkeypatch) -> None:
    """Neither is at once after the last one, and a suspicion is not forgotten in the meantime."""
    now = [1000.0]
    monkeypatch.setattr(new_work.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(new_work, "SPARING", 10)
    columns = screening.columns(made)
    assert columns is not None
    looks.clear()
    new_work.watch(made.pk, columns, [], took=3.0)
    fast(made)
    assert reviews.screen_new_work(made.pk) == 0  # suspected, too early to look at all
    now[0] += 29
    assert reviews.screen_new_work(made.pk) == 0
    assert looks == []
    now[0] += 2
    assert reviews.screen_new_work(made.pk) == 1
    assert len(looks) == 1


@pytest.mark.slow
def test_a_quick_refresh_looks_at_new_work(made, monkeypatch) -> None:
    for name, value in (("LEAST", 0), ("GROWTH", 1e9), ("PAUSE", 1e9)):
        monkeypatch.setattr(memory, name, value)
    estimating.refresh(made.pk)
    monkeypatch.setattr(estimating, "_estimate", lambda *_facts: pytest.fail("not quick"))
    who = fast(made)
    monkeypatch.setattr(reviews.change_marks, "mark", lambda *_why: None)  # it asks for all facts
    assert estimating.refresh(made.pk)
    assert Flag.objects.get(screen="too_fast").review.annotator == who


@pytest.mark.slow
def test_what_is_watched_is_bounded(made, monkeypatch) -> None:
    columns = screening.columns(made)
    assert columns is not None
    monkeypatch.setattr(new_work, "ROWS", 2 * len(columns.annotator))
    for campaign_id in (-1, -2, -3):
        new_work.watch(campaign_id, columns, [], took=0)
    assert list(new_work._watched) == [-2, -3]
