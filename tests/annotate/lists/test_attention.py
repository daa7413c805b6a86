"""The list of campaigns: what waits for this member comes first, and each row says why."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import lists as campaigns_lists
from annotate.models import (
    Appeal,
    Campaign,
    ChangeMark,
    NextStep,
    Operation,
    Participation,
    Review,
)
from annotate.models.crowds import StopPayload
from estimation import deferred
from tests.annotate import market
from tests.crowds.operations import on_posting
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, change, person, user

pytestmark = [pytest.mark.django_db, pytest.mark.orm]

ORDER = [
    "operation",
    "unit",
    "appeal",
    "ruling",
    "closing by budget",
    "budget",
    "out of reach",
    "open",
    "paused",
    "draft",
    "out of reach and closed",
    "long closed by budget",
    "closed",
]
HOPELESS = "Decide whether to go on: the targets cannot be met"
SAID = {
    "operation": "An operation at the crowd waits for your decision",
    "unit": "Submissions wait for your decision on their pay",
    "appeal": "An appeal waits for an answer",
    "ruling": "Annotators wait for a ruling",
    "budget": "The budget ended the collection",
    "closing by budget": "The budget ended the collection",
    "out of reach": HOPELESS,
    "open": "Wait: judgments are coming in",
    "paused": "Nobody gets a text until you go on",
    "draft": "Nobody can judge yet",
    "out of reach and closed": "Closed by hand",
    "long closed by budget": "The budget does not pay for another judgment",
    "closed": "Every interval reached its target width",
}


def operation(made: Campaign) -> None:
    stop = on_posting(StopPayload(), market.posting(made))
    Operation.objects.filter(pk=stop.pk).update(status=Operation.Status.UNCLEAR)


def unit(made: Campaign) -> None:
    who = market.arrive(market.posting(made, listing="HIT2"))
    Participation.objects.filter(pk=who.pk).update(
        status=Participation.Status.CONFIRMED, problem="It was handed in after 1 of 2 tasks."
    )


def reviewed(made: Campaign, status: Review.Status) -> Review:
    return Review.objects.create(
        campaign=made, annotator=person(made).annotator, status=status, opened_at=timezone.now()
    )


def appeal(made: Campaign) -> None:
    now = timezone.now()
    review = reviewed(made, Review.Status.EXCLUDED)
    Appeal.objects.create(review=review, text="Why?", made_at=now, due_at=now)


def ended(reason: str, days: int = 1, status: str = "closed") -> Callable[[Campaign], None]:
    def end(made: Campaign) -> None:
        at = timezone.now() - timedelta(days=days) if status == "closed" else None
        change(made, status=status, close_reason=reason, closed_at=at)

    return end


def hopeless(made: Campaign) -> None:
    campaigns_lists.note(made.pk, key="out_of_reach", title=HOPELESS, waits=False)


def hopeless_and_closed(made: Campaign) -> None:
    hopeless(made)
    ended("hand")(made)


BRING = {
    "operation": operation,
    "unit": unit,
    "appeal": appeal,
    "ruling": lambda made: reviewed(made, Review.Status.OPEN),
    "budget": ended("budget"),
    "closing by budget": ended("budget", status="closing"),
    "out of reach": hopeless,
    "open": lambda made: campaigns_lists.note(
        made.pk, key="wait", title="Wait: judgments are coming in", waits=True
    ),
    "paused": lambda made: change(made, status="paused"),
    "out of reach and closed": hopeless_and_closed,
    "long closed by budget": ended("budget", days=20),
    "closed": ended("target"),
}


@pytest.fixture
def made(client: Client) -> dict[str, Campaign]:
    """One campaign of each kind, made in the order of their names."""
    ada = user()
    client.force_login(ada)
    return {name: brought(ada, name) for name in sorted(ORDER)}


def brought(owner: User, name: str) -> Campaign:
    crowded = name in ("operation", "unit")
    found = (market.study if crowded else campaign)(
        owner=owner, items=1, name=name, is_open=name != "draft"
    )
    BRING.get(name, lambda _made: None)(found)
    return found


def rows(client: Client, query: str = "") -> list[tuple[str, str]]:
    """The names of the list, and what each row says of its place."""
    page = client.get(reverse("annotate:campaigns") + query).content.decode()
    found = re.findall(
        r'<th scope="row"><a [^>]*>(.*?)</a>.*?<span class="place[^>]*>(.*?)</td>', page, re.S
    )
    return [(name, plain(said)) for name, said in found]


def plain(said: str) -> str:
    hidden = re.sub(r'<span class="sr">.*?</span>|<svg.*?</svg>', "", said, flags=re.S)
    return re.sub(r"<[^>]*>", "", hidden).strip()


def test_what_waits_for_its_owner_comes_first_and_each_row_says_why(
    client: Client, made: dict[str, Campaign]
) -> None:
    shown = rows(client)
    assert [name for name, _said in shown] == ORDER
    assert dict(shown) == SAID


@pytest.mark.parametrize(
    ("role", "waits"),
    [
        ("collaborator", ["appeal", "ruling", "budget", "closing by budget", "out of reach"]),
        ("reviewer", ["appeal", "ruling"]),
        ("viewer", []),
    ],
)
def test_what_a_member_cannot_do_does_not_wait_for_them(
    client: Client, made: dict[str, Campaign], role: str, waits: list[str]
) -> None:
    bea = user("bea")
    for one in made.values():
        one.memberships.create(user=bea, role=role)
    client.force_login(bea)
    campaigns = client.get(reverse("annotate:campaigns")).context["campaigns"]
    first = [one.campaign.name for one in campaigns[: len(waits)]]
    assert sorted(first) == sorted(waits)
    assert [one.waits for one in campaigns] == [True] * len(waits) + [False] * (13 - len(waits))
    others = [one.place for one in campaigns if not one.waits]
    order = ["collecting", "paused", "draft", "over"]
    assert others == sorted(others, key=order.index), "open, paused, drafts, and what is over"


def test_the_archive_is_apart(client: Client, made: dict[str, Campaign]) -> None:
    change(made["ruling"], status="archived")
    assert "ruling" not in dict(rows(client))
    assert dict(rows(client, "?show=archived")).keys() == {"ruling"}


@pytest.mark.slow
def test_the_list_and_the_api_say_what_the_dashboard_says(client: Client) -> None:
    ada = user()
    client.force_login(ada)
    made = campaign(owner=ada, items=60, systems=("alpha",), targets={"overall": 0.1}, name="one")
    assert dict(rows(client))["one"] == "Collecting judgments", "before it was looked at"
    take_turns([person(made, name) for name in "abc"], 40)
    settle(made)
    board = client.get(reverse("estimation:dashboard", args=[made.public_id])).context["board"]
    assert board.advice.title.startswith("Ask ")
    assert deferred.renew() == 0, "its forecast has noted it a moment ago"
    assert dict(rows(client))["one"] == board.advice.title
    told = client.get(f"/api/v1/campaigns/{made.public_id}/").json()
    assert told["advice"] == board.advice.title
    NextStep.objects.update(at=timezone.now() - timedelta(minutes=2), title="Old")
    assert deferred.renew() == 1
    assert dict(rows(client))["one"] == board.advice.title


def test_estimates_that_are_behind_are_told_after_a_minute(client: Client) -> None:
    owner = user("keeper")
    made = campaign(owner=owner)
    client.force_login(owner)
    said = "Estimates are behind: is the worker running?"
    dashboard = reverse("estimation:dashboard", args=[made.public_id])
    ChangeMark.objects.all().delete()
    mark = ChangeMark.objects.create(campaign=made, reason="judgment")
    for minutes, told in ((0.9, False), (1.1, True), (40, True)):
        at = timezone.now() - timedelta(minutes=minutes)
        ChangeMark.objects.filter(pk=mark.pk).update(at=at)
        pages = [
            client.get(url).content.decode() for url in (reverse("annotate:campaigns"), dashboard)
        ]
        assert [said in page for page in pages] == [told, told], minutes
