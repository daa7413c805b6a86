"""The owner's page of gold items, and what a reviewer sees of them."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.models import GoldAnswer, GoldItem, GoldLook, Membership
from annotate.review import gold_queries
from annotate.tasks import look_at_gold
from tests.annotate.gold.study import do, planted, with_gold
from tests.annotate.gold.test_gold_sources import district_rows
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def owner():
    return user()


@pytest.fixture
def page(owner):
    client = Client()
    client.force_login(owner)
    return client


def draft(owner):
    return campaign(owner=owner, is_open=False, rows_=district_rows(12))


def at(study) -> str:
    return reverse("annotate:gold", args=[study.public_id])


def send(page: Client, study, act: str, **data):
    return page.post(at(study), {"act": act, **data}, follow=True)


def test_a_draft_gets_gold_in_four_steps(page, owner):
    study = draft(owner)
    assert "None yet" in page.get(at(study)).content.decode()
    send(page, study, "share", share=5)
    waiting = [one.name for one in planted(study, 4)]
    assert page.get(at(study)).content.decode().count("<ins>") >= 4
    send(page, study, "confirm", shown=waiting, key=waiting[:3])
    assert GoldItem.objects.count() == 3
    send(page, study, "instruct", answer="overall=-1")
    own = [{"item": "mine", "output": "The the bridge.", "expected": {"fluency": [0, -1]}}]
    send(page, study, "file", definition=json.dumps(own))
    assert GoldItem.objects.filter(confirmed_at__isnull=False).count() == 5
    send(page, study, "remove", key=["mine"])
    life.open_(study.pk)
    text = page.get(at(study)).content.decode()
    assert "fixed since the campaign opened" in text
    assert 'value="share"' not in text


@pytest.mark.parametrize(
    ("act", "data", "says"),
    [
        ("share", {"share": "13"}, "At most 12."),
        ("share", {"share": "many"}, "whole number"),
        ("file", {"definition": "{"}, "Nothing was changed"),
        ("file", {"definition": '[{"item": "a"}]'}, "gold[0].output"),
        ("file", {}, "Choose a file"),
        ("instruct", {"answer": "overall=9"}, "not one of"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_changes(page, owner, act, data, says):
    study = draft(owner)
    answer = send(page, study, act, **data)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not GoldItem.objects.exists()


def test_gold_belongs_to_the_owner(page, owner):
    study = draft(owner)
    other = user("eve")
    client = Client()
    client.force_login(other)
    assert client.get(at(study)).status_code == 404
    Membership.objects.create(campaign=study, user=other, role=Membership.Role.REVIEWER)
    assert client.get(at(study)).status_code == 403
    assert client.post(at(study), {"act": "share", "share": 3}).status_code == 403
    assert page.post(at(study), {"act": "plant"}).status_code == 404
    with_gold(study)
    assert send(page, study, "share", share=3).status_code == 409


@pytest.mark.slow
def test_a_reviewer_sees_what_was_missed_and_how_unusual_that_is(page, owner):
    study = with_gold(campaign(owner=owner, is_open=False, items=60, annotator_cap=None))
    careful = [person(study, f"p{n}") for n in range(2)]
    for _ in range(25):
        for who in careful:
            do(who)
    careless = person(study, "careless")
    for _ in range(25):
        do(careless, is_right=False)
    assert look_at_gold() == 1
    found = {one.annotator.pseudonym: one for one in gold_queries.people(study)}
    assert found[careless.annotator.pseudonym].listed
    assert gold_queries.n_people(study) == (3, 1)
    text = page.get(at(study)).content.decode()
    assert text.count("Listed<") == 1

    def case(who) -> str:
        name = who.annotator.pseudonym
        return page.get(reverse("annotate:review", args=[study.public_id, name])).content.decode()

    seen = case(careless)
    assert "0 of 5 right" in seen
    assert "More missed than honest people miss" in seen
    assert seen.count("Missed</span>") == 5
    assert "None missed" in case(careful[0])
    # Being listed pauses nobody.
    assert do(careless) is not None


def test_a_reviewer_of_a_campaign_without_gold_reads_nothing_of_it(page, owner):
    study = campaign(owner=owner)
    who = person(study)
    do(who)
    name = who.annotator.pseudonym
    text = page.get(reverse("annotate:review", args=[study.public_id, name])).content.decode()
    assert "Gold items" not in text


@pytest.mark.slow
def test_the_page_takes_as_many_queries_for_many_people(page, owner):
    study = with_gold(campaign(owner=owner, is_open=False, items=40, annotator_cap=None))
    seen = []
    for n in range(6):
        who = person(study, f"p{n}")
        for _ in range(9):
            do(who)
        if n == 5 or (not seen and GoldAnswer.objects.count() > 1):
            GoldLook.objects.update(at=timezone.now() - timedelta(minutes=5))
            look_at_gold()
            assert gold_queries.people(study)
            with CaptureQueriesContext(connection) as captured:
                page.get(at(study))
            seen.append([query["sql"][:60] for query in captured])
    assert seen[0] == seen[1]


def test_gold_by_the_api(page, owner):
    study = draft(owner)
    address = reverse("api-gold", args=[study.public_id])

    def ask(verb: str, address: str, **body):
        return getattr(page, verb)(address, json.dumps(body), content_type="application/json")

    own = {"item": "mine", "output": "The the bridge.", "expected": {"fluency": [0, -1]}}
    assert ask("post", address, gold=[own]).status_code == 201
    assert ask("post", address, gold=[own]).status_code == 422
    assert ask("post", address, gold=[{"item": {}}]).status_code == 422
    assert ask("patch", address, share=13).status_code == 422
    assert ask("patch", address, share=5).json()["share"] == 5
    planted(study)
    made = page.get(address).json()["items"]
    assert [one["confirmed"] for one in made] == [True, False, False]
    shown = ask("post", f"{address}confirm/", items=[made[1]["item"]]).json()["items"]
    assert [one["confirmed"] for one in shown] == [True, True, False]
    left = ask("post", f"{address}remove/", items=[made[2]["item"]]).json()
    assert [one["item"] for one in left["items"]] == ["mine", made[1]["item"]]
    assert left["items"][0]["expected"] == {"fluency": [-1, 0]}
    stranger = Client()
    stranger.force_login(user("eve"))
    assert stranger.get(address).status_code == 404
    life.open_(study.pk)
    assert ask("patch", address, share=3).status_code == 409
