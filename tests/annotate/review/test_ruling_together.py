"""One ruling on several people: what is shown before, what happens, and what a repetition does."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Exclusion, Membership, Review, Ruling
from annotate.review import rulings
from tests import reviewed
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def owner() -> User:
    return User.objects.get(username="ada")


@pytest.fixture
def three(ada: Client) -> list[Review]:
    """Three flagged people with work in one campaign."""
    made = reviewed.study(owner())
    return [reviewed.flagged(reviewed.spammer(made, f"s{i}", n=2)) for i in range(3)]


def key(review: Review) -> str:
    return f"{review.campaign.public_id}/{review.annotator.pseudonym}"


def ask(client: Client, chosen: list[Review], code: str = "exclude") -> Any:
    return client.post("/reviews/together/", {"case": [*map(key, chosen)], "choice": code})


def confirm(client: Client, asked: Any, **changes: str) -> Any:
    """Send the form of the page that asks, as it stands, for cases opened or not."""
    people = asked.context["people"]
    form: dict[str, Any] = {
        "confirmed": "1",
        "unopened": "1",
        "choice": asked.context["choice"].code,
        "case": [one.key for one in people],
    }
    for one in people:
        form[f"reason-{one.key}"] = one.reason
        form[f"seen-{one.key}"] = str(one.case.seen)
    return client.post("/reviews/together/", form | changes)


def statuses(reviews: list[Review]) -> list[str]:
    return [Review.objects.get(pk=one.pk).status for one in reviews]


@pytest.mark.slow
def test_nothing_happens_before_the_confirmation(ada: Client, three: list[Review]) -> None:
    asked = ask(ada, three)
    assert statuses(three) == ["open"] * 3
    assert not Ruling.objects.exists()
    html = asked.content.decode()
    for one in three:
        assert one.annotator.pseudonym in html
    assert html.count("They are paid in full") == 3
    assert [one.reason.startswith("We noticed this") for one in asked.context["people"]] == [
        True
    ] * 3


@pytest.mark.slow
def test_each_gets_a_ruling_with_the_own_answer(ada: Client, three: list[Review]) -> None:
    asked = ask(ada, three)
    second = asked.context["people"][1].key
    done = confirm(ada, asked, **{f"reason-{second}": "Only you get this."})
    assert statuses(three) == ["excluded"] * 3
    told = [Ruling.objects.get(review=one).reason for one in three]
    assert told[1] == "Only you get this."
    assert told[0] == told[2] != told[1]
    assert done.context["n_done"] == 3
    assert done.content.decode().count("2 judgments left the estimates.") == 3


@pytest.mark.slow
def test_a_repetition_changes_nothing_and_says_so(ada: Client, three: list[Review]) -> None:
    asked = ask(ada, three)
    confirm(ada, asked)
    before = (Ruling.objects.count(), Exclusion.objects.count())
    again = confirm(ada, asked)
    assert (Ruling.objects.count(), Exclusion.objects.count()) == before
    assert [outcome.again for _case, outcome, _text in again.context["people"]] == [True] * 3
    assert again.content.decode().count("Done before") == 3


def test_one_who_was_ruled_on_meanwhile_does_not_stop_the_others(
    ada: Client, three: list[Review]
) -> None:
    asked = ask(ada, three)
    bo = user("bo")
    Membership.objects.create(campaign=three[0].campaign, user=bo, role="reviewer")
    rulings.rule(three[1].pk, [Ruling.Act.CLEAR], actor_id=bo.pk, reason="", seen=0)
    done = confirm(ada, asked)
    assert statuses(three) == ["excluded", "cleared", "excluded"]
    assert (done.context["n_done"], done.context["n_left"]) == (2, 1)
    assert "bo has ruled on this annotator meanwhile" in done.content.decode()


@pytest.mark.slow
def test_a_missing_answer_stops_that_person_alone(ada: Client, three: list[Review]) -> None:
    asked = ask(ada, three)
    first = asked.context["people"][0].key
    done = confirm(ada, asked, **{f"reason-{first}": " "})
    assert statuses(three) == ["open", "excluded", "excluded"]
    assert "Give the reason" in done.content.decode()


def test_people_of_others_are_not_found(ada: Client, three: list[Review]) -> None:
    reviewed.queue(campaign(owner=user("cy")), 1, ruled=0)
    theirs = Review.objects.get(campaign__memberships__user__username="cy")
    assert [one.case.review.pk for one in ask(ada, [theirs, three[0]]).context["people"]] == [
        three[0].pk
    ]
    form = {
        "confirmed": "1",
        "choice": "exclude",
        "case": key(theirs),
        f"reason-{key(theirs)}": "x",
    }
    ada.post("/reviews/together/", form)
    theirs.refresh_from_db()
    assert theirs.status == "open"


def test_rights_are_asked_for_each_person_at_the_time_of_the_ruling(
    ada: Client, three: list[Review]
) -> None:
    bo = user("bo")
    membership = Membership.objects.create(campaign=three[0].campaign, user=bo, role="reviewer")
    ada.force_login(bo)
    asked = ask(ada, three)
    membership.delete()
    confirm(ada, asked)
    assert statuses(three) == ["open"] * 3


@pytest.mark.slow
def test_what_does_not_fit_is_left_and_named(ada: Client, three: list[Review]) -> None:
    rulings.rule(three[0].pk, [Ruling.Act.EXCLUDE], actor_id=owner().pk, reason="Copied.", seen=0)
    asked = ask(ada, three)
    assert [one.case.review.pk for one in asked.context["people"]] == [three[1].pk, three[2].pk]
    assert [one.why_not for one in asked.context["others"]] == ["The work is excluded already."]
    back = ask(ada, three, "restore")
    assert [one.case.review.pk for one in back.context["people"]] == [three[0].pk]
    confirm(ada, back)
    assert statuses(three) == ["cleared", "open", "open"]


@pytest.mark.slow
def test_one_block_holds_in_all_campaigns_and_is_made_once(ada: Client) -> None:
    both = []
    for name in ("News", "Sports"):
        made = reviewed.study(owner(), name=name)
        both.append(reviewed.flagged(reviewed.spammer(made, "same", n=2)))
    asked = ask(ada, both, "exclude-block")
    done = confirm(ada, asked)
    assert statuses(both) == ["excluded"] * 2
    assert done.context["n_left"] == 0
    again = confirm(ada, asked)
    assert [outcome.again for _case, outcome, _text in again.context["people"]] == [True] * 2


def test_pay_is_refused_one_person_at_a_time(ada: Client, three: list[Review]) -> None:
    answer = ask(ada, three, "exclude-refuse")
    assert answer.status_code == 302
    assert statuses(three) == ["open"] * 3


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"case": "x"},
        {"choice": "exclude"},
        {"case": ["/", "a/b/c", "\0/x", "é" * 400], "choice": "exclude", "confirmed": "1"},
        {"case": ["a/b"] * 500, "choice": "exclude", "list": "page=9&sort=%00&show=x&rows=7"},
    ],
)
def test_odd_forms_do_nothing(ada: Client, three: list[Review], form: dict[str, Any]) -> None:
    assert ada.post("/reviews/together/", form).status_code in (200, 302, 400)
    assert ada.get("/reviews/together/").status_code == 302
    assert statuses(three) == ["open"] * 3


def test_asking_takes_as_many_queries_for_many_people_as_for_few(ada: Client) -> None:
    made = campaign(owner=owner())
    reviewed.queue(made, 90, ruled=0)
    found = list(Review.objects.select_related("campaign", "annotator"))
    counts = []
    for n in (2, 90):
        with CaptureQueriesContext(connection) as queries:
            assert ask(ada, found[:n]).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
