"""People whom gold or signals list: in the queue, with the reason; nothing waits for a look."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import (
    Appeal,
    Campaign,
    Flag,
    GoldAnswer,
    GoldFinding,
    GoldLook,
    Participation,
    Review,
    Ruling,
    SignalFinding,
)
from annotate.review import eligibility, findings, rulings
from annotate.review import queries as review_queries
from annotate.tasks import look_at_gold, look_at_signals
from tests import reviewed
from tests.annotate.gold.study import do, with_gold
from tests.annotate.review.test_page_signals import ON, close, pasting, rewritten
from tests.factories import campaign, change, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

WHY_GOLD = "5 of 5 tasks with a known answer missed."
WHY_SIGNALS = "Pasted 100\u00a0% of the 540 characters in 6 edits"


def owner() -> User:
    return User.objects.filter(username="ada").first() or user()


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(owner())
    return client


def owned(**changes: Any) -> Campaign:
    return campaign(owner=owner(), is_open=False, items=60, annotator_cap=None, **changes)


def careless(study: Campaign, name: str = "careless", n: int = 25, **asked: Any) -> Participation:
    who = person(study, name)
    for _ in range(n):
        do(who, **({"is_right": False} | asked))
    return who


def later(study: Campaign) -> int:
    GoldLook.objects.filter(campaign=study).update(at=timezone.now() - timedelta(minutes=5))
    return int(look_at_gold())


def found(client: Client, asked: str = "") -> dict[str, list[str]]:
    """Return the reasons of the people in the queue, by pseudonym."""
    rows = client.get(f"/reviews/?{asked}").context["rows"]
    return {one.pseudonym: [f"{title}. {text}" for title, text in why] for one, why in rows}


@pytest.mark.slow
def test_who_misses_gold_waits_in_the_queue_and_works_on(ada: Client) -> None:
    study = with_gold(owned())
    who, other = careless(study), careless(study, "careful", is_right=True)
    assert found(ada) == {}
    assert look_at_gold() == 1
    assert later(study) == 0  # nothing is looked at twice
    (why,) = found(ada).values()
    assert why == [
        f"Gold items. {WHY_GOLD} Of people who work with care, under 0.1\u00a0% miss as many."
    ]
    assert list(found(ada, "screen=gold")) == [who.annotator.pseudonym]
    assert list(found(ada, "tier=list")) == [who.annotator.pseudonym]
    for asked in ("screen=signals", "screen=none", "tier=pause"):
        assert found(ada, asked) == {}, asked
    case = ada.get(f"/reviews/{study.public_id}/{who.annotator.pseudonym}/").content.decode()
    assert WHY_GOLD in case
    assert "they get tasks as before" in case
    assert "Listed: gold items. Nothing was paused." in case
    # Nothing changes for the person, or for the campaign.
    assert do(who) is not None
    assert review_queries.standing_of(who.pk).review is None
    assert not eligibility.waiting(study.pk)
    assert GoldFinding.objects.get(annotator=other.annotator).listed is False


@pytest.mark.slow
def test_cleared_people_are_listed_again_by_new_answers_alone(ada: Client) -> None:
    study = with_gold(owned(), n=30, share=12)
    who = careless(study, n=16)
    careless(study, "careful", is_right=True)
    assert look_at_gold() == 1
    flag = Flag.objects.get()
    assert (flag.screen, flag.tier) == ("gold", "list")
    rulings.rule(flag.review_id, [Ruling.Act.CLEAR], actor_id=owner().pk, reason="")
    for _ in range(3):
        do(who, is_right=True)
    assert later(study) == 0
    assert found(ada) == {}
    for _ in range(20):
        do(who, is_right=False)
    assert later(study) == 1
    assert list(found(ada)) == [who.annotator.pseudonym]
    assert Flag.objects.count() == 2


@pytest.mark.slow
def test_excluded_people_are_not_listed_again(ada: Client) -> None:
    study = with_gold(owned())
    who = careless(study)
    assert look_at_gold() == 1
    review = Review.objects.get()
    rulings.rule(review.pk, [Ruling.Act.EXCLUDE], actor_id=owner().pk, reason="Careless.")
    GoldLook.objects.all().delete()
    assert look_at_gold() == 0
    assert Flag.objects.count() == 1
    assert GoldFinding.objects.get(annotator=who.annotator).listed


@pytest.mark.slow
def test_a_crash_at_any_point_is_made_up_for(ada: Client) -> None:
    """Kept verdicts, flags and the state of the look are written in this order."""
    study = with_gold(owned())
    careless(study)
    look_at_gold()
    GoldLook.objects.all().delete()
    assert look_at_gold() == 0
    assert Flag.objects.count() == 1
    GoldLook.objects.all().delete()
    GoldFinding.objects.all().delete()
    assert look_at_gold() == 0
    assert (Flag.objects.count(), GoldFinding.objects.count()) == (1, 1)
    assert GoldAnswer.objects.count() == 5


@pytest.mark.slow
@pytest.mark.parametrize(("status", "n"), [("closed", 1), ("archived", 0), ("draft", 0)])
def test_gold_is_looked_at_while_work_may_be_confirmed(status: str, n: int) -> None:
    study = with_gold(owned())
    careless(study)
    change(study, status=status, closed_at=timezone.now() - timedelta(days=29))
    assert look_at_gold() == n
    GoldLook.objects.all().delete()
    Flag.objects.all()._raw_delete("default")
    change(study, closed_at=timezone.now() - timedelta(days=31))
    assert look_at_gold() == 0


@pytest.mark.slow
def test_signals_stand_beside_flags_and_are_put_aside(ada: Client) -> None:
    study = campaign(owner=owner(), items=40, screening=ON)
    who, flagged = person(study, "pastes"), person(study, "both")
    for one in (who, flagged):
        rewritten(one)
    reviewed.flagged(flagged)
    look_at_signals()
    mine, theirs = who.annotator.pseudonym, flagged.annotator.pseudonym
    shown = found(ada)
    assert [len(shown[mine]), len(shown[theirs])] == [1, 2]
    assert WHY_SIGNALS in shown[mine][0]
    assert WHY_SIGNALS in shown[theirs][1]
    assert set(found(ada, "screen=signals")) == {mine, theirs}
    assert set(found(ada, "tier=list")) == {mine}
    assert set(found(ada, "tier=pause")) == {theirs}
    assert found(ada, "screen=none") == {}
    case = ada.get(f"/reviews/{study.public_id}/{mine}/").content.decode()
    assert "Listed by signals of the page. Nothing was paused." in case
    for name in (mine, theirs):
        assert ada.post(f"/reviews/{study.public_id}/{name}/signals/").status_code == 302
    assert list(found(ada)) == [theirs]  # who is flagged stays
    assert WHY_SIGNALS not in str(found(ada))
    assert Review.objects.get().status == "open"


@pytest.mark.slow
def test_erased_signals_leave_nobody_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    study = campaign(owner=owner(), items=40, screening=ON)
    who, ruled = person(study, "pastes"), person(study, "ruled")
    for one in (who, ruled):
        rewritten(one)
    look_at_signals()
    (review,) = Review.objects.filter(annotator=ruled.annotator)
    rulings.rule(review.pk, [Ruling.Act.CLEAR], actor_id=owner().pk, reason="")
    assert len(reviewed.waiting(owner().pk)) == 1
    close(study, days=31)
    look_at_signals()
    assert not SignalFinding.objects.exists()
    assert list(Review.objects.all()) == [review]  # a ruling is a fact, and stays
    assert findings.erase_due() == 0


@pytest.mark.slow
def test_one_ruling_for_people_of_every_kind(ada: Client) -> None:
    study = with_gold(owned(screening=ON))
    who = careless(study)
    pastes, flagged = pasting(study), person(study, "flagged")
    reviewed.flagged(flagged)
    look_at_gold()
    look_at_signals()
    names = {one.annotator.pseudonym for one in (who, pastes, flagged)}
    assert set(found(ada)) == names
    keys = [f"{study.public_id}/{name}" for name in sorted(names)]
    sent: dict[str, Any] = {"case": keys, "choice": "exclude"}
    asked = ada.post("/reviews/together/", sent)
    page = asked.content.decode()
    assert "Why: Gold items." in page
    assert "Why: Typing and pasting" in page
    people = {one.key: one for one in asked.context["people"]}
    assert (
        "tasks whose right answer is known"
        in people[keys[sorted(names).index(who.annotator.pseudonym)]].reason
    )
    sent |= {f"reason-{key}": "Not with care." for key in keys} | {
        "confirmed": "1",
        "unopened": "1",
    }
    assert ada.post("/reviews/together/", sent).context["n_done"] == 3
    assert {one.status for one in Review.objects.all()} == {"excluded"}
    assert found(ada) == {}


@pytest.mark.slow
def test_many_gold_answers_take_as_many_queries_as_few() -> None:
    study = with_gold(owned())

    def asked() -> int:
        for model in (GoldLook, GoldFinding):
            model.objects.all().delete()
        with CaptureQueriesContext(connection) as captured:
            look_at_gold()
        return len(captured)

    careless(study, "a", 22, is_right=True)  # some gold among them, however it is drawn
    asked()  # what is kept in the process is read once
    few = asked()
    for name in "bcd":
        careless(study, name, 22, is_right=True)
    assert asked() == few


@pytest.mark.slow
def test_the_same_flag_is_no_flag_of_a_screen_that_pauses(ada: Client) -> None:
    """Somebody listed by gold whom a screen then pauses waits for a ruling, and both are shown."""
    study = with_gold(owned())
    who = careless(study)
    look_at_gold()
    reviewed.flagged(who)
    (why,) = found(ada, "tier=pause").values()
    assert len(why) == 2
    assert Review.objects.get().status == "open"
    assert eligibility.waiting(study.pk)


def test_whoever_is_paused_is_ruled_on_first(ada: Client) -> None:
    study = campaign(owner=owner())
    reviewed.queue(study, 6, ruled=0)
    chosen = Review.objects.order_by("pk")[:3]
    Review.objects.filter(pk__in=[one.pk for one in chosen]).update(
        status="listed", opened_at=timezone.now() - timedelta(days=9)
    )
    Appeal.objects.all().delete()
    rows = [one.status for one, _why in ada.get("/reviews/").context["rows"]]
    assert rows == ["open"] * 3 + ["listed"] * 3
    assert [one.status for one in reviewed.waiting(owner().pk)] == rows
