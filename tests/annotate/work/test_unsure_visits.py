"""Who comes under somebody's name before the crowd has confirmed it: what they see, and may do.

Workers' ids are no secret, so on MTurk anybody can open a posting under another's name. What
concerns a person is told where the crowd has confirmed the unit, or has passed on its address.
"""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.common.errors import Conflict
from annotate.crowds import people
from annotate.models import Appeal, Membership, Operation, Participation, Review
from annotate.review import appeals, evidence, reviews, rulings
from annotate.review import queries as review_queries
from annotate.screening.base import Verdict
from annotate.work import task as work_task
from annotate.work.participations import move
from tests.annotate.market import arrive, posting
from tests.annotate.researcher import owner_of
from tests.annotate.work.pages.working import call, expire, work_data, work_url
from tests.factories import judge, leased

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act, Unit = rulings.Act, Participation.Status
FAST = Verdict(
    "too_fast", 0, True, 0.08, 0.01, 0.2, 1.0, 4, True, {"seconds": 2.6, "others_seconds": 31.0}
)
ADDRESS = re.compile(r"/work/p/(\S+)/me/")


@pytest.fixture
def theirs() -> Participation:
    """A confirmed unit with one judgment, by somebody whom a screen has flagged."""
    who = arrive(posting(), unit="U1", verified=True)
    judge(who)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST])
    return who


@pytest.fixture
def unsure(theirs: Participation) -> Participation:
    """A unit that somebody claims under the same name."""
    assert theirs.posting is not None
    return arrive(theirs.posting, unit="U2")


def review_of(who: Participation) -> Review:
    return Review.objects.get(campaign=who.campaign_id, annotator=who.annotator_id)


def own(client: Client, who: Participation) -> str:
    page = reverse("annotate:me", args=[tokens.participation_token(who.pk)])
    return client.get(page).content.decode()


def appeal(client: Client, token: str) -> Any:
    return client.post(
        reverse("annotate:appeal"),
        json.dumps({"text": "I read fast."}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def messages() -> list[dict[str, Any]]:
    found = Operation.objects.filter(kind=Operation.Kind.MESSAGE).order_by("pk")
    return [one.payload for one in found]


def token_in(message: dict[str, Any]) -> str:
    found = ADDRESS.search(message["text"])
    assert found, message
    return found[1]


# ---- what is seen ----------------------------------------------------------------------------


@pytest.mark.slow
def test_an_unsure_visit_is_not_told_what_was_noticed(
    client: Client, theirs: Participation, unsure: Participation
) -> None:
    page = client.get(work_url(unsure)).content.decode()
    assert "There is no task for you in this study at the moment." in page
    assert "Please return the work at Amazon Mechanical Turk." in page
    assert "we write to you through Amazon Mechanical Turk" in page
    assert "looking at your work" not in page
    assert "noticed and decided" not in page
    mine = own(client, unsure)
    assert "we write to you through Amazon Mechanical Turk" in mine
    for told in ("looking at your work", "took little time", 'id="appeal"', "All your work"):
        assert told not in mine, told
        assert told in own(client, theirs), told
    assert "it could be anybody" not in own(client, theirs)


@pytest.mark.parametrize(
    "acts", [(), (Act.EXCLUDE,), (Act.EXCLUDE, Act.REFUSE), (Act.EXCLUDE, Act.BLOCK)]
)
def test_it_cannot_tell_one_ruling_from_another(
    ada: Client, client: Client, theirs: Participation, unsure: Participation, acts: tuple[Act, ...]
) -> None:
    owner = owner_of(ada)
    Membership.objects.create(campaign=theirs.campaign, user=owner, role="owner")
    if acts:
        rulings.rule(review_of(theirs).pk, acts, actor_id=owner.pk, reason="Too fast.")
    told = work_data(client, work_url(unsure))["finished"]
    assert (told["reason"], told["final"]) == ("hidden", False)
    assert work_task.visit(unsure.pk).figures.barred == "hidden"
    assert "Too fast." not in own(client, unsure)


def test_it_counts_its_own_tasks_only(client: Client) -> None:
    there = posting(tasks=3)
    before, now = arrive(there, unit="U1", verified=True), arrive(there, unit="U2")
    judge(before)
    judge(before)
    judge(now)
    seen, sure = (work_task.visit(one.pk).figures for one in (now, before))
    assert (seen.judged_today, str(seen.earned_today)) == (1, "0.40")
    assert (sure.judged_today, str(sure.earned_today)) == (3, "1.20")
    assert "<dt>This work</dt>" in client.get(work_url(now)).content.decode()


def test_it_does_not_see_what_was_typed_under_another_unit(client: Client) -> None:
    there = posting()
    first, second = arrive(there, unit="U1"), arrive(there, unit="U2")
    task = leased(first)
    call(client, first, "draft", {"revision": 0, "data": {"fluency": 0}}, assignment=task.pk)
    expire(task)
    again = leased(second)
    assert again.output_id == task.output_id
    assert work_task.draft(again).data == {}
    Participation.objects.filter(pk=second.pk).update(verified_at=timezone.now())
    again.refresh_from_db()
    assert work_task.draft(again).data == {"fluency": 0}


def test_who_is_confirmed_sees_everything(client: Client, unsure: Participation) -> None:
    move(unsure.pk, Unit.CONFIRMED, sources=[Unit.ACTIVE])
    page = own(client, unsure)
    assert "A person is looking at your work" in page
    assert 'id="appeal"' in page
    assert appeal(client, tokens.participation_token(unsure.pk)).status_code == 200


# ---- what is done ----------------------------------------------------------------------------


def test_an_unsure_visit_appeals_against_nothing(client: Client, unsure: Participation) -> None:
    refused = appeal(client, tokens.participation_token(unsure.pk))
    assert (refused.status_code, refused.json()["error"]) == (409, "unsure")
    assert "its address is in our message to you" in refused.json()["message"]
    with pytest.raises(Conflict):
        appeals.make_from(unsure.pk, text="I read fast.")
    assert not Appeal.objects.exists()


def test_what_nobody_has_confirmed_is_not_held_against_anybody() -> None:
    there = posting()
    mine, claimed = arrive(there, unit="U1", verified=True), arrive(there, unit="U2")
    judge(mine)
    judge(claimed)
    assert len(review_queries.tasks(mine.pk)) == 1
    reviews.flag(mine.campaign_id, mine.annotator_id, [FAST])
    shown = evidence.work(mine.campaign, mine.annotator_id)
    assert [one.mine.output_id for one in shown.all] == [mine.assignments.get().output_id]
    found = review_queries.case(mine.campaign, mine.annotator.pseudonym)
    assert found is not None
    assert found.judgments == 1


# ---- how the person learns of it -------------------------------------------------------------


def test_who_is_flagged_gets_the_address_of_their_page(
    client: Client, theirs: Participation, unsure: Participation
) -> None:
    (sent,) = messages()
    assert sent["people"] == ["AW1"]
    assert "Something was noticed automatically" in sent["text"]
    assert tokens.read_participation(token_in(sent))[0] == theirs.pk
    page = client.get(reverse("annotate:me", args=[token_in(sent)])).content.decode()
    assert "Your tasks took little time" in page
    assert appeal(client, token_in(sent)).status_code == 200
    reviews.flag(theirs.campaign_id, theirs.annotator_id, [FAST])
    assert len(messages()) == 1


@pytest.mark.slow
def test_every_ruling_and_answer_is_sent_to_a_unit_that_is_surely_theirs(
    ada: Client, theirs: Participation, unsure: Participation
) -> None:
    review, actor = review_of(theirs), owner_of(ada).pk
    appeals.make(review.campaign_id, review.annotator_id, text="I read fast.")
    appeals.dismiss(review.pk, actor_id=actor, answer="Three seconds a page.")
    acts = [Act.EXCLUDE, Act.REFUSE]
    made = rulings.rule(review.pk, acts, actor_id=actor, reason="Nobody reads so fast.")
    rulings.rule(review.pk, [Act.RESTORE], actor_id=actor, reason="", seen=made[-1].pk)
    _flagged, answered, refused, restored = messages()
    assert "It stays as it was.\n\nThree seconds a page.\n\n" in answered["text"]
    assert "It is not paid.\n\nNobody reads so fast.\n\n" in refused["text"]
    assert (
        "decided about your work in this study.\n\nYour work, what was noticed" in restored["text"]
    )
    for sent in (answered, refused, restored):
        assert tokens.read_participation(token_in(sent))[0] == theirs.pk


def test_who_has_no_unit_that_is_surely_theirs_is_sent_nothing() -> None:
    who = arrive(posting())
    judge(who)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST])
    assert messages() == []


def test_a_long_reason_leaves_room_for_the_address(ada: Client, theirs: Participation) -> None:
    rulings.rule(review_of(theirs).pk, [Act.EXCLUDE], actor_id=owner_of(ada).pk, reason="x" * 5000)
    sent = messages()[-1]
    assert len(sent["text"]) < 4096 - 500
    assert "x" * (people.LONGEST - 1) + "…" in sent["text"]
    assert tokens.read_participation(token_in(sent))[0] == theirs.pk
