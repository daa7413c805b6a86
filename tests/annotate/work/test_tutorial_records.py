"""First answers in the tutorial, for reviewers and screens."""

import pytest

from annotate.models import Participation
from annotate.work import tutorial_queries
from tests.annotate.passing import answer_all
from tests.factories import campaign, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign(tutorial=True))


@pytest.mark.slow
def test_each_ended_round_is_told_with_its_time(who: Participation) -> None:
    answer_all(who, wrongly=3)
    answer_all(who, wrongly=1, but=2)
    (first,) = tutorial_queries.tutorial_records_of(who.campaign_id)[who.annotator_id]
    assert (first.number, first.right, first.asked, first.mark, first.passed) == (
        1,
        8,
        11,
        9,
        False,
    )
    assert (first.seconds, first.minutes) == (90.0, "1.5")  # with four examples
    answer_all(who)
    rounds = tutorial_queries.tutorial_records_of(who.campaign_id)[who.annotator_id]
    assert [(one.right, one.passed) for one in rounds] == [(8, False), (10, True)]


def test_a_round_in_another_study_counts_and_other_people_do_not(who: Participation) -> None:
    answer_all(who)
    again = person(campaign(name="Again", tutorial=True))
    other = person(campaign(name="Other", tutorial=True), "somebody else")
    assert len(tutorial_queries.tutorial_records_of(again.campaign_id)[who.annotator_id]) == 1
    assert tutorial_queries.tutorial_records_of(other.campaign_id) == {}
    assert tutorial_queries.tutorial_records_of(other.campaign_id, [other.annotator_id]) == {}


def test_all_people_cost_two_queries(who, django_assert_num_queries) -> None:
    answer_all(who)
    with django_assert_num_queries(2):
        tutorial_queries.tutorial_records_of(who.campaign_id)
