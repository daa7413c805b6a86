"""A poll compares versions: one that does not change stands for numbers that do not change."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.common.access import Access
from annotate.models import Campaign
from estimation.pages import dashboard
from estimation.pages import views as pages_views
from tests.estimation.happening import ACTS, Happening
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
NOW = timezone.now()


def shown(made: Campaign, owner: User) -> tuple[str, str]:
    """Return the version, and a digest of everything that the fragment shows."""
    mine = Access(Campaign.objects.get(pk=made.pk), owner.pk, "owner")
    version = dashboard.version(mine.campaign, mine.role)
    return version, pages_views._context(mine, version)["fingerprint"]


@pytest.mark.slow
@pytest.mark.parametrize("crowd", ["link", "mturk"])
@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_the_version_changes_with_the_numbers(
    crowd: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time stands still: nothing but the act changes what is shown."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    study = Happening(user(), seed, crowd=crowd)
    before, changed = shown(study.made, study.owner), set()
    often = [0.1 if name in ("pause", "close", "finish") else 1 for name in ACTS]
    for name in study.choose.choices(ACTS, often, k=80):
        study.happen(name)
        after = shown(study.made, study.owner)
        if after[1] != before[1]:
            assert after[0] != before[0], name
            changed.add(name)
        before = after
    assert len(changed) > 5, "the walk has shown little"


def numbers(client: Client, made: Campaign, have: str = "") -> Any:
    address = reverse("estimation:numbers", args=[made.public_id])
    return client.get(address, headers={"If-None-Match": have} if have else {})


@pytest.mark.slow
def test_a_poll_costs_two_queries_beside_the_log_in(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dashboard, "MINUTE", 10**9)  # no new minute begins in between
    ada = user()
    client.force_login(ada)
    made = campaign(owner=ada, items=8)
    take_turns([person(made, name) for name in "abc"], 12)
    settle(made)
    have = numbers(client, made)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        answer = numbers(client, made, have)
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", have)
    asked = [q["sql"] for q in queries if "django_session" not in q["sql"]]
    assert len(asked) == 4, "the user, the campaign, its newest rows, its leases"
    judge(person(made, "d"))
    later = numbers(client, made, have)
    assert (later.status_code, later["ETag"] != have) == (200, True)


@pytest.mark.slow
def test_each_minute_is_a_version_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts such as “for 15 minutes” change without an act, and are a minute late at most."""
    owner = user()
    made = campaign(owner=owner)
    now = NOW.replace(second=0, microsecond=0)
    seen = []
    for seconds in (0, 59, 60, 119, 120):
        monkeypatch.setattr(timezone, "now", lambda at=seconds: now + timedelta(seconds=at))
        seen.append(shown(made, owner)[0])
    assert (seen[0], seen[2]) == (seen[1], seen[3])
    assert len(set(seen)) == 3


def test_a_reviewer_and_an_owner_have_different_versions() -> None:
    made = campaign(owner=user())
    assert dashboard.version(made, "owner") != dashboard.version(made, "reviewer")


@pytest.mark.parametrize("have", ['"x"', "*", "W/", '"' + "a" * 5000 + '"', "ü"])
def test_an_odd_version_gets_the_numbers(client: Client, have: str) -> None:
    ada = user()
    client.force_login(ada)
    assert numbers(client, campaign(owner=ada), have).status_code == 200
