"""The whole log of a campaign, page by page."""

import random
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.campaigns import members
from annotate.common import audit
from annotate.models import AuditEntry, Campaign
from annotate.models.base import MemberRole
from estimation.models import Decision
from estimation.pages import dashboard
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
KINDS = ("flag", "pause", "look", "bonus", "returned", "retitle")


def happen(made: Campaign, n: int, *, seed: int = 0) -> None:
    """Log n acts and decisions in a random order, each with a text of its own."""
    choose = random.Random(seed)
    for number in range(n):
        if choose.random() < 0.4:
            Decision.objects.create(campaign=made, verb="close", text=f"Decision {number}.")
        else:
            verb = choose.choice(["flag", "look", f"thing_{number}", "returned"])
            audit.record(verb, campaign_id=made.pk, subject=f"annotator:{number}")


def address(made: Campaign, asked: str = "") -> str:
    return reverse("estimation:activity", args=[made.public_id]) + asked


def walk(client: Client, made: Campaign, asked: str = "") -> list[Any]:
    """Follow the links to older entries; return all lines."""
    lines: list[Any] = []
    for _page in range(30):
        answer = client.get(address(made, asked))
        assert answer.status_code == 200
        lines += answer.context["lines"]
        if not (asked := answer.context["older"]):
            return lines
        assert asked in answer.content.decode().replace("&amp;", "&")
    raise AssertionError("the pages never end")


@pytest.mark.parametrize("n", [0, 1, 49, 50, 51, 170])
def test_all_pages_together_show_each_entry_once(client: Client, ada: User, n: int) -> None:
    made = campaign(owner=ada)
    happen(made, n, seed=n)
    lines = walk(client, made)
    told = AuditEntry.objects.filter(campaign=made).exclude(verb="returned").count()
    assert sum(line.times for line in lines) == told + Decision.objects.count()
    assert [line.at for line in lines] == sorted((line.at for line in lines), reverse=True)
    own = [line.text for line in lines if re.search("[0-9]", line.text)]
    assert len(own) == len(set(own))


def test_new_entries_push_nothing_onto_the_next_page(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    happen(made, 80)
    first = client.get(address(made)).context
    happen(made, 60, seed=1)
    second = client.get(address(made, first["older"])).context
    assert second["lines"][0].at <= first["lines"][-1].at


def test_each_part_has_its_entries(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    for verb in KINDS:
        audit.record(verb, campaign_id=made.pk, actor_id=ada.pk, title="News", amount="2.50")
    Decision.objects.create(campaign=made, verb="close", text="Closed.")
    seen = {
        part: [line.text.split(":")[0] for line in walk(client, made, f"?show={part}")]
        for part in dashboard.PARTS
    }
    assert seen["reviews"] == ["stopped an annotator for a review"]
    assert seen["crowd"] == ["compared its postings with the crowd"]
    assert seen["pay"] == ["gave an annotator a bonus of $2.50"]
    assert {"Closed.", "paused it", "changed what annotators read"} <= set(seen["campaign"])
    assert len(seen["all"]) == 8, "two of the campaign's own, four acts of a person, a decision"


def test_it_takes_as_many_queries_for_a_long_log(client: Client, ada: User) -> None:
    few, many = campaign(owner=ada), campaign(owner=ada)
    happen(few, 3)
    happen(many, 300)
    counts = []
    for made in (few, many):
        client.get(address(made))
        with CaptureQueriesContext(connection) as queries:
            client.get(address(made))
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "asked",
    [
        "?before=-1",
        "?before=abc",
        "?before=-",
        "?before=1-1-1",
        "?before=" + "9" * 400,
        f"?before={9**18}-{9**18}",
        "?before=²-³",
        "?show=nothing",
        "?show=&before=",
        "?show=all&show=pay",
    ],
)
def test_an_odd_address_is_answered(client: Client, ada: User, asked: str) -> None:
    made = campaign(owner=ada)
    happen(made, 5)
    assert client.get(address(made, asked)).status_code == 200


def test_a_reviewer_reads_it_once_results_are_open(client: Client, ada: User) -> None:
    """Decisions name systems and intervals."""
    made = campaign(owner=ada)
    members.join(made.pk, user("bo").pk, MemberRole.REVIEWER, by=ada.pk)
    client.force_login(User.objects.get(username="bo"))
    assert client.get(address(made)).status_code == 403
    client.force_login(user("eve"))
    assert client.get(address(made)).status_code == 404


def test_the_api_lists_every_act_once_in_its_parts(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    happen(made, 40, seed=3)
    at = reverse("api-activity", args=[made.public_id])

    def listed(query: str = "") -> list[dict[str, Any]]:
        rows, address = [], f"{at}?page_size=7{query}"
        while address:
            body = client.get(address).json()
            rows += body["results"]
            address = body["next"]
            happen(made, 1, seed=len(rows))
        return rows

    acts = AuditEntry.objects.filter(campaign=made).exclude(verb="returned").order_by("-pk")
    expected = list(acts.values_list("pk", flat=True))
    assert [row["id"] for row in listed()] == expected
    flags = acts.filter(verb="flag")
    expected = list(flags.values_list("pk", flat=True))
    rows = listed("&show=reviews")
    assert [row["id"] for row in rows] == expected
    assert {(row["verb"], row["text"], row["actor"]) for row in rows} == {
        ("flag", "stopped an annotator for a review", "")
    }
