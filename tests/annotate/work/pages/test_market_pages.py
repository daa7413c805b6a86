"""What people meet who come from a marketplace: preview, way in, work, handing in, pay."""

import re
from datetime import timedelta
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from annotate.campaigns import life
from annotate.common import tokens
from annotate.crowds.contract import Completion, InvalidEntry, Transient
from annotate.crowds.mturk.marketplace import NOT_ACCEPTED, MTurk
from annotate.models import Assignment, Participation
from annotate.models.base import CloseReason
from annotate.review import reviews
from annotate.screening.base import Verdict
from annotate.work import leasing
from annotate.work.participations import move
from tests.annotate.market import SITE, arrive, entry, posting, study
from tests.annotate.passing import pass_tutorial
from tests.annotate.work.pages.working import call, invitation, submit, work_data, work_url
from tests.factories import campaign, judge, leased, person

FAST = Verdict(
    "too_fast", 0, True, 0.08, 0.01, 0.2, 1.0, 4, True, {"seconds": 2.6, "others_seconds": 31.0}
)
Unit = Participation.Status
FORM = re.compile(r'<form method="post" action="([^"]+)" id="hand-in"([^>]*)>(.*?)</form>', re.S)
FIELD = re.compile(r'name="(\w+)" value="([^"]*)"')

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _at_once(settings) -> None:
    """A unit is handed in without a wait, which has tests of its own (test_before_hand_in)."""
    settings.HAND_IN_WAIT = timedelta(0)


def html(response) -> str:
    return response.content.decode()


def form(response) -> tuple[str, dict[str, str], bool]:
    """Return where it goes, what it carries, and whether it goes by itself."""
    found = FORM.search(html(response))
    assert found, html(response)
    action, rest, inside = found.groups()
    return action, dict(FIELD.findall(inside)), "data-by-itself" in rest


# ---- preview and way in ----------------------------------------------------------------------


def test_a_preview_is_the_example_with_what_the_work_pays_and_no_way_to_start(client):
    there = posting(study(tutorial=True), tasks=5)
    shown = client.get(entry(there))
    page = html(shown)
    assert "Accept this work at Amazon Mechanical Turk to begin." in page
    assert "holds 5 tasks and pays $2.00" in page
    assert "A tutorial comes first, once" in page
    assert "Go to the start" not in page
    assert "Return this task" not in page
    assert not Participation.objects.exists()
    assert not Assignment.objects.exists()


def test_who_has_accepted_is_led_to_the_work(client):
    there = posting(tasks=2)
    came = client.get(entry(there, "U1"))
    assert came.status_code == 303
    who = Participation.objects.get()
    assert (who.external_key, who.annotator.external_id, who.verified_at) == ("U1", "AW1", None)
    page = html(client.get(came.url))
    assert "Task 1 of 2" in page
    assert "We store your id at Amazon Mechanical Turk" in page
    assert "holds 2 tasks and pays $0.80" in page
    assert client.get(entry(there, "U1")).status_code == 303
    assert Participation.objects.count() == 1


def test_the_tutorial_comes_first_and_tells_the_terms(client):
    who = arrive(posting(study(tutorial=True)))
    page = html(client.get(work_url(who)))
    assert "Tutorial" in page
    assert "you can stop after any task" not in page  # units are paid whole
    assert "What is stored, and how you are paid" in page
    assert "Close this page, and open the work again at Amazon Mechanical Turk." in page
    pass_tutorial(who)
    assert "Task 1 of 2" in html(client.get(work_url(who)))


def test_only_somebody_new_is_told_the_terms(client):
    who = arrive(posting(tasks=3))
    judge(who)
    assert "What is stored" not in html(client.get(work_url(who)))


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"hitId": "ANOTHER"}, 409),
        ({"turkSubmitTo": "https://evil.example"}, 403),
        ({"workerId": "<script>"}, 400),
        ({"assignmentId": ""}, 400),
    ],
)
def test_a_forged_claim_is_explained_and_leaves_nothing(client, changes, status):
    there = posting()
    path, _question, _query = entry(there, "U1").partition("?")
    given = {"assignmentId": "U1", "hitId": "HIT1", "workerId": "AW1", "turkSubmitTo": SITE}
    shown = client.get(f"{path}?{urlencode(given | changes)}")
    assert shown.status_code == status
    assert "<script>" not in html(shown).replace("<script type", "")
    assert not Participation.objects.exists()


def test_a_forged_address_is_explained(client):
    shown = client.get(reverse("annotate:entry", args=["mturk", "forged"]))
    assert shown.status_code == 404
    unknown = tokens.posting_token("nothing")
    for crowd in ("mturk", "link", "nowhere"):
        path = reverse("annotate:entry", args=[crowd, unknown])
        shown = client.get(f"{path}?assignmentId={NOT_ACCEPTED}")
        assert shown.status_code == 404


def test_a_posting_of_another_crowd_is_not_found(client):
    there = posting(study(crowd="prolific"), environment="live")
    assert client.get(entry(there)).status_code == 404


def test_who_cannot_begin_is_asked_to_return_it(client):
    there = posting(status="closed")
    shown = client.get(entry(there, "U1"))
    assert shown.status_code == 410
    assert "Please return the work at Amazon Mechanical Turk. You lose nothing" in html(shown)


def test_while_the_crowd_does_not_answer_the_page_asks_again(client):
    address = entry(posting(), "U1")  # signed with the second it was made in
    with patch.object(MTurk, "verify_claim", side_effect=Transient("no answer")):
        shown = client.get(address)
    assert (shown.status_code, shown["Refresh"]) == (503, "10")
    assert "does not answer at the moment" in html(shown)
    assert address.replace("&", "&amp;") in html(shown)
    assert not Participation.objects.exists()


def test_what_the_crowd_denies_is_explained(client):
    said = InvalidEntry("It is over there.", 410)
    with patch.object(MTurk, "verify_claim", side_effect=said):
        shown = client.get(entry(posting(), "U1"))
    assert shown.status_code == 410
    assert "It is over there." in html(shown)


def test_what_the_crowd_confirms_at_entry_is_verified(client):
    with patch.object(MTurk, "verify_claim", return_value=True):
        client.get(entry(posting(), "U1"))
    assert Participation.objects.get().verified_at is not None


def test_settings_that_name_no_world_are_said(client, settings):
    there = posting()
    settings.MTURK_ENVIRONMENT = "nowhere"
    shown = client.get(entry(there))
    assert shown.status_code == 503
    assert "not set up for its crowd" in html(shown)


def test_an_invitation_to_a_study_elsewhere_says_where(client):
    address = invitation(study())
    for shown in (client.get(address), client.post(address, {"name": "Ada"})):
        assert shown.status_code == 409
        assert "Amazon Mechanical Turk only" in html(shown)
    assert not Participation.objects.exists()


def test_the_example_that_researchers_look_at_leads_to_no_link_either(client):
    shown = client.get(reverse("annotate:preview", args=[tokens.invitation_token(study().pk)]))
    assert "Accept this work at Amazon Mechanical Turk to begin." in html(shown)
    assert "Go to the start" not in html(shown)


# ---- who may frame these pages ---------------------------------------------------------------


def policy(response) -> dict[str, list[str]]:
    parts = response["Content-Security-Policy"].split("; ")
    return {name: rest for name, *rest in (part.split() for part in parts)}


def test_each_page_may_be_framed_by_its_own_crowd(client):
    there = posting(tasks=1)
    who = arrive(there)
    pages = [client.get(entry(there)), client.get(work_url(who)), client.get(work_url(who) + "me/")]
    judge(who)
    pages.append(client.get(work_url(who)))
    assert form(pages[-1])
    for page in pages:
        assert policy(page)["frame-ancestors"] == [SITE]
        assert policy(page)["form-action"] == ["'self'", SITE]
        assert "X-Frame-Options" not in page


def test_the_pages_of_links_may_be_framed_anywhere(client):
    made = campaign()
    for page in (client.get(work_url(person(made))), client.get(invitation(made))):
        assert policy(page)["frame-ancestors"] == ["*"]
        assert policy(page)["form-action"] == ["'self'"]


# ---- the work and its end --------------------------------------------------------------------


def test_all_tasks_done_the_work_is_handed_in_by_a_form_once_by_itself(client):
    there = posting(tasks=2)
    who = arrive(there)
    judge(who)
    answer = submit(client, who).json()
    who.refresh_from_db()
    assert who.status == Unit.ACTIVE  # the judgment is saved before anything is handed in
    shown = client.get(answer["next"])
    action, fields, by_itself = form(shown)
    who.refresh_from_db()
    assert action == f"{SITE}/mturk/externalSubmit"
    assert fields["assignmentId"] == "U1"
    assert who.receipt in fields.values()
    assert by_itself
    assert who.status == Unit.HANDED_IN
    assert "You did 2 of 2 tasks." in html(shown)
    assert "$0.80" in html(shown)


def test_a_lost_hand_in_is_sent_again_from_the_same_page(client):
    there = posting(tasks=1)
    who = arrive(there)
    judge(who)
    first = form(client.get(work_url(who)))
    came = client.get(entry(there, "U1"))  # the crowd shows the work as theirs still
    again = form(client.get(came.url))
    assert again[:2] == first[:2]
    assert (first[2], again[2]) == (True, False)
    assert "hand it in again" in html(client.get(work_url(who)))


def test_looking_ahead_hands_nothing_in(client):
    who = arrive(posting(tasks=1))
    task = leased(who)
    call(client, who, "ahead", assignment=task.pk)
    judge(who)
    call(client, who, "ahead", assignment=task.pk)
    who.refresh_from_db()
    assert who.status == Unit.ACTIVE


def test_what_is_not_to_be_had_any_more_is_paid_as_announced(client):
    made = study(items=1, systems=("alpha",))
    who = arrive(posting(made, tasks=3))
    judge(who)
    shown = client.get(work_url(who))
    assert form(shown)[2]
    assert "You did 1 of 3 tasks." in html(shown)
    assert "you are paid for the others as well: $0.80" in html(shown)
    assert "$1.20" in html(shown)


def test_who_is_looked_at_may_hand_in_what_is_done_and_sees_why(client):
    who = arrive(posting(tasks=3), verified=True)
    judge(who)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST])
    page = html(client.get(work_url(who)))
    assert "hand-in" in page
    assert "See what was noticed and decided" in page
    assert "$1.20" in page  # pay is not refused by a look
    new = arrive(who.posting, unit="U2", verified=True)
    page = html(client.get(work_url(new)))
    assert "A person is looking at your work" in page
    assert "Please return the work at Amazon Mechanical Turk." in page


def test_who_returned_tasks_is_told_that_a_person_decides(client):
    who = arrive(posting(study(items=2, systems=("alpha",)), tasks=3))
    judge(who)
    leasing.give_back(leased(who).pk, participation_id=who.pk)
    assert "a person decides whether the work is paid" in html(client.get(work_url(who)))


def test_who_found_nothing_to_do_is_asked_to_return_the_work(client):
    made = study(items=1, systems=("alpha",))
    there = posting(made, tasks=1)
    leased(arrive(there))
    other = arrive(there, "AW2", "U2")
    page = html(client.get(work_url(other)))
    assert "No task is available right now." in page
    assert "Please return the work at Amazon Mechanical Turk. You lose nothing" in page
    assert "looks again every 15 seconds" in page
    assert work_data(client, work_url(other))["finished"]["final"] is False
    life.close(made.pk, CloseReason.HAND)
    life.finish(made.pk)
    page = html(client.get(work_url(other)))
    assert "This study is complete" in page
    assert "looks again" not in page


def test_work_that_was_given_back_cannot_be_handed_in(client):
    who = arrive(posting(tasks=1))
    judge(who)
    move(who.pk, Unit.LEFT, sources=[Unit.ACTIVE])
    page = html(client.get(work_url(who)))
    assert "Accept it again to go on" in page
    assert "hand-in" not in page


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([Unit.CONFIRMED], "Your work has arrived"),
        ([Unit.CONFIRMED, Unit.APPROVED], "Your work is approved"),
        ([Unit.CONFIRMED, Unit.REJECTED], "Pay for this work was refused"),
    ],
)
def test_what_has_arrived_is_not_handed_in_again(client, states, said):
    who = arrive(posting(tasks=1))
    judge(who)
    client.get(work_url(who))
    for source, to in zip([Unit.HANDED_IN, *states], states, strict=False):
        assert move(who.pk, to, sources=[source])
    page = html(client.get(work_url(who)))
    assert said in page
    assert "hand-in" not in page


def test_a_crowd_that_redirects_gets_a_link(client):
    who = arrive(posting(tasks=1))
    judge(who)
    away = Completion("https://app.prolific.com/submissions/complete?cc=C0DE")
    with patch.object(MTurk, "completion", return_value=away) as completion:
        page = html(client.get(work_url(who)))
    assert f'href="{away.url}" id="hand-in" data-by-itself' in page
    told = completion.call_args.kwargs
    assert (told["unit"], told["code"], told["receipt"]) == ("U1", "C0DE", who.receipt)


def test_own_page_says_how_pay_comes_and_where_the_work_stands(client):
    there = posting(tasks=1, approve_after=timedelta(days=3))
    one, two = arrive(there, unit="U1"), arrive(there, unit="U2", verified=True)
    judge(one)
    judge(two)
    client.get(work_url(one))
    move(one.pk, Unit.CONFIRMED, sources=[Unit.HANDED_IN])
    page = html(client.get(work_url(two) + "me/"))
    assert "Amazon Mechanical Turk pays the $0.40 once your work is approved: about 3 days" in page
    assert "1 × Confirmed, awaiting approval" in page
    assert "1 × Being worked on" in page
    assert "Quote the code" not in page


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (timedelta(seconds=60), "about 1 minute after"),
        (timedelta(minutes=40), "about 40 minutes after"),
        (timedelta(minutes=55), "about 1 hour after"),
        (timedelta(days=3), "about 3 days after"),
    ],
)
def test_how_long_approval_takes_is_told_in_its_own_unit(client, time, words):
    who = arrive(posting(approve_after=time))
    assert words in html(client.get(work_url(who)))
