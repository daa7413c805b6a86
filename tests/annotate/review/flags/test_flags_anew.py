"""A look at everybody fires again for people who are flagged already; nobody waits for that."""

from itertools import product

import pytest
from django.db import transaction

from annotate.models import Review, Ruling
from annotate.review import reviews, rulings
from annotate.screening.base import LISTED, PAUSED, Verdict
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
FOUND = list(product(("too_fast", "no_variation"), (LISTED, PAUSED)))


def fired(who: int, screen: str, tier: str) -> Verdict:
    return Verdict(screen, who, True, 3.0, None, None, 10.0, 6, True, tier=tier)


def ruled(study, who, by: int, acts: list[str]) -> None:
    review = Review.objects.get(campaign=study, annotator=who.annotator)
    for act in acts:
        last = review.rulings.order_by("pk").values_list("pk", flat=True).last() or 0
        rulings.rule(review.pk, [Ruling.Act[act]], actor_id=by, reason="Seen.", seen=last)


@pytest.fixture
def study():
    """People in all states: never flagged, listed, paused, cleared, excluded, restored."""
    owner = user()
    made = campaign(owner=owner, items=30)
    people = [person(made, f"p{i}") for i in range(9)]
    for who in people:
        judge(who)
    for who, (screen, tier) in zip(people[1:5], FOUND, strict=True):
        reviews.flag(made.pk, who.annotator_id, [fired(who.annotator_id, screen, tier)])
    for who, acts in zip(
        people[5:], (["CLEAR"], ["EXCLUDE"], ["EXCLUDE", "RESTORE"], ["CLEAR"]), strict=True
    ):
        reviews.flag(made.pk, who.annotator_id, [fired(who.annotator_id, *FOUND[1])])
        ruled(made, who, owner.pk, acts)
    last = people[-1].annotator_id
    reviews.flag(made.pk, last, [fired(last, *FOUND[2])])
    return made, people


@pytest.mark.parametrize("kind", FOUND)
def test_what_is_new_is_what_a_flag_would_say(study, kind):
    made, people = study
    for who in people:
        one = fired(who.annotator_id, *kind)
        news = reviews._news(made.pk, [one])
        with transaction.atomic():
            said = reviews.flag(made.pk, who.annotator_id, [one])
            transaction.set_rollback(True)
        assert [each.screen for each in news] == said, who.pk


def test_it_takes_as_many_queries_for_one_as_for_many(study, django_assert_num_queries):
    made, people = study
    for some in (people[1:2], people[1:6]):
        with django_assert_num_queries(2):
            reviews._news(made.pk, [fired(who.annotator_id, *FOUND[0]) for who in some])
