"""Appeals against one's own ruling: somebody else answers, or the pages say that nobody can."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.common.errors import Conflict
from annotate.models import Appeal, Review, Ruling
from annotate.review import appeals, effects, rulings
from annotate.review import queries as review_queries
from tests import reviewed
from tests.annotate.researcher import owner_of
from tests.factories import campaign, person
from tests.reviewed import at, joined, logged_in, own_page, rule, text

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act
OTHERS = "against your own ruling"


@pytest.fixture
def review(ada: Client) -> Review:
    return reviewed.case(owner_of(ada))


@pytest.fixture
def bob(review: Review) -> User:
    return joined(review.campaign, "bob")


def appeal(review: Review) -> Appeal:
    return appeals.make(review.campaign_id, review.annotator_id, text="I read fast.")


# ---- somebody else answers -------------------------------------------------------------------

ROADS = ("rule", "page", "dismiss", "page-dismiss", "everywhere", "api", "api-dismiss")


def answered(road: str, review: Review, actor: User) -> bool:
    """Try to answer by this road; return whether it was taken."""
    client, api = logged_in(actor), APIClient()
    api.force_login(actor)
    seen = review.rulings.order_by("-pk").first()
    numbers = {"reason": "No.", "seen": seen.pk if seen else 0}
    base = f"/api/v1/campaigns/{review.campaign.public_id}/reviews/{review.annotator.pseudonym}/"
    try:
        if road == "rule":
            rule(review, actor, Act.RESTORE)
        elif road == "dismiss":
            appeals.dismiss(review.pk, actor_id=actor.pk, answer="No.")
        elif road == "page":
            client.post(at(review, "rule"), {"choice": "restore", **numbers})
        elif road == "page-dismiss":
            client.post(at(review, "dismiss"), {"answer": "No."})
        elif road == "everywhere":
            name, campaign_ = review.annotator.pseudonym, review.campaign.public_id
            body = {"campaign": [campaign_], "choice": "restore", "reason": "x"}
            body |= {f"seen-{campaign_}": numbers["seen"], "unopened": "1"}
            client.post(reverse("annotate:review-everywhere", args=[name]), body)
        elif road == "api":
            api.post(f"{base}rule/", {"acts": ["restore"], **numbers}, format="json")
        else:
            api.post(f"{base}dismiss/", {"answer": "No."}, format="json")
    except Conflict as refused:
        return refused.code != "own_ruling"
    return Appeal.objects.get().answered_at is not None


@pytest.mark.parametrize("road", ROADS)
def test_nobody_answers_the_appeal_against_their_own_ruling(
    ada: Client, review: Review, bob: User, road: str
) -> None:
    rule(review, bob, Act.EXCLUDE)
    appeal(review)
    assert not answered(road, review, bob)
    assert Review.objects.get().status == "excluded"
    assert answered(road, review, owner_of(ada))
    assert not Appeal.objects.get().own_ruling


def test_the_page_says_who_answers_and_offers_no_ruling(
    ada: Client, review: Review, bob: User
) -> None:
    joined(review.campaign, "Carol")
    rule(review, bob, Act.EXCLUDE)
    appeal(review)
    page = text(logged_in(bob).get(at(review)))
    assert 'id="left-to-others"' in page
    assert "It can be answered by ada or by Carol." in page
    assert 'name="choice"' not in page
    assert "Dismiss the appeal" not in page
    assert 'name="choice"' in text(ada.get(at(review)))
    typed = {"choice": "restore", "reason": "I was wrong.", "seen": 0}
    seen = review.rulings.order_by("-pk")[0].pk
    refused = logged_in(bob).post(at(review, "rule"), typed | {"seen": seen})
    assert refused.status_code == 409


@pytest.mark.slow
def test_what_others_answer_is_last_in_the_queue_and_not_counted(
    ada: Client, review: Review, bob: User
) -> None:
    rule(review, bob, Act.EXCLUDE)
    appeal(review)
    second = reviewed.flagged(reviewed.spammer(review.campaign, "second"))
    mine, theirs = logged_in(bob).get("/reviews/"), ada.get("/reviews/")
    assert "Review&nbsp;(1)" in text(mine)
    assert "Review: 1 waits for a ruling or a look" in text(mine)
    assert "Against your ruling: somebody else answers it" in text(mine)
    assert "Review&nbsp;(2)" in text(theirs)
    order = [row.pseudonym for row, _flags in mine.context["rows"]]
    assert order == [second.annotator.pseudonym, review.annotator.pseudonym]
    case = logged_in(bob).get(at(second))
    assert case.context["next"] is case.context["previous"] is None
    api = APIClient()
    api.force_login(bob)
    listed = api.get("/api/v1/reviews/").json()["results"]
    assert [one["others_answer"] for one in listed] == [False, True]


def test_against_a_flag_or_a_ruling_of_the_past_everybody_answers(
    ada: Client, review: Review, bob: User
) -> None:
    appeal(review)
    assert review_queries.who_may_answer(review.pk).rulers == frozenset()
    rule(review, bob, Act.EXCLUDE)
    rule(review, owner_of(ada), Act.RESTORE)
    rule(review, owner_of(ada), Act.EXCLUDE)
    assert review_queries.who_may_answer(review.pk).rulers == {owner_of(ada).pk}
    appeal(review)
    rule(review, bob, Act.RESTORE)
    assert Appeal.objects.order_by("-pk")[0].upheld


@pytest.mark.parametrize(
    ("acts", "left"),
    [
        ([(0, Act.EXCLUDE, Act.REFUSE)], {0}),
        ([(0, Act.EXCLUDE), (1, Act.REFUSE)], {0, 1}),
        ([(0, Act.EXCLUDE, Act.REFUSE), (1, Act.REPAY)], {0}),
        ([(0, Act.EXCLUDE), (1, Act.REFUSE), (1, Act.REPAY)], {0}),
        ([(0, Act.EXCLUDE, Act.BLOCK), (1, Act.RESTORE)], {0}),
        ([(0, Act.EXCLUDE), (1, Act.BLOCK), (0, Act.RESTORE)], {1}),
        ([(0, Act.EXCLUDE, Act.BLOCK), (1, Act.RESTORE, Act.UNBLOCK)], set()),
        ([(0, Act.EXCLUDE, Act.REFUSE), (1, Act.RESTORE)], set()),
    ],
)
def test_whose_rulings_are_in_force(
    ada: Client, review: Review, bob: User, acts: list[Any], left: set[int]
) -> None:
    people = [owner_of(ada), bob]
    for who, *done in acts:
        rule(review, people[who], *done)
    assert review_queries.who_may_answer(review.pk).rulers == {people[who].pk for who in left}


def test_a_block_that_another_campaign_lifted_is_nobodys_ruling_any_more(
    ada: Client, review: Review, bob: User
) -> None:
    owner = owner_of(ada)
    rule(review, owner, Act.EXCLUDE)
    rule(review, bob, Act.BLOCK)
    other = campaign(owner=owner)
    who = person(other, "spammer")
    rulings.rule_on_person(
        other.pk, who.annotator_id, [Act.UNBLOCK], actor_id=owner.pk, reason="", seen=0
    )
    assert review_queries.who_may_answer(review.pk).rulers == {owner.pk}


# ---- nobody else can -------------------------------------------------------------------------


@pytest.mark.parametrize("dismissed", [True, False])
def test_where_nobody_else_reviews_both_pages_say_so_and_it_is_counted(
    ada: Client, review: Review, dismissed: bool
) -> None:
    owner = owner_of(ada)
    rule(review, owner, Act.EXCLUDE)
    assert "There is no other reviewer, so the person who decided reads it" in own_page(review)
    appeal(review)
    page = text(ada.get(at(review)))
    assert 'id="own-ruling"' in page
    assert "Invite a reviewer</a>" in page
    if dismissed:
        appeals.dismiss(review.pk, actor_id=owner.pk, answer="We looked.")
    else:
        rule(review, owner, Act.RESTORE)
    assert Appeal.objects.get().own_ruling
    said = "The person who had decided gave this answer, because there was no other reviewer."
    assert said in own_page(review)
    assert "Answered by the reviewer who made the ruling" in text(ada.get(at(review)))
    assert effects.ruling_statistics_of(review.campaign_id).own_appeals == 1


def test_somebody_who_cannot_log_in_is_nobody_else(ada: Client, review: Review, bob: User) -> None:
    rule(review, owner_of(ada), Act.EXCLUDE)
    assert "Somebody other than the person who decided reads it" in own_page(review)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert "There is no other reviewer" in own_page(review)
    appeal(review)
    assert answered("rule", review, owner_of(ada))


def test_a_reviewer_who_comes_later_answers_instead(ada: Client, review: Review) -> None:
    rule(review, owner_of(ada), Act.EXCLUDE)
    appeal(review)
    assert not review_queries.who_may_answer(review.pk).bars(owner_of(ada).pk)
    carol = joined(review.campaign, "carol")
    assert not answered("rule", review, owner_of(ada))
    assert answered("dismiss", review, carol)
    assert not Appeal.objects.get().own_ruling
