"""The tutorial at the address of the work, as a browser meets it."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, Participation, TutorialAnswer, TutorialRun
from annotate.work import tutorial_queries
from tests.annotate.passing import after_guide, answer_all, pass_tutorial, right, tutorial_of, wrong
from tests.annotate.work.pages.test_work_pages import invitation, work_data, work_url
from tests.factories import campaign, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign(tutorial=True))


def post(client: Client, who: Participation, *, token: str | None = None, **changes: object):
    tutorial = after_guide(who)
    first = tutorial.questions[0]
    body = {"version": tutorial.version, "question": first.key, "response": right(first)}
    token = tokens.participation_token(who.pk) if token is None else token
    return answer_to(client, token, **{**body, **changes})


def answer_to(client: Client, token: str, **body: object):
    return client.post(
        reverse("annotate:tutorial-answer"),
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def test_the_page_asks_the_question_and_gives_no_answer_away(client, who):
    guide = tutorial_of(who).questions[0]
    assert work_data(client, work_url(who))["tutorial"]["question"] == guide.key
    opening = client.get(work_url(who)).content.decode()
    assert "Worked example · Fluency" in opening
    assert "you pass with 9 of 11 right" in opening
    assert "this study ends here for you" in opening
    assert "you are still paid $0.25, once, unless your answers come faster" in opening
    question = after_guide(who).questions[0]
    data = work_data(client, work_url(who))
    assert data["tutorial"]["question"] == question.key
    assert data["assignment"] is None
    page = client.get(work_url(who)).content.decode()
    assert 'data-opens="instructions"' in page
    assert question.prompt in page
    assert "Question 1 of 11 · Fluency" in page
    assert not any(said in page for said in question.feedback.values())
    assert "accepted" not in page
    assert TutorialRun.objects.count() == 1
    assert not Assignment.objects.exists()


def test_an_answer_is_graded_with_its_reason(client, who):
    first = after_guide(who).questions[0]
    answer = post(client, who, response=wrong(first), active_seconds=3)
    assert answer.json() == {
        "correct": False,
        "feedback": [first.feedback[str(wrong(first)["value"])]],
        "paragraphs": [],
        "passed": False,
        "promised": "",
        "due": "",
        "ended": "",
    }
    second = after_guide(who).questions[1]
    rest = {"question": second.key, "response": right(second), "active_seconds": "long"}
    assert post(client, who, **rest).json()["correct"]
    seconds = TutorialAnswer.objects.order_by("pk").values_list("active_seconds", flat=True)
    assert list(seconds)[1:] == [3, None]


def test_the_last_answer_tells_what_is_promised(client, who):
    pass_tutorial(who, but=1)
    last = tutorial_of(who).questions[-1]
    answer = post(client, who, question=last.key, response=right(last)).json()
    assert answer["passed"]
    assert answer["promised"] == "A bonus of $0.75 is promised to you."
    assert answer["due"] == (
        "You get the bonus after 3 accepted tasks, or earlier if there are no more for you."
    )
    assert work_data(client, work_url(who))["assignment"]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"token": "forged"}, 401, "token"),
        ({"version": "0-old"}, 409, "stale_version"),
        ({"version": 1}, 400, "not_an_answer"),
        ({"question": None}, 400, "not_an_answer"),
        ({"question": "no-such"}, 404, "not_found"),
        ({"round": 2}, 409, "stale_version"),
        ({"response": "yes"}, 422, "invalid"),
        ({"response": {}}, 422, "invalid"),
    ],
)
def test_what_cannot_be_graded_is_refused(client, who, changes, status, code):
    answer = post(client, who, **changes)
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert TutorialAnswer.objects.count() == 1, "only the guide was read"


@pytest.mark.slow
def test_a_failed_round_is_told_and_then_the_kind_end(client, who):
    answer_all(who, wrongly=3, but=1)
    last = tutorial_of(who).questions[-1]
    told = post(client, who, question=last.key, response=right(last)).json()
    assert (told["passed"], told["ended"]) == (
        False,
        "8 of 11 first answers were right, and 9 are needed. "
        "You may try once more, with other questions.",
    )
    page = client.get(work_url(who)).content.decode()
    assert "In the first, 8 of 11 were right." in page
    assert "Question 1 of 11" in page
    graded = answer_all(who, wrongly=3)
    assert graded.failed.number == 2
    data = work_data(client, work_url(who))
    assert (data["finished"]["reason"], data["finished"]["final"]) == ("tutorial_failed", True)
    assert "Thank you for trying" in data["finished"]["message"]


def test_questions_come_in_their_order(client, who):
    later = after_guide(who).questions[1]
    answer = post(client, who, question=later.key, response=right(later))
    assert (answer.status_code, answer.json()["error"]) == (409, "out_of_order")


def test_a_campaign_without_a_tutorial_takes_no_answers(client):
    who = person(campaign(tutorial=True))
    other = person(campaign())
    answer = post(client, who, token=tokens.participation_token(other.pk))
    assert answer.status_code == 404


def test_a_closed_study_offers_no_tutorial(client, who):
    life.close(who.campaign_id, reason="hand")
    data = work_data(client, work_url(who))
    assert "tutorial" not in data
    assert not TutorialRun.objects.exists()


def test_the_landing_page_tells_of_the_tutorial_where_there_is_one(client):
    made = campaign(tutorial=True)
    with_it = client.get(invitation(made, "ann")).content.decode()
    assert "a tutorial" in with_it
    assert "Passing it brings a bonus of $0.75, once. You get the bonus after 3 accepted" in with_it
    assert "a tutorial" not in client.get(invitation(campaign())).content.decode()


def test_the_open_link_offers_no_bonus_unless_its_researcher_wants_that(client):
    made = campaign(tutorial=True)
    assert "a tutorial" in client.get(invitation(made)).content.decode()
    assert "$0.75" not in client.get(invitation(made)).content.decode()
    wanted = campaign(tutorial=True, open_link_bonus=True, bonus_after=0)
    page = client.get(invitation(wanted)).content.decode()
    assert "Passing it brings a bonus of $0.75, once." in page
    assert "If you try honestly and do not pass, you are paid $0.25.</span>" in page


@pytest.mark.parametrize("n_before", [1, 8])
def test_an_answer_needs_few_statements(client, who, n_before, django_assert_num_queries):
    client.get(work_url(who))
    questions = tutorial_queries.status(who.pk).questions
    for one in questions[:n_before]:
        post(client, who, question=one.key, response=right(one))
    asked, version = questions[n_before], tutorial_of(who).version
    token = tokens.participation_token(who.pk)
    with django_assert_num_queries(10):  # of which two begin and end the transaction
        answer_to(client, token, version=version, question=asked.key, response=right(asked))
    assert TutorialAnswer.objects.count() == n_before + 1


def test_an_answer_under_a_deleted_participation_is_told_so(client, who):
    gone = tokens.participation_token(who.pk + 1000)
    answer = post(client, who, token=gone)
    assert answer.status_code == 404
    assert "does not exist any more" in answer.json()["message"]
