"""Every address, tried by those who do not belong there: found in the resolver, never forgotten."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotate.models import AuditEntry, Campaign, Membership
from annotate.services.campaigns import life
from estimation.models import Agreement, Comparison, Decision, Estimate
from tests.addresses import DOORS, Door, World, built
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# Doors that are open to whoever comes; each looks at a token, a signature or nothing at all.
ANYBODY = {
    "healthz",
    "login",
    "logout",
    "api-schema",
    "api-token",
    "annotate:join",
    "annotate:preview",
    "annotate:entry",
    "annotate:batch-preview",
    "annotate:work",
    "annotate:crowd-events",
    "annotate:me",
    "annotate:appeal",
    "annotate:feedback",
    "annotate:tutorial-answer",
    "annotate:work-heartbeat",
    "annotate:work-draft",
    "annotate:work-ahead",
    "annotate:work-submit",
    "annotate:work-return",
    "annotate:beside",
}
# Doors of every researcher: what is behind them is their own, or everybody's.
RESEARCHERS = {
    "annotate:campaigns",
    "annotate:campaign-new",
    "annotate:campaign-criteria",
    "annotate:instruments",
    "annotate:instrument-new",
    "annotate:instrument",
    "annotate:instrument-draft",
    "annotate:instrument-preview",
    "annotate:tutorials",
    "annotate:tutorial-draft",
    "annotate:tutorial-grade",
    "annotate:tutorial-builtin",
    "annotate:tutorial-builtin-preview",
    "annotate:tutorial-stored",
    "annotate:tutorial-stored-preview",
    "annotate:reviews",
    "estimation:at-target",
    "api-campaign-list",
    "api-instrument-list",
    "api-instrument-detail",
    "api-instrument-tutorials",
    "api-reviews",
    "api-import-list",
}
# Doors of an import, which is there for the person who began it alone.
OF_ONE = {"annotate:import", "annotate:import-now", "api-import-detail", "api-import-cancel"}
# What a reviewer of the campaign may do besides looking: rule, and write links down for people.
REVIEWERS = {
    "annotate:review-rule",
    "annotate:review-dismiss",
    "annotate:review-everywhere",
    "api-review-rule",
    "api-review-dismiss",
    "annotate:people",
}
# Doors to results: systems, scores, estimates and what follows from them.
RESULTS = {
    "annotate:export",
    "estimation:export",
    "estimation:activity",
    "estimation:numbers",
    "estimation:trend",
    "estimation:trend-table",
    "estimation:trend-data",
    "api-campaign-judgments",
    "api-estimates",
    "api-comparisons",
    "api-decisions",
    "api-agreement",
    "api-sensitivity",
    "api-export",
    "api-metrics",
    "api-outputs",
}
GUARDED = [door for door in DOORS if door.name not in ANYBODY]
OF_CAMPAIGNS = [door for door in GUARDED if door.name not in RESEARCHERS]


@pytest.fixture
def world() -> World:
    return built()


@pytest.fixture
def eve(client: Client) -> Client:
    """A researcher without any campaign."""
    client.force_login(user("eve"))
    return client


def tries(
    world: World, doors: Iterable[Door], client: Client, **headers: str
) -> Iterator[tuple[str, Any]]:
    """Send each method that a door knows, without any content; yield what is answered."""
    for door in doors:
        for method in sorted(door.methods):
            send = getattr(client, method)
            answer = send(world.address(door), {}, content_type="application/json", headers=headers)
            if answer.status_code != 405:
                yield f"{method} {door.name}", answer


def enters_as_reviewer(world: World, client: Client) -> None:
    """Make whoever this client is a reviewer of both campaigns."""
    reviewer = User.objects.get(pk=client.session["_auth_user_id"])
    for campaign in (world.link, world.market):
        Membership.objects.create(campaign=campaign, user=reviewer, role=Membership.Role.REVIEWER)


SYSTEMS = ("Xerxes-nine", "Ymir-nine")
# No page can show these by chance: the thousands of every number that is a result.
NUMBERS = re.compile(r"\b[89],?\d{3}[.,]\d")


def made_telling(world: World) -> None:
    """Give a campaign names of systems and numbers that are recognised wherever they appear."""
    campaign = world.link
    for system, name in zip(campaign.systems.all(), SYSTEMS, strict=True):
        campaign.systems.filter(pk=system.pk).update(name=name)
    whole = {"estimate": 8100.457, "low": 8099.457, "high": 8101.457, "width": 8002.457}
    ends = {"low": 8122.457, "high": 8124.457, "width": 8002.457, "std_error": 8001.457}
    for row in Estimate.objects.filter(campaign=campaign):
        means = {"mean_estimate": 8133.457, "mean_low": 8132.457, "mean_high": 8134.457}
        row.detail |= {"with_excluded": whole | {"n_judgments": 20}}
        _again(row, estimate=8123.457, **ends, **means)
    for compared in Comparison.objects.filter(campaign=campaign):
        _again(compared, difference=9123.457, **ends)
    for agreed in Agreement.objects.filter(campaign=campaign):
        agreed.detail = {"without": [{"annotator": "x", "alpha": 9412.457, "shared": 3}]}
        _again(agreed, alpha=9312.457, low=9311.457, high=9313.457)
    for name in SYSTEMS:
        text = f"{name} reached its target width on every primary criterion."
        Decision.objects.create(campaign=campaign, verb="stop_system", reason="target", text=text)
    world.facts["upto"] = Estimate.objects.latest("pk").pk


def _again(row: Any, **changes: float) -> None:
    for name, value in changes.items():
        setattr(row, name, value)
    row.pk = None
    row.save(force_insert=True)


def told(answer: Any) -> set[str]:
    """Return which systems and which results an answer tells."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if answer.headers["Content-Type"] == "application/zip":
        packed = ZipFile(BytesIO(body))
        body = b"".join(packed.read(name) for name in packed.namelist())
    text = body.decode("utf-8", "replace")
    return {name for name in SYSTEMS if name in text} | set(NUMBERS.findall(text))


def written() -> int:
    return AuditEntry.objects.count()


def test_every_door_has_its_keeper() -> None:
    """A name in a list above that is no address any more would hide the next one of that name."""
    assert {door.name for door in DOORS} >= ANYBODY | RESEARCHERS | REVIEWERS | OF_ONE
    assert len(OF_CAMPAIGNS) > 50


def test_who_is_not_logged_in_is_sent_to_the_log_in(world: World, client: Client) -> None:
    before = written()
    asked = {
        name: answer.url[:7] if answer.status_code == 302 else answer.status_code
        for name, answer in tries(world, GUARDED, client)
    }
    assert len(asked) >= len(GUARDED)
    assert {name: said for name, said in asked.items() if said not in ("/login/", 401, 403)} == {}
    assert written() == before


def test_the_campaign_of_another_researcher_is_not_there(world: World, eve: Client) -> None:
    before = written()
    found = {name: answer.status_code for name, answer in tries(world, OF_CAMPAIGNS, eve)}
    assert len(found) >= len(OF_CAMPAIGNS)
    assert {name: status for name, status in found.items() if status != 404} == {}
    assert written() == before


def test_its_owner_finds_each_door(world: World, client: Client) -> None:
    """Or the refusals above would say nothing."""
    client.force_login(world.owner)
    read = [replace(door, methods=door.methods & {"get"}) for door in OF_CAMPAIGNS]
    missing = [name for name, got in tries(world, read, client) if got.status_code >= 400]
    # This campaign is no ranking; tests/api/test_rankings.py tries the door of one.
    assert missing == ["get api-ranking"]


def test_a_reviewer_looks_and_rules_and_does_nothing_else(world: World, eve: Client) -> None:
    enters_as_reviewer(world, eve)
    before = written()
    acts = [
        replace(door, methods=door.methods - {"get"})
        for door in OF_CAMPAIGNS
        if door.name not in REVIEWERS | OF_ONE
    ]
    done = {name: answer.status_code for name, answer in tries(world, acts, eve)}
    assert len(done) > 20
    assert {name: status for name, status in done.items() if status != 403} == {}
    assert written() == before


# ---- what a reviewer may not learn -------------------------------------------------------------


def as_told(world: World, client: Client, **headers: str) -> dict[str, tuple[int, set[str]]]:
    """Try every guarded door, a researcher's own ones too: (status, what the answer tells)."""
    asked = tries(world, GUARDED, client, **headers)
    return {name: (answer.status_code, told(answer)) for name, answer in asked}


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}, {"Accept": "text/html,*/*;q=0.8"}])
def test_a_reviewer_learns_no_system_and_no_result_while_a_campaign_collects(
    world: World, eve: Client, headers: dict[str, str]
) -> None:
    made_telling(world)
    enters_as_reviewer(world, eve)
    found = as_told(world, eve, **headers)
    assert {name: said for name, (_status, said) in found.items() if said} == {}
    shut = {name.split()[1] for name, (status, _said) in found.items() if status == 403}
    assert shut >= RESULTS


def test_a_reviewer_of_a_collecting_campaign_downloads_nothing_of_it(
    world: World, eve: Client
) -> None:
    enters_as_reviewer(world, eve)
    files = [
        name
        for name, answer in tries(world, OF_CAMPAIGNS, eve)
        if "Content-Disposition" in answer.headers or "csv" in answer.headers["Content-Type"]
    ]
    assert files == []


def test_its_owner_learns_them_and_so_does_a_reviewer_once_it_is_closed(
    world: World, eve: Client, client: Client
) -> None:
    """Or the silence above would say nothing."""
    made_telling(world)
    enters_as_reviewer(world, eve)
    owner = Client()
    owner.force_login(world.owner)
    telling = {"estimation:dashboard", "api-campaign-list", "api-campaign-detail"}
    telling |= RESULTS - {"estimation:trend"}
    read = [replace(door, methods=door.methods & {"get"}) for door in GUARDED]

    def learned(visitor: Client) -> set[str]:
        return {name.split()[1] for name, answer in tries(world, read, visitor) if told(answer)}

    assert learned(owner) >= telling
    life.close(world.link.pk, Campaign.Reason.HAND)
    assert learned(eve) == set(), "it is closing: gaps are still collected"
    life.finish(world.link.pk)
    assert learned(eve) == learned(owner)
    life.reopen(world.link.pk, actor_id=world.owner.pk, why="More.")
    assert learned(eve) == set()
