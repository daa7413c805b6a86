"""Django's admin: staff read, nobody else enters, nothing changes but that an account is closed."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver
from django.utils.regex_helper import normalize

from annotate.accounts import tokens
from annotate.campaigns import members
from annotate.common import tokens as common_tokens
from annotate.models import Campaign
from tests.annotate.researcher import owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
OPEN = {"/admin/login/", "/admin/logout/"}
NAMED = {"object_id": "1", "app_label": "annotate", "content_type_id": "1", "url": "x"}


def addresses(patterns: Any = None, before: str = "/admin/") -> Iterator[str]:
    for pattern in admin.site.urls[0] if patterns is None else patterns:
        route, names = normalize(pattern.pattern.regex.pattern)[0]
        path = before + route % {name: NAMED.get(name, "1") for name in names}
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, path)
        else:
            assert isinstance(pattern, URLPattern)
            yield path


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("sam", password="long enough to be fine"))
    return client


@pytest.mark.slow
@pytest.mark.parametrize("who", ["visitor", "researcher"])
def test_nobody_else_enters(who: str, mine: Campaign) -> None:
    client = Client()
    if who == "researcher":
        client.force_login(user("eve"))
    if who == "visitor":
        assert client.get("/admin/login/").url == "/login/?next=/admin/"
    found = sorted({*addresses()} - OPEN)
    assert len(found) > 40
    for path in found:
        for answer in (client.get(path), client.post(path, {"is_active": ""})):
            assert answer.status_code in (302, 301), path
            assert "/admin/login/" in answer.url or answer.status_code == 301, path


def test_staff_without_a_permission_read_nothing(mine: Campaign) -> None:
    User.objects.create_user("new", password="x", is_staff=True)
    client = Client()
    client.force_login(User.objects.get(username="new"))
    for path in ("/admin/annotate/campaign/", "/admin/auth/user/"):
        assert client.get(path).status_code == 403, path


@pytest.mark.slow
def test_support_reads_everything_but_secrets(ada: Client, mine: Campaign, support: Client) -> None:
    owner = owner_of(ada)
    made = members.invite(
        mine.pk, role="viewer", email="z@example.org", actor_id=owner.pk, by_mail=True
    )
    token, _ = tokens.make_token(owner.pk, "Nightly")
    hidden = [
        made.digest,
        token.digest,
        owner.password,
        common_tokens.of_invitation(made.public_id),
    ]
    hidden += list(ada.cookies["sessionid"].value.split())
    for model, site in admin.site._registry.items():
        at = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        lists = support.get(at)
        assert lists.status_code == 200, at
        pages = [lists, *(support.get(f"{at}{row.pk}/change/") for row in model.objects.all()[:2])]
        assert {page.status_code for page in pages} == {200}, at
        for page in pages:
            assert not [one for one in hidden if one in page.content.decode()], at
        assert support.get(f"{at}add/").status_code == 403
        assert support.post(f"{at}1/delete/", {"post": "yes"}).status_code in (302, 403)
        assert site.actions is None


def test_support_changes_nothing(mine: Campaign, support: Client) -> None:
    answer = support.post(f"/admin/annotate/campaign/{mine.pk}/change/", {"name": "Other"})
    assert answer.status_code == 403
    assert Campaign.objects.get().name == mine.name


def test_a_closed_account_is_out_at_once(ada: Client, support: Client) -> None:
    owner = owner_of(ada)
    _, secret = tokens.make_token(owner.pk, "Nightly")
    sent = {"is_active": "", "username": "other", "is_staff": "on", "is_superuser": "on"}
    support.post(f"/admin/auth/user/{owner.pk}/change/", sent)
    owner.refresh_from_db()
    assert (owner.is_active, owner.username, owner.is_staff) == (False, "ada", False)
    assert ada.get("/account/").status_code == 302
    assert tokens.owner(secret) is None
