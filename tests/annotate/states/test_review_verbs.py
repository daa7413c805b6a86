"""Every ruling and flag against every state of a review."""

from dataclasses import replace

import pytest

from annotate.models import (
    Review,
    Ruling,
)
from annotate.review import reviews, rulings
from tests.annotate.states import standing
from tests.annotate.states.trying import Moves, Verb, cases, check, done
from tests.reviewed import fired

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


LISTING = replace(fired("too_uniform"), tier="list")


def ruling(act: Ruling.Act) -> Verb:
    def rule(review: Review) -> list[Ruling]:
        owner = review.campaign.memberships.get().user_id
        return rulings.rule(review.pk, [act], actor_id=owner, reason="Too fast to have read it.")

    return rule


OF_REVIEW: dict[str, tuple[Verb, Moves]] = {
    "clear": (ruling(Ruling.Act.CLEAR), dict.fromkeys(("open", "listed"), "cleared")),
    "exclude": (
        ruling(Ruling.Act.EXCLUDE),
        dict.fromkeys(("open", "listed", "cleared"), "excluded"),
    ),
    "restore": (ruling(Ruling.Act.RESTORE), {"excluded": "cleared"}),
    "refuse": (ruling(Ruling.Act.REFUSE), {}),
    "repay": (ruling(Ruling.Act.REPAY), {}),
    "block": (ruling(Ruling.Act.BLOCK), {}),
    "unblock": (ruling(Ruling.Act.UNBLOCK), {}),
    "flag": (
        lambda one: reviews.flag(one.campaign_id, one.annotator_id, [fired("too_uniform")]),
        dict.fromkeys(("cleared", "listed"), "open"),
    ),
    "list": (
        lambda one: reviews.flag(one.campaign_id, one.annotator_id, [LISTING]),
        {"cleared": "listed"},
    ),
    "flag_again": (
        lambda one: reviews.flag(one.campaign_id, one.annotator_id, [fired()]),
        {},
    ),
}


@pytest.mark.parametrize(("verb", "state", "to"), cases(OF_REVIEW, Review.Status))
def test_reviews(verb: Verb, state: str, to: str):
    check(verb, standing.a_review(state), to)


def test_excluded_work_gathers_no_further_flags():
    review = standing.a_review("excluded")
    found = reviews.flag(review.campaign_id, review.annotator_id, [fired("too_uniform")])
    assert found == []
    assert review.flags.count() == 1


@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("state", Review.Status.values)
@pytest.mark.parametrize("act", [Ruling.Act.REFUSE, Ruling.Act.REPAY, Ruling.Act.RESTORE])
def test_pay_is_refused_and_restored_for_excluded_work_only(act, state, refused):
    review = standing.a_review(state)
    if refused and state == "excluded":
        assert done(ruling(Ruling.Act.REFUSE), review)
    review.refresh_from_db()
    was = review.pay_refused
    seen_last = review.rulings.order_by("-pk").values_list("pk", flat=True).first() or 0
    owner = review.campaign.memberships.get().user_id
    said = done(
        lambda one: rulings.rule(one.pk, [act], actor_id=owner, reason="Because.", seen=seen_last),
        review,
    )
    review.refresh_from_db()
    changes = act == Ruling.Act.REFUSE if not was else act != Ruling.Act.REFUSE
    assert review.pay_refused == (was ^ (changes and state == "excluded"))
    assert said == (state == "excluded" and (changes or act == Ruling.Act.RESTORE))
