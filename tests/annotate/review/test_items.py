"""The items of a campaign, and one item with every judgment."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Campaign, Item, Judgment, Membership, ResultsSeen, Ruling, Slot
from annotate.review import rulings
from annotate.work import submitting
from tests.estimation.reviewed import settle
from tests.factories import GOOD, campaign, judge, leased, person, user
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

EDIT = "The council met."


@pytest.fixture
def made(client: Client) -> Campaign:
    """Three items of two systems; all texts are judged twice."""
    owner = user()
    client.force_login(owner)
    made = campaign(owner=owner, items=3, double_share=1.0)
    for name in ("alpha", "beta"):  # the texts hold the first names
        made.systems.filter(name=name).update(name=f"{name.title()}-X")
    return made


def read(client: Client, made: Campaign, page: str, *more: Any, query: str = "") -> str:
    address = reverse(f"annotate:{page}", args=[made.public_id, *more])
    answer = client.get(f"{address}?{query}")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def as_reviewer(made: Campaign) -> Client:
    eve = user("eve")
    Membership.objects.create(campaign=made, user=eve, role=Membership.Role.REVIEWER)
    visitor = Client()
    visitor.force_login(eve)
    return visitor


def place(judged: Judgment) -> int:
    return judged.output.item.position + 1


def excluded(made: Campaign, name: str = "careless") -> Judgment:
    who = person(made, name)
    receipt = judge(who, overall=-1, edit=EDIT)
    owner = made.memberships.get(role="owner").user_id
    rulings.rule(flagged(who).pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    return Judgment.objects.get(pk=receipt.judgment_id)


def test_an_owner_reads_texts_systems_and_every_judgment(client: Client, made: Campaign) -> None:
    first = judge(person(made, "a"), overall=0, edit=EDIT)
    judge(person(made, "b"))
    judged = Judgment.objects.get(pk=first.judgment_id)
    page = read(client, made, "item", place(judged))
    assert "Alpha-X" in page
    assert "Beta-X" in page
    assert "quality" in page, "the uploaded metric stands beside the judgments"
    for one in Judgment.objects.filter(output__item=judged.output.item):
        assert f">{one.annotator.pseudonym}</a>" in page
    assert "<del>" in page, "the edit is shown word by word"


def test_excluded_and_superseded_judgments_are_shown_and_marked(
    client: Client, made: Campaign
) -> None:
    out = excluded(made)
    assert "Excluded</span>" in read(client, made, "item", place(out))
    who = person(made, "corrects")
    judged = Judgment.objects.get(pk=judge(who).judgment_id)
    submitting.supersede(judged.pk, response={**judged.response, "fluency": 0})
    page = read(client, made, "item", place(judged))
    assert "Superseded</span>" in page
    assert page.count(f">{judged.annotator.pseudonym}</a>") == 2
    for show, one in (("excluded", out), ("superseded", judged)):
        listed = read(client, made, "items", query=f"show={show}")
        assert f">{one.output.item.key}</a>" in listed
        assert listed.count('data-label="Place"') == 1


def test_a_reviewer_reads_the_judgments_and_no_system_while_it_collects(
    client: Client, made: Campaign
) -> None:
    judged = Judgment.objects.get(pk=judge(person(made, "a"), overall=0, edit=EDIT).judgment_id)
    eve = as_reviewer(made)
    page = read(eve, made, "item", place(judged)) + read(eve, made, "items")
    assert f">{judged.annotator.pseudonym}</a>" in page
    assert "Alpha-X" not in page
    assert "Beta-X" not in page
    assert "quality" not in page
    assert not ResultsSeen.objects.filter(campaign=made, user__username="eve").exists()
    system = made.systems.get(name="Alpha-X")
    other = Item.objects.create(campaign=made, key="alone", position=99)
    narrowed = read(eve, made, "items", query=f"system={system.pk}")
    assert f">{other.key}</a>" in narrowed, "the filter would tell who wrote what"


def test_items_are_searched_narrowed_and_sorted(client: Client, made: Campaign) -> None:
    Item.objects.filter(campaign=made, key="item-1").update(words=50)
    Item.objects.create(campaign=made, key="alone", position=99, words=7)
    assert read(client, made, "items", query="q=em-1").count('data-label="Place"') == 1
    longest = read(client, made, "items", query="sort=longest")
    assert longest.index(">item-1<") < longest.index(">alone<") < longest.index(">item-0<")
    system = made.systems.get(name="Alpha-X")
    assert ">alone<" not in read(client, made, "items", query=f"system={system.pk}")
    assert "No item" in read(client, made, "items", query="q=nothing-like-it")


@pytest.mark.parametrize("number", [0, 4, 2**31 - 1, 2**31, 2**63, 10**60])
def test_an_item_that_is_not_there_is_not_found(
    client: Client, made: Campaign, number: int
) -> None:
    address = reverse("annotate:item", args=[made.public_id, number])
    assert client.get(address).status_code == 404


def queries(client: Client, made: Campaign, page: str, *more: Any) -> int:
    read(client, made, page, *more)
    with CaptureQueriesContext(connection) as seen:
        read(client, made, page, *more)
    return len(seen)


@pytest.mark.slow
def test_the_queries_do_not_grow_with_judgments_and_systems(client: Client, made: Campaign) -> None:
    judge(person(made, "a"))
    few = queries(client, made, "items"), queries(client, made, "item", 1)
    systems = tuple(f"s{i}" for i in range(8))
    large = campaign(owner=made.memberships.get().user, items=30, systems=systems, double_share=1.0)
    for name in "abcd":
        who = person(large, name)
        for _task in range(6):
            got = leased(who)
            submitting.submit_judgment(got.pk, participation_id=who.pk, raw={**GOOD, "edit": EDIT})
    assert (queries(client, large, "items"), queries(client, large, "item", 1)) == few


def test_the_items_with_excluded_work_are_the_same_in_every_order(
    client: Client, made: Campaign
) -> None:
    """A made order is narrowed by the places of excluded work, and any other in its query."""
    who = person(made, "careless")
    out = [Judgment.objects.get(pk=judge(who).judgment_id) for _n in range(3)]
    judge(person(made, "careful"))
    owner = made.memberships.get(role="owner").user_id
    rulings.rule(flagged(who).pk, [Ruling.Act.EXCLUDE], actor_id=owner, reason="Spam.")
    settle(made)
    expected = {one.output.item.key for one in out}
    verified = Slot.objects.filter(campaign=made, assignment__status="verified")
    answered = set(verified.values_list("output__item__key", flat=True))
    assert expected & answered

    def listed(query: str) -> list[str]:
        page = read(client, made, "items", query=f"show=excluded&{query}")
        return re.findall(r">(item-\d+)</a>", page)

    for sort in ("order", "name", "longest", "worst"):
        found = listed(f"sort={sort}")
        ranked = sort == "worst"
        known = expected & answered if ranked else expected
        assert (set(found), len(found)) == (known, len(known)), sort
    assert set(listed("sort=order&q=item-1")) <= expected
    review, seen = flagged(who), Ruling.objects.latest("pk").pk
    acts = [Ruling.Act.RESTORE]
    rulings.rule(review.pk, acts, actor_id=owner, reason="No spam.", seen=seen)
    for sort in ("order", "worst"):
        assert listed(f"sort={sort}") == []
