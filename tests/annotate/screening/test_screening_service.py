"""From stored judgments to columns, from columns to flags: once for the same judgments."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone

from annotate.campaigns.problems import Row
from annotate.models import Annotator, Campaign, ChangeMark, Flag, Judgment, Review, Ruling
from annotate.review import evidence, reviews, rulings
from annotate.screening.screens import SettingsError
from annotate.work import submitting, task
from estimation import refresh
from tests.factories import GOOD, campaign, judge, leased, person, rows, user

pytestmark = [pytest.mark.django_db, pytest.mark.orm]

STORY = " ".join(f"It was the meeting number {n} of the year." for n in range(4))
EDIT = "The council met on Monday, and those were its meetings in that year, it said."


def crowd(made: Campaign, *, people: int = 6, each: int = 10) -> None:
    """Honest people: they take their time, and their levels differ from text to text."""
    for p in range(people):
        who = person(made, f"p{p}")
        for i in range(each):
            level = (1, 0, -1, 1)[(i + p) % 4]
            at = leased(who)
            answer = GOOD | {"overall": level, "fluency": level, "edit": EDIT}
            submitting.submit_judgment(
                at.pk, participation_id=who.pk, raw=answer, active_seconds=40 + i
            )


def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submits come a minute later than they do, so that the page's clock is the shorter one."""
    later = SimpleNamespace(now=lambda: timezone.now() + timedelta(minutes=1))
    monkeypatch.setattr(submitting, "timezone", later)
    monkeypatch.setattr(task, "begin_of", lambda one: one.leased_at)


@pytest.fixture
def made() -> Campaign:
    long = [replace(row, output=f"{row.output} {STORY}") for row in rows(60)]
    return campaign(owner=user(), rows_=long, targets={"overall": 0.01})


def fast(made: Campaign, name: str = "fast", n: int = 9) -> Annotator:
    who = person(made, name)
    for _ in range(n):
        at = leased(who)
        submitting.submit_judgment(at.pk, participation_id=who.pk, raw=GOOD, active_seconds=0.8)
    return who.annotator


@pytest.mark.slow
def test_who_is_too_fast_is_flagged_once(made: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    slow_clock(monkeypatch)
    crowd(made)
    spammer = fast(made)
    assert reviews.screen(made.pk) == 1
    review = Review.objects.get()
    assert (review.annotator, review.status) == (spammer, Review.Status.OPEN)
    verdict = Flag.objects.get(screen="too_fast").verdict
    assert verdict["flagged"]
    assert verdict["n"] == 9
    marks = ChangeMark.objects.count()
    assert reviews.screen(made.pk) == 0
    assert ChangeMark.objects.count() == marks


@pytest.mark.slow
def test_an_estimate_screens_first(made: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    slow_clock(monkeypatch)
    crowd(made)
    fast(made)
    refresh.refresh(made.pk)
    assert Review.objects.count() == 1


def test_without_new_judgments_nothing_is_screened(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(made, people=2, each=2)
    reviews.screen(made.pk)
    monkeypatch.setattr(reviews, "screen_all", lambda *_: pytest.fail("screened again"))
    assert reviews.screen(made.pk) == 0
    judge(person(made, "new"))
    with pytest.raises(pytest.fail.Exception):
        reviews.screen(made.pk)


def test_excluded_work_is_no_yardstick_and_comes_back(made: Campaign) -> None:
    crowd(made, people=2, each=3)
    before = evidence.state(made.pk)
    who = Annotator.objects.get(external_id="p0")
    review = Review.objects.create(
        campaign=made, annotator=who, status=Review.Status.OPEN, opened_at=made.created_at
    )
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=user("bob").pk, reason="Spam.")
    left = evidence.columns(made)
    assert left is not None
    assert who.pk not in left.annotator
    assert evidence.state(made.pk) != before


@pytest.mark.slow
def test_a_campaign_has_thresholds_of_its_own(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_clock(monkeypatch)
    crowd(made)
    fast(made)
    Campaign.objects.update(screening={"timing": {"minimum": 10}, "variation": {"minimum": 30}})
    reviews.screen(made.pk)
    assert not Flag.objects.filter(screen="too_fast").exists()
    Campaign.objects.update(screening={"timing": {"speed": 9}}, screened="")
    with pytest.raises(SettingsError):
        reviews.screen(made.pk)


def test_columns_hold_what_was_asked(made: Campaign) -> None:
    who = person(made)
    judge(who)
    receipt = judge(who, overall=-1, edit=EDIT)
    found = evidence.columns(made)
    assert found is not None
    assert found.levels == (-1, 0, 1)
    assert {name: list(column) for name, column in found.scores.items()} == {
        "fluency": [1, 1],
        "redundancy": [1, 1],
        "overall": [1, -1],
    }
    assert found.edit_distance is not None
    assert found.edit_text is not None
    assert np.isnan(found.edit_distance[0])
    stored = Judgment.objects.get(pk=receipt.judgment_id).response
    assert found.edit_distance[1] == stored["distance"] > 0
    assert found.edit_text[0] == -1
    assert found.edit_text[1] >= 0
    text = Judgment.objects.get(pk=receipt.judgment_id).output.text
    assert found.words[1] == len(text.split())


def test_columns_of_answers_hold_words_that_were_read_and_highlighted() -> None:
    paragraphs = ("Ada Marsh drew the tower in 1913.", "The market is on Mondays.")
    written = [
        Row(item="i", system=name, output=text, input="who drew it", paragraphs=paragraphs)
        for name, text in (("a", "Ada Marsh"), ("b", "Monday"))
    ]
    made = campaign(
        rows_=written,
        instrument="answer_correctness",
        targets={"any_correct": 0.2},
        metrics=(),
    )
    who = person(made)
    span = {"start": 0, "end": 14, "text": "Ada Marsh drew"}
    good = {
        "plausible": True,
        "verdicts": [
            {"value": 1, "spans": [span], "confirmed": True},
            {"value": 0, "spans": []},
        ],
    }
    for raw in (good, {"plausible": False, "verdicts": []}):
        submitting.submit_judgment(leased(who).pk, participation_id=who.pk, raw=raw)
    found = evidence.columns(made)
    assert found is not None
    assert found.highlights is not None
    assert found.verdicts is not None
    texts = Judgment.objects.order_by("pk").values_list("output__text", flat=True)
    assert list(found.words) == [len(texts[0].split()) + 3 + 12, len(texts[1].split()) + 3]
    assert list(found.plausible) == [1, 0]  # type: ignore[arg-type]
    assert list(found.verdicts[0]) == [1, 0]
    assert np.isnan(found.verdicts[1]).all()
    assert found.highlights.tokens == [frozenset({0, 1, 2})]
    assert list(found.highlights.length) == [7]


def test_recorded_judgments_and_empty_campaigns_are_not_screened(made: Campaign) -> None:
    assert evidence.columns(made) is None
    assert reviews.screen(made.pk) == 0


def test_as_many_others_left_out_is_another_state(made: Campaign) -> None:
    """One is taken back while another of as many judgments is left out."""
    crowd(made, people=3, each=4)
    people = list(Annotator.objects.order_by("pk")[:2])
    out = [
        Review.objects.create(campaign=made, annotator=one, status="open", opened_at=timezone.now())
        for one in people
    ]
    states = set()
    for excluded in out:
        Review.objects.update(status="cleared")
        Review.objects.filter(pk=excluded.pk).update(status="excluded")
        states.add(evidence.state(made.pk))
    assert len(states) == 2


def test_columns_do_not_depend_on_the_parts_in_which_they_are_read(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(made, people=3, each=5)
    whole = evidence.columns(made)
    monkeypatch.setattr(evidence, "CHUNK", 4)
    parts = evidence.columns(made)
    assert whole is not None
    assert parts is not None
    for name in ("annotator", "output", "item", "order", "seconds", "words", "edit_distance"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    np.testing.assert_equal(parts.scores, whole.scores)
    # Everybody sent the same edit: it has one label in all parts.
    assert parts.edit_text is not None
    assert np.unique(parts.edit_text[parts.edit_text >= 0]).size == 1
