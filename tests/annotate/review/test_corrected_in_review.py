"""A reviewer sees answers that their annotator corrected, marked, beside the later ones."""

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Judgment
from annotate.review import evidence, evidence_views
from annotate.work import submitting
from tests import reviewed
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

MARK, LATER = "Corrected, the later one counts", "The later one, counts"
BEFORE = {"fluency": -1, "redundancy": 1, "overall": -1, "edit": "The council met on Monday."}
AFTER = {"fluency": 1, "redundancy": 1, "overall": 1}


def corrected(one: Judgment, times: int = 1) -> Judgment:
    """Correct a judgment several times, as the worst and then the best; return the last answer."""
    for response in (BEFORE, AFTER) * times:
        one = Judgment.objects.get(pk=submitting.supersede(one.pk, response=response))
    return one


def seen(client: Client, review) -> tuple[str, int]:
    address = reverse(
        "annotate:review", args=[review.campaign.public_id, review.annotator.pseudonym]
    )
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode()), len(captured)


@pytest.mark.slow
def test_both_answers_stand_on_the_case_page_and_the_later_one_counts(client: Client) -> None:
    client.force_login(ada := user())
    review = reviewed.case(ada)
    mine = Judgment.objects.filter(campaign=review.campaign, annotator=review.annotator)
    seen(client, review)  # that the case was opened is noted once
    page, before = seen(client, review)
    assert MARK not in page
    assert LATER not in page
    for one in mine:
        corrected(one)
    work = evidence.work(review.campaign, review.annotator_id)
    assert work.all[0].earlier == ()  # what is compared has no earlier answers
    _output, lines = evidence_views.compared(work, 1)[0]
    own = [line for line in lines if not line.name]
    assert [line.standing for line in own] == ["correction", "superseded", "superseded"]
    assert [line.counts for line in own] == [True, False, False]
    # The latest of the earlier answers is first, and nothing in it stands apart from others'.
    fluency = work.questions[0]
    assert [line.cells[0].text for line in own[:2]] == [fluency.said(1), fluency.said(-1)]
    assert own[1].diff
    assert not any(cell.off for line in own[1:] for cell in line.cells)
    assert lines[0].n_apart == sum(cell.off for cell in own[0].cells)
    page, after = seen(client, review)
    assert page.count(LATER) == len(work.page(1))
    assert page.count(MARK) == 2 * len(work.page(1))
    assert "This person’s earlier edit" in page
    assert after == before


def test_the_corrections_of_others_are_marked_too(client: Client) -> None:
    client.force_login(ada := user())
    review = reviewed.case(ada)
    work = evidence.work(review.campaign, review.annotator_id)
    shared = next(one for one in work.page(1) if one.others)
    other = Judgment.objects.get(pk=shared.others[0].id)
    corrected(other)
    lines = [
        line
        for _output, lines in evidence_views.compared(
            evidence.work(review.campaign, review.annotator_id), 1
        )
        for line in lines
        if line.name == other.annotator.pseudonym and line.standing
    ]
    assert [line.standing for line in lines] == ["correction", "superseded", "superseded"]
    page, _queries = seen(client, review)
    assert page.count(MARK) == 2


def test_earlier_answers_of_people_who_are_not_shown_are_not_shown(client: Client) -> None:
    """Work that is left out of the comparison does not come back by its corrections."""
    client.force_login(ada := user())
    review = reviewed.case(ada)
    shared = next(
        one for one in evidence.work(review.campaign, review.annotator_id).page(1) if one.others
    )
    other = Judgment.objects.get(pk=shared.others[0].id)
    corrected(other)
    type(other.assignment).objects.filter(annotator=other.annotator).update(status="submitted")
    page, _queries = seen(client, review)
    assert MARK not in page
