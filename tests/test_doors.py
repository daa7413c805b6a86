"""Every address, tried by those who do not belong there: found in the resolver, never forgotten."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from annotate.campaigns import life
from annotate.models import AuditEntry, Campaign, Membership
from estimation.models import Agreement, Comparison, Decision, Estimate
from tests.addresses import DOORS, Door, World, built
from tests.annotate.accounts import roles_table
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# Doors that look at a token, a signature or nothing at all, and those of every researcher.
ANYBODY = roles_table.named("visitors", "yes")
RESEARCHERS = roles_table.named("others", "yes") - ANYBODY
# Doors to results: systems, scores, estimates and what follows from them.
RESULTS = roles_table.named("reviewer", "once closed") - {"api-ranking"}
GUARDED = [door for door in DOORS if door.name not in ANYBODY]
OF_CAMPAIGNS = [door for door in GUARDED if door.name not in RESEARCHERS]
# What those who may come in find missing there: this campaign is no ranking, has no budget and no
# tutorial of its own, an empty body names no act, and no worker has read the file yet.
MISSING = {
    "get api-ranking",
    "get annotate:tutorial-stored",
    "get annotate:tutorial-stored-preview",
    "get annotate:budget",
    "post annotate:budget",
    "post annotate:gold",
    "post annotate:import",
    "get annotate:import-item",
    "post api-doubtful-pay",
}


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


def enters_as(world: World, client: Client, who: str) -> None:
    """Log somebody in as this column of the table says."""
    if who == "visitors":
        return
    client.force_login(world.owner if who == "owner" else user("eve"))
    if who not in ("owner", "others"):
        gives_role(world, client, who)


def gives_role(world: World, client: Client, role: str) -> None:
    somebody = User.objects.get(pk=client.session["_auth_user_id"])
    for campaign in (world.link, world.market):
        Membership.objects.create(campaign=campaign, user=somebody, role=role)


def enters_as_reviewer(world: World, client: Client) -> None:
    """Make whoever this client is a reviewer of both campaigns."""
    gives_role(world, client, Membership.Role.REVIEWER)


SYSTEMS = ("Xerxes-nine", "Ymir-nine")
# The results that `made_telling` plants, and nothing else: a plan may tell of 8,135.3. Pages round
# them: to 8,123.5, 8,123.46 or 8,123.457.
PLANTED = ("8001", "8002", "8099", "8100", "8101", "8122", "8123", "8124", "8132", "8133", "8134")
PLANTED += ("9123", "9311", "9312", "9313", "9412")
NUMBERS = re.compile(rf"\b(?:{'|'.join(f'{n[0]},?{n[1:]}' for n in PLANTED)})[.,](?:457|46|5)\b")


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


def answers(world: World, doors: Iterable[Door], client: Client) -> dict[str, str]:
    """Try doors one by one, each in the same world: "METHOD NAME" -> what the table calls it."""
    found = {}
    for door in doors:
        with transaction.atomic():
            for asked, answer in tries(world, [door], client):
                found[asked] = said(answer)
            transaction.set_rollback(True)
    return found


def said(answer: Any) -> str:
    if answer.status_code == 302 and answer.url.startswith(("/login/", "/admin/login/")):
        return "log in"
    if answer.status_code == 403 and not answer.wsgi_request.user.is_authenticated:
        return "log in"
    return {401: "log in", 403: "no", 404: "–"}.get(answer.status_code, "yes")


def differing(found: dict[str, str], who: str, *, closed: bool = False) -> dict[str, str]:
    """Return where answers differ from what the table gives to these people."""

    def given(asked: str) -> str:
        (row,) = roles_table.rows_of(*asked.split())
        return {"once closed": "yes" if closed else "no"}.get(row.given[who], row.given[who])

    return {
        asked: f"{got}, but the table says {given(asked)}"
        for asked, got in found.items()
        if got != given(asked)
    }


@pytest.mark.slow
def test_every_address_has_a_row_in_the_table_of_roles(world: World, client: Client) -> None:
    client.force_login(world.owner)
    rows = {
        asked: len(roles_table.rows_of(*asked.split())) for asked in answers(world, GUARDED, client)
    }
    assert {asked: n for asked, n in rows.items() if n != 1} == {}
    known = {name for right in roles_table.rights() for name in right.addresses}
    assert known == {door.name for door in DOORS}


@pytest.mark.slow
@pytest.mark.parametrize("who", roles_table.WHO)
def test_each_role_finds_what_the_table_gives_it(world: World, client: Client, who: str) -> None:
    enters_as(world, client, who)
    before = written()
    found = answers(world, GUARDED, client)
    assert len(found) > len(GUARDED)
    wrong = differing(found, who)
    missing = {
        asked
        for asked in MISSING & wrong.keys()
        if wrong[asked].startswith("–, but the table says yes")
    }
    assert {asked: how for asked, how in wrong.items() if asked not in missing} == {}
    assert written() == before


@pytest.mark.slow
def test_a_reviewer_finds_results_once_the_campaign_is_closed(world: World, eve: Client) -> None:
    enters_as_reviewer(world, eve)
    for campaign in (world.link, world.market):
        life.close(campaign.pk, Campaign.Reason.HAND)
        life.finish(campaign.pk)
    doors = [door for door in OF_CAMPAIGNS if door.name in RESULTS]
    assert differing(answers(world, doors, eve), "reviewer", closed=True) == {}


@pytest.mark.slow
@pytest.mark.parametrize("who", ["others", "visitors"])
def test_refused_acts_leave_nothing_behind(world: World, client: Client, who: str) -> None:
    """The walk above takes back what was written."""
    enters_as(world, client, who)
    before = written()
    assert list(tries(world, OF_CAMPAIGNS, client))
    assert written() == before


# ---- what a reviewer may not learn -------------------------------------------------------------


def as_told(world: World, client: Client, **headers: str) -> dict[str, tuple[int, set[str]]]:
    """Try every guarded door, a researcher's own ones too: (status, what the answer tells)."""
    leaving = {"annotate:member-leave", "annotate:browser-end", "annotate:browsers-end"}
    staying = [door for door in GUARDED if door.name not in leaving]
    asked = tries(world, staying, client, **headers)
    return {name: (answer.status_code, told(answer)) for name, answer in asked}


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_its_owner_learns_them_and_so_does_a_reviewer_once_it_is_closed(
    world: World, eve: Client, client: Client
) -> None:
    """Or the silence above would say nothing."""
    made_telling(world)
    enters_as_reviewer(world, eve)
    owner = Client()
    owner.force_login(world.owner)
    telling = {"estimation:dashboard", "api-campaign-list", "api-campaign-detail", "annotate:item"}
    pictures = {"estimation:trend", "estimation:picture", "estimation:figure"}
    # No system has stopped here, of which the log would tell.
    silent = pictures | {"estimation:export-standing", "api-activity"}
    telling |= RESULTS - silent
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
