"""What annotators read in place of a campaign's name, which is for researchers alone."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Campaign, Judgment, Participation, Ruling
from annotate.models.base import CloseReason
from annotate.review import rulings
from annotate.studies import definitions
from annotate.studies.queries import StudyTexts
from tests.annotate.own import marked
from tests.annotate.passing import right, tutorial_of, wrong
from tests.annotate.reading import NAME, SECRET, Reader, addresses_of_annotators
from tests.annotate.review.test_own_review import flag
from tests.annotate.studies.test_tutorial_contents import own as own_tutorial
from tests.annotate.work.pages.working import (
    JUDGED,
    call,
    expire,
    invitation,
    later,
    submit,
    work_url,
)
from tests.browser.answers import PARAGRAPHS
from tests.factories import campaign, judge, leased, person, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act
ELSEWHERE = {"entry", "batch-preview", "crowd-events"}  # tests/crowds/batches/test_public_title.py


def secret_rows(**changes: Any) -> list[Row]:
    """Outputs whose items and systems have names that are nobody's business."""
    made = [
        replace(row, item=f"{SECRET}-{row.item}", system=f"{SECRET}-{row.system}", **changes)
        for row in rows(8)
    ]
    return [replace(row, output=f"What is told here, number {i}.") for i, row in enumerate(made)]


def asked_with(kind: str, owner: User) -> dict[str, Any]:
    """What a campaign of this kind is made with."""
    if kind == "answers":
        answers = secret_rows(input="who drew the tower", paragraphs=PARAGRAPHS)
        return {
            "instrument": "answer_correctness",
            "rows_": answers,
            "metrics": (),
            "targets": {"any_correct": 0.2},
        }
    if kind == "own":
        made = definitions.define(marked(label=f"{SECRET} rubric"), owner_id=owner.pk)
        return {
            "instrument": f"{made.key}@{made.version}",
            "rows_": secret_rows(input="Why?"),
            "metrics": (),
            "targets": {"helpful": 0.2},
        }
    return {"rows_": secret_rows()}


def study(kind: str = "ratings", *, owner: User | None = None, **changes: Any) -> Campaign:
    owner = owner or user(f"{SECRET}-ada")
    usual = {"name": NAME, "double_share": 0} | asked_with(kind, owner)
    return campaign(owner=owner, **(usual | changes))


def page(reader: Reader, who: Participation, more: str = "") -> str:
    return reader.get(work_url(who) + more).content.decode()


def look_around(reader: Reader, made: Campaign, who: Participation) -> None:
    """Every page that leads to work, or stands beside it."""
    preview = reverse("annotate:preview", args=[tokens.invitation_token(made.pk)])
    for address in (invitation(made), invitation(made, "p9"), preview):
        reader.get(address)
    for more in ("", "me/", "help/", "?after=1"):
        page(reader, who, more)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("kind", ["ratings", "answers", "own"])
def test_no_page_on_the_way_into_a_study_tells_its_name(kind: str, language: str) -> None:
    reader, made = Reader(), study(kind, language=language)
    reader.post(invitation(made), {"name": ""})
    reader.post(invitation(made), {"name": "Ann"})
    assert reader.post(invitation(made), {"name": "ann"}).status_code in (303, 409, 422)
    who = person(made)
    look_around(reader, made, who)
    assert reader.leaks() == []


def act_on_a_task(reader: Reader, who: Participation) -> None:
    """All that the script of a task may ask, right and wrong."""
    task = leased(who).pk
    call(reader, who, "ahead", assignment=task)
    call(reader, who, "heartbeat", assignment=task)
    for revision in (0, 7, "x"):
        call(reader, who, "draft", {"revision": revision, "data": {}}, assignment=task)
    call(reader, who, "submit", {"response": {}, "version": "1"}, assignment=task)
    call(reader, who, "submit", {"response": {}, "version": "0"}, assignment=task)
    call(reader, who, "submit", raw="[", assignment=task)
    call(reader, who, "heartbeat", assignment=task, token="forged")
    call(reader, who, "return", assignment=task)
    expire(leased(who))
    submit(reader, who)
    correct_it(reader, who)


def agree(reader: Reader, who: Participation) -> None:
    """The pages of consent and of background questions, left without an answer and then given."""
    page(reader, who)
    for name, answer in (("consent", {"accept": "yes"}), ("background", {"answer0": "-"})):
        to = reverse(f"annotate:{name}", args=[tokens.participation_token(who.pk)])
        for given in ({}, answer):
            reader.post(to, given)
        page(reader, who)


def correct_it(reader: Reader, who: Participation) -> None:
    """The text submitted last: corrected once, and asked for by a page that knows less."""
    done = Judgment.objects.latest("pk").assignment_id
    page(reader, who, "correct/")
    for after in (1, 1, 7, "x"):
        call(reader, who, "correct", JUDGED | {"after": after}, assignment=done)


def say_something(reader: Reader, who: Participation, name: str, body: dict[str, Any]) -> Any:
    token = tokens.participation_token(who.pk)
    return reader.post(
        reverse(f"annotate:{name}"),
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def learn(reader: Reader, who: Participation) -> None:
    """A tutorial by its pages: a failed round, and one that is passed."""
    for answer in (wrong, right):
        page(reader, who)
        tutorial = tutorial_of(who)
        for question in tutorial.questions:
            page(reader, who)
            about = {"version": tutorial.version, "question": question.key}
            given = right(question) if question.kind == "example" else answer(question)
            say_something(reader, who, "tutorial-answer", about | {"response": given})


def go_through(reader: Reader, made: Campaign) -> None:
    """Everything around a study in every state of its life."""
    who, capped = person(made), person(made, "p2")
    act_on_a_task(reader, who)
    for _ in range(3):
        judge(capped)
    say_something(reader, who, "feedback", {"comment": "Fine."})
    say_something(reader, who, "feedback", {"comment": 3})
    look_around(reader, made, capped)
    for act in (life.pause, life.open_, close, life.finish):
        act(made.pk)
        look_around(reader, made, who)
    with later(400):
        look_around(reader, made, who)
    life.archive(made.pk, actor_id=made.memberships.get().user_id)
    look_around(reader, made, who)


def close(campaign_id: int) -> None:
    life.close(campaign_id, CloseReason.HAND)


def be_reviewed(reader: Reader, made: Campaign) -> None:
    """Noticed, excluded, refused, blocked, appealed and answered, with a look at each."""
    who, ada = person(made, "p5"), made.memberships.get().user
    judge(who)
    judge(who)
    review = flag(who, "too_fast")
    for acts in ([Act.EXCLUDE, Act.REFUSE, Act.BLOCK], [Act.REPAY], [Act.RESTORE, Act.UNBLOCK]):
        look_around(reader, made, who)
        say_something(reader, who, "appeal", {"text": "I read fast."})
        last = review.rulings.order_by("-pk").first()
        rulings.rule(
            review.pk, acts, actor_id=ada.pk, reason="Too fast.", seen=last.pk if last else 0
        )
        review.refresh_from_db()
    look_around(reader, made, who)
    say_something(reader, who, "appeal", {"text": ""})


def be_blocked(reader: Reader, owner: User) -> None:
    """In a study of somebody who has blocked them in another one."""
    first, second = study(owner=owner), study(owner=owner)
    who = person(first, "p6")
    judge(who)
    review = flag(who, "too_fast")
    rulings.rule(review.pk, [Act.EXCLUDE, Act.BLOCK], actor_id=owner.pk, reason="Dice.", seen=0)
    look_around(reader, second, person(second, "p6"))


ASKED = StudyTexts("You may stop.", "ERB 17", "Read.", "Do you read news? | yes | no")


@pytest.mark.slow
def test_no_page_of_any_state_of_a_study_tells_its_name() -> None:
    reader = Reader()
    draft = study(is_open=False, contact="ada@example.org")
    owner = draft.memberships.get().user
    reader.get(invitation(draft))
    reader.get("/work/join/forged/")
    content = definitions.store_tutorial(
        own_tutorial(title=f"{SECRET} tutorial"), reference="language_quality", owner_id=owner.pk
    )
    life.open_(draft.pk)
    taught = study(owner=owner, tutorial=True, tutorial_id=content.pk)
    learn(reader, person(taught))
    poor = study(owner=owner, budget=Decimal("0.50"), tutorial=True)
    look_around(reader, poor, person(poor))
    small = study(owner=owner, annotator_cap=1)
    judge(person(small))
    look_around(reader, small, person(small))
    past = study(owner=owner, deadline=timezone.now() - timedelta(hours=1))
    look_around(reader, past, person(past))
    agree(reader, person(study(owner=owner, texts=ASKED)))
    be_reviewed(reader, study(owner=owner))
    be_blocked(reader, owner)
    go_through(reader, draft)
    assert reader.leaks() == []
    assert addresses_of_annotators() - reader.asked == ELSEWHERE
