"""An amended consent text is asked of everybody again; new instructions are pointed out once."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import amendments
from annotate.common import tokens
from annotate.models import Assignment, Campaign, EarlierConsent, Judgment, Participation
from annotate.studies import queries as studies_queries
from annotate.studies.queries import StudyTexts
from annotate.work import leasing, participations
from estimation import export
from tests.annotate.work.pages.working import JUDGED, call, submit, work_data, work_url
from tests.annotate.work.storms import at_once
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

TEXTS = StudyTexts("You may stop.", "", "Judge as an editor.")
NEW = "You may stop at any time."


def study(**changes: Any) -> Campaign:
    return campaign(**{"texts": TEXTS, "tutorial": False, **changes})


def amend(made: Campaign, **texts: str) -> None:
    assert amendments.change_texts(made.pk, texts, actor_id=None, reason="Plainer.")


def accept(client: Client, who: Participation, version: int | None = None) -> Any:
    address = reverse("annotate:consent", args=[tokens.participation_token(who.pk)])
    more = {} if version is None else {"version": version}
    return client.post(address, {"accept": "yes", **more})


def consented(who: Participation) -> int | None:
    row = Participation.objects.get(pk=who.pk)
    return None if row.consented_at is None else row.consented_to


def test_it_is_asked_again_and_the_earlier_consent_stays(client: Client) -> None:
    made = study()
    who = person(made)
    accept(client, who, 1)
    first = Participation.objects.get(pk=who.pk).consented_at
    submit(client, who)
    amend(made, consent=NEW)
    page = client.get(work_url(who)).content.decode()
    assert NEW in page
    assert "This text has changed since you accepted it." in page
    assert 'name="version" value="2"' in page
    assert accept(client, who, 2).status_code == 303
    assert consented(who) == 2
    (earlier,) = EarlierConsent.objects.all()
    assert (earlier.participation, earlier.version, earlier.accepted_at) == (who, 1, first)
    assert "data-part" in client.get(work_url(who)).content.decode()
    accept(client, who, 2)
    assert EarlierConsent.objects.count() == 1


def test_the_task_at_hand_is_taken_and_the_next_is_not_given(client: Client) -> None:
    """Not even the one that was reserved for this person before the change."""
    made = study()
    who = person(made)
    accept(client, who, 1)
    first = work_data(client, work_url(who))["assignment"]["id"]
    assert call(client, who, "ahead", assignment=first).json()["coming"]
    assert Assignment.objects.filter(status="leased").count() == 2
    amend(made, consent=NEW)
    assert call(client, who, "ahead", assignment=first).json()["coming"] is None
    answer = call(client, who, "submit", JUDGED, assignment=first)
    assert answer.status_code == 200
    told = answer.json()
    assert (told["assignment"], told["coming"]) == (None, None)
    assert Judgment.objects.count() == 1
    assert NEW in client.get(told["next"]).content.decode()
    waiting = Assignment.objects.get(status="leased")
    accept(client, who, 2)
    assert work_data(client, work_url(who))["assignment"]["id"] == waiting.pk


def test_nobody_gets_a_task_by_the_text_of_before(client: Client) -> None:
    made = study(annotator_cap=None)
    one, other = person(made, "p1"), person(made, "p2")
    for who in (one, other):
        accept(client, who, 1)
    judge(one)
    amend(made, consent=NEW)
    got = leasing.lease(other.pk)
    assert not isinstance(got, Assignment)
    assert got.reason == "consent"


def test_an_old_page_does_not_accept_the_new_text(client: Client) -> None:
    made = study()
    who = person(made)
    assert "You may stop." in client.get(work_url(who)).content.decode()
    amend(made, consent=NEW)
    answer = accept(client, who, 1)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "This text has changed since you opened the page." in page
    assert NEW in page
    assert consented(who) is None


@pytest.mark.parametrize("forged", [0, 3, "x", "9" * 30, "-1"])
def test_no_other_version_is_accepted(client: Client, forged: Any) -> None:
    made = study()
    amend(made, consent=NEW)
    who = person(made)
    assert accept(client, who, forged).status_code == 409
    assert consented(who) is None


def test_a_text_that_comes_later_is_asked_of_everybody(client: Client) -> None:
    made = study(texts=StudyTexts())
    who = person(made)
    submit(client, who)
    amend(made, consent=NEW)
    page = client.get(work_url(who)).content.decode()
    assert NEW in page
    assert "since you accepted it" not in page
    accept(client, who, 2)
    assert consented(who) == 2
    assert not EarlierConsent.objects.exists()


def test_who_accepted_which_text_is_counted_and_exported(client: Client) -> None:
    made = study()
    one, other = person(made, "p1"), person(made, "p2")
    accept(client, one, 1)
    accept(client, other, 1)
    judge(one)
    judge(other)
    amend(made, consent=NEW)
    accept(client, one, 2)
    made = Campaign.objects.get(pk=made.pk)
    versions = [(v.number, v.text, v.n_people) for v in studies_queries.consents(made)]
    assert versions == [(2, NEW, 1), (1, TEXTS.consent, 2)]
    rows = [(row["annotator"], row["version"]) for row in studies_queries.accepted(made)]
    names = [who.annotator.pseudonym for who in (one, other)]
    assert rows == [(names[0], 1), (names[1], 1), (names[0], 2)]
    assert "consents.csv" in export.ROWS


def test_new_instructions_are_told_until_a_task_was_done_by_them(client: Client) -> None:
    made = study(texts=StudyTexts(instructions="Judge as an editor."))
    who, fresh = person(made, "p1"), person(made, "p2")
    submit(client, who)
    told = "The instructions of this study have changed since your last task."
    before = work_data(client, work_url(who))["told"]
    assert told not in client.get(work_url(who)).content.decode()
    amend(made, instructions="Judge as a reader.")
    page = client.get(work_url(who)).content.decode()
    assert told in page
    assert "Judge as a reader." in page
    assert told not in client.get(work_url(fresh)).content.decode(), "who is new reads all of them"
    answer = submit(client, who).json()
    assert answer["told"] == work_data(client, work_url(who))["told"] != before
    assert told in client.get(work_url(who)).content.decode(), "that task was begun before"
    submit(client, who)
    assert told not in client.get(work_url(who)).content.decode()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_acceptance_and_change_at_once_leave_what_was_read(client: Client) -> None:
    """Whichever comes first: nobody has accepted a text that they have not seen."""
    made = study()
    people = [person(made, f"p{n}") for n in range(8)]

    def press(who: Participation) -> bool:
        return participations.consent(who.pk, version=1)

    def amended() -> None:
        amend(made, consent=NEW)

    at_once(
        [
            *(lambda who=who: press(who) for who in people[:4]),
            amended,
            *(lambda who=who: press(who) for who in people[4:]),
        ]
    )
    assert {consented(who) for who in people} <= {None, 1}
    for who in people:
        got = leasing.lease(who.pk)
        assert not isinstance(got, Assignment)
