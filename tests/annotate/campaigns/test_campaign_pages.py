"""The researcher's pages: who sees what, and the acts of a campaign."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.models import AuditEntry, Campaign, Membership
from tests.addresses import DOORS
from tests.annotate.reading import addresses_of_annotators
from tests.annotate.researcher import NEW, PLAN, owner_of
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def addresses(made: Campaign) -> list[str]:
    plot = [made.public_id, "overall", made.systems.all()[0].pk, 1]
    return [
        reverse("estimation:dashboard", args=[made.public_id]),
        reverse("estimation:numbers", args=[made.public_id]),
        reverse("estimation:trend", args=[*plot, "light"]),
        reverse("estimation:trend-table", args=plot),
        reverse("estimation:trend-data", args=plot),
        reverse("annotate:people", args=[made.public_id]),
        reverse("annotate:payments", args=[made.public_id]),
        reverse("annotate:export", args=[made.public_id]),
        reverse("annotate:act", args=[made.public_id, "close"]),
    ]


# Of accounts; those of annotators are left out, too.
OPEN = {"invitation", "new-password", "password-forgotten"}


def test_everything_asks_for_a_login(client: Client) -> None:
    """Before it looks for what the address names: none of it exists here."""
    tried = 0
    for door in DOORS:
        space, _colon, name = door.name.partition(":")
        if space not in ("annotate", "estimation") or name in OPEN | addresses_of_annotators():
            continue
        address = door.path(dict.fromkeys(door.arguments, "1") | {"theme": "light", "kind": "svg"})
        answer = client.get(address)
        if answer.status_code == 405:
            answer = client.post(address)
            assert (answer.status_code, b"Your session has ended" in answer.content) == (403, True)
        else:
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/login/"), address
        tried += 1
    assert tried > 90


def test_a_fragment_never_becomes_a_login_page(client: Client) -> None:
    made = campaign(owner=user())
    headers = {"HX-Request": "true"}
    numbers = client.get(reverse("estimation:numbers", args=[made.public_id]), headers=headers)
    assert (numbers.status_code, numbers["HX-Refresh"]) == (401, "true")
    upload = client.post(NEW, PLAN, headers=headers)
    assert upload.status_code == 401
    assert "HX-Refresh" not in upload


def test_a_foreign_campaign_is_not_there(ada: Client) -> None:
    made = campaign(owner=user("eve"))
    for address in addresses(made):
        answer = ada.get(address)
        assert answer.status_code == 404, address
        assert made.name.encode() not in answer.content, address
    act = reverse("annotate:act", args=[made.public_id, "pause"])
    assert ada.post(act).status_code == 404
    assert ada.get("/").context["campaigns"] == []


def test_a_reviewer_sees_but_cannot_act(ada: Client) -> None:
    made = campaign(owner=user("eve"))
    Membership.objects.create(campaign=made, user=owner_of(ada), role=Membership.Role.REVIEWER)
    page = ada.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert page.status_code == 200
    assert b"/act/" not in page.content
    for verb in ("open", "pause", "close", "finish", "reopen", "archive"):
        act = reverse("annotate:act", args=[made.public_id, verb])
        assert ada.post(act, {"why": "because"}).status_code == 403, verb
    assert ada.get(reverse("annotate:payments", args=[made.public_id])).status_code == 403
    members = reverse("annotate:members", args=[made.public_id])
    assert ada.post(members, {"role": "viewer"}).status_code == 403
    made.refresh_from_db()
    assert made.status == Campaign.Status.OPEN


def test_the_empty_list_says_how_to_start(ada: Client) -> None:
    page = ada.get("/").content.decode()
    assert "create_campaign" in page
    assert NEW in page
    assert "&quot;item&quot;" in page or '"item"' in page


def test_acts_change_the_state_and_are_logged(ada: Client) -> None:
    made = campaign(owner=owner_of(ada), is_open=False)
    steps = [
        ("open", "open"),
        ("pause", "paused"),
        ("open", "open"),
        ("close", "closing"),
        ("finish", "closed"),
        ("reopen", "open"),
        ("close", "closing"),
        ("finish", "closed"),
        ("archive", "archived"),
    ]
    for verb, status in steps:
        ada.post(reverse("annotate:act", args=[made.public_id, verb]), {"why": "more people"})
        made.refresh_from_db()
        assert made.status == status, verb
    acted = AuditEntry.objects.filter(campaign=made, actor=owner_of(ada)).order_by("id")
    assert [entry.verb for entry in acted] == ["create", *(verb for verb, _ in steps)]
    assert acted.get(verb="reopen").detail == {"why": "more people"}
    assert acted.filter(verb="close")[0].detail["reason"] == "hand"


def test_reopening_needs_a_reason(ada: Client, mine: Campaign) -> None:
    life.close(mine.pk, Campaign.Reason.HAND)
    life.finish(mine.pk)
    answer = ada.post(reverse("annotate:act", args=[mine.public_id, "reopen"]), {"why": " "})
    assert answer.status_code == 422
    mine.refresh_from_db()
    assert mine.status == Campaign.Status.CLOSED


def test_an_act_that_came_too_late_is_explained(ada: Client, mine: Campaign) -> None:
    for verb in ("open", "finish", "archive"):
        act = reverse("annotate:act", args=[mine.public_id, verb])
        page = ada.post(act, follow=True)
        (message,) = page.context["messages"]
        assert message.level_tag == "error", verb
    assert ada.get(reverse("annotate:act", args=[mine.public_id, "explode"])).status_code == 404


def count_queries(client: Client, address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


@pytest.mark.slow
def test_pages_ask_a_constant_number_of_queries(ada: Client, mine: Campaign) -> None:
    listing, people = "/", reverse("annotate:people", args=[mine.public_id])
    judge(person(mine, "first"))
    before = [count_queries(ada, address) for address in (listing, people)]
    for n in range(3):
        other = campaign(owner=owner_of(ada), systems=("a", "b", "c"))
        judge(person(other, f"p{n}"))
        judge(person(mine, f"p{n}"))
    assert [count_queries(ada, address) for address in (listing, people)] == before


def test_an_unknown_address_has_a_page_in_the_look(ada: Client) -> None:
    answer = ada.get("/nowhere/")
    assert answer.status_code == 404
    assert b"There is nothing at this address" in answer.content
