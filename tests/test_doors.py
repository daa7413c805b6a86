"""Every address, tried by those who do not belong there: found in the resolver, never forgotten."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotate.models import AuditEntry, Membership
from tests.addresses import DOORS, Door, World, built
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# Doors that are open to whoever comes; each looks at a token, a signature or nothing at all.
ANYBODY = {
    "healthz", "login", "logout", "api-schema", "api-token", "annotate:join", "annotate:preview",
    "annotate:entry", "annotate:batch-preview", "annotate:work", "annotate:crowd-events",
    "annotate:me", "annotate:appeal", "annotate:feedback", "annotate:tutorial-answer",
    "annotate:work-heartbeat", "annotate:work-draft", "annotate:work-submit",
    "annotate:work-return", "annotate:beside",
}  # fmt: skip
# Doors of every researcher: what is behind them is their own, or everybody's.
RESEARCHERS = {
    "annotate:campaigns", "annotate:campaign-new", "annotate:campaign-criteria",
    "annotate:instruments", "annotate:instrument-new", "annotate:instrument",
    "annotate:instrument-draft", "annotate:instrument-preview", "annotate:tutorials",
    "annotate:tutorial-draft", "annotate:tutorial-grade", "annotate:tutorial-builtin",
    "annotate:tutorial-builtin-preview", "annotate:tutorial-stored",
    "annotate:tutorial-stored-preview", "annotate:reviews", "estimation:at-target",
    "api-campaign-list", "api-instrument-list", "api-instrument-detail",
    "api-instrument-tutorials", "api-reviews",
}  # fmt: skip
# What a reviewer of the campaign may do besides looking: rule, and write links down for people.
REVIEWERS = {
    "annotate:review-rule", "annotate:review-dismiss", "annotate:review-everywhere",
    "api-review-rule", "api-review-dismiss", "annotate:people",
}  # fmt: skip
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


def tries(world: World, doors: Iterable[Door], client: Client) -> Iterator[tuple[str, Any]]:
    """Send each method that a door knows, without any content; yield what is answered."""
    for door in doors:
        for method in sorted(door.methods):
            send = getattr(client, method)
            answer = send(world.address(door), {}, content_type="application/json")
            if answer.status_code != 405:
                yield f"{method} {door.name}", answer


def written() -> int:
    return AuditEntry.objects.count()


def test_every_door_has_its_keeper() -> None:
    """A name in a list above that is no address any more would hide the next one of that name."""
    assert {door.name for door in DOORS} >= ANYBODY | RESEARCHERS | REVIEWERS
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
    assert missing == []


def test_a_reviewer_looks_and_rules_and_does_nothing_else(world: World, eve: Client) -> None:
    grace = User.objects.get(username="eve")
    for campaign in (world.link, world.market):
        Membership.objects.create(campaign=campaign, user=grace, role=Membership.Role.REVIEWER)
    before = written()
    acts = [
        replace(door, methods=door.methods - {"get"})
        for door in OF_CAMPAIGNS
        if door.name not in REVIEWERS
    ]
    done = {name: answer.status_code for name, answer in tries(world, acts, eve)}
    assert len(done) > 20
    assert {name: status for name, status in done.items() if status != 403} == {}
    assert written() == before
