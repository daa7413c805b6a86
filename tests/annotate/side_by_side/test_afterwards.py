"""What exports and reviewers are told of the pages on which texts stood side by side."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import exports
from annotate.models import Assignment, Campaign, Output, Participation
from annotate.review import evidence
from tests.annotate.researcher import owner_of
from tests.annotate.side_by_side.studies import seen, study, work
from tests.factories import campaign, judge, person
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def done() -> tuple[Campaign, list[Participation]]:
    """Two people have rated the same two items of five texts each."""
    made = study(items=2, systems="ABCDE", double_share=1)
    people = [person(made, name) for name in ("one", "two")]
    for who in people:
        assert len(work(who)) == 10
    return made, people


def pages(who: Participation) -> dict[int, list[str]]:
    """Return the texts of this person's pages, by output, as the page itself shows them."""
    mine = Assignment.objects.filter(participation=who).select_related("output__item", "gold")
    return {one.output_id: [text.text for text in seen(one)] for one in mine}


def test_an_export_tells_the_order_of_each_page(done, django_assert_num_queries):
    made, people = done
    texts = dict(Output.objects.values_list("pk", "text"))
    shown = {who.annotator.pseudonym: pages(who) for who in people}
    now = exports.moment(made.pk)
    with django_assert_num_queries(4):  # definition, orders, judgments, scores
        rows = list(exports.judgments(now))
    assert len(rows) == 20
    for row in rows:
        assert [texts[one] for one in row["page"]] == shown[row["annotator"]][row["output"]]
    assert len({row["page"] for row in rows}) == 4  # two people, two items


def test_a_text_that_stood_alone_has_no_page():
    made = campaign()
    judge(person(made))
    (row,) = exports.judgments(exports.moment(made.pk))
    assert row["page"] is None


def test_a_reviewer_sees_the_page_of_the_annotator_under_review(done, django_assert_num_queries):
    made, people = done
    for who in people:
        work_of = evidence.work(made, who.annotator_id)
        with django_assert_num_queries(3):
            found = work_of.page(1)
        mine = pages(who)
        for one in found:
            page = one.material.side_by_side
            assert [text.text for text in page] == mine[one.mine.output_id]
            assert [text.text for text in page if text.is_rated] == [one.material.text]


def test_the_case_shows_these_texts(ada: Client) -> None:
    made = study(items=1, systems="ABCDE", owner=owner_of(ada))
    who = person(made)
    work(who)
    review = flagged(who)
    names = [made.public_id, review.annotator.pseudonym]
    html = ada.get(reverse("annotate:review", args=names)).content.decode()
    assert html.count("The 5 texts on this person’s page, as they stood there") == 5
    assert html.count('<li class="rated">') == 5
