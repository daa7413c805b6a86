"""Invitations: who may accept one, how often, and until when."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.accounts import accounts
from annotate.accounts.forms import EmailForm, InviteForm, ResetForm
from annotate.campaigns import members
from annotate.common import tokens
from annotate.common.errors import Gone, Invalid
from annotate.models import Campaign, Invitation, Membership
from annotate.models.base import MemberRole as Role
from tests.annotate.researcher import owner_of
from tests.annotate.work.storms import at_once
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
GOOD = {"username": "zoe", "password": "rain on tin roofs", "again": "rain on tin roofs"}


def invited(made: Campaign, role: str = Role.REVIEWER, **given: Any) -> tuple[Invitation, str]:
    owner = Membership.objects.filter(campaign=made, role=Role.OWNER).first()
    assert owner is not None
    one = members.invite(made.pk, role=role, actor_id=owner.user_id, **given)
    return one, tokens.of_invitation(one.public_id)


def page(secret: str) -> str:
    return reverse("annotate:invitation", args=[secret])


def test_a_link_makes_a_member_once(mine: Campaign, client: Client) -> None:
    _one, secret = invited(mine, Role.VIEWER)
    eve, bob = Client(), Client()
    eve.force_login(user("eve"))
    bob.force_login(user("bob"))
    assert b"viewer" in eve.get(page(secret)).content
    assert eve.post(page(secret)).url == reverse("estimation:dashboard", args=[mine.public_id])
    assert eve.get(reverse("estimation:dashboard", args=[mine.public_id])).status_code == 200
    refused = bob.post(page(secret))
    assert refused.status_code == 410
    assert b"used already" in refused.content
    assert not Membership.objects.filter(user__username="bob").exists()


def test_nothing_that_is_stored_opens_an_invitation(mine: Campaign, client: Client) -> None:
    one, secret = invited(mine)
    stored = Invitation.objects.values_list().get(pk=one.pk)
    assert secret not in map(str, stored)
    for value in (one.digest, one.public_id, secret[:-1], secret.upper(), "\ud800", "x" * 4000):
        assert client.get(
            f"/invitations/{value}/".encode(errors="replace").decode()
        ).status_code in (
            404,
            429,
        )


def ended(made: Campaign, how: str) -> str:
    one, secret = invited(made)
    rows = Invitation.objects.filter(pk=one.pk)
    if how == "expired":
        rows.update(expires_at=timezone.now())
    elif how == "revoked":
        members.revoke(made.pk, one.public_id, actor_id=one.created_by_id)
    elif how == "used":
        rows.update(uses=1)
    elif how == "its maker is no owner":
        other = user("bea")
        members.join(made.pk, other.pk, Role.OWNER, by=other.pk)
        members.leave(made.pk, one.created_by_id)
    elif how == "its maker's account is closed":
        User.objects.filter(pk=one.created_by_id).update(is_active=False)
    else:
        return f"{secret}0"
    return secret


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("expired", "has expired. Ask the person who sent it"),
        ("revoked", "was withdrawn. Ask the person who sent it"),
        ("used", "used already"),
        ("its maker is no owner", "was withdrawn"),
        ("its maker's account is closed", "was withdrawn"),
        ("foreign", "belongs to another server. Copy the whole link"),
    ],
)
def test_an_invitation_that_has_ended_says_what_to_do(mine: Campaign, how: str, says: str) -> None:
    secret = ended(mine, how)
    eve = Client()
    eve.force_login(user("eve"))
    for answer in (
        eve.get(page(secret)),
        eve.post(page(secret)),
        Client().post(page(secret), GOOD),
    ):
        assert answer.status_code in (404, 410)
        assert says in answer.content.decode()
        assert mine.name not in answer.content.decode()
    assert not Membership.objects.filter(user__username__in=["eve", "zoe"]).exists()
    assert not User.objects.filter(username="zoe").exists()


def test_a_new_account_and_its_membership_come_together(mine: Campaign) -> None:
    _, secret = invited(mine, Role.COLLABORATOR, email="zoe@example.org")
    visitor = Client()
    wrong = visitor.post(page(secret), {**GOOD, "again": "another"})
    assert wrong.status_code == 422
    assert b"passwords differ" in wrong.content
    assert visitor.post(page(secret), {**GOOD, "password": "1", "again": "1"}).status_code == 422
    assert not User.objects.filter(username="zoe").exists()
    assert visitor.post(page(secret), GOOD).status_code == 302
    zoe = User.objects.get(username="zoe")
    assert zoe.email == "zoe@example.org"
    assert Membership.objects.get(user=zoe).role == Role.COLLABORATOR
    assert visitor.get(reverse("annotate:account")).status_code == 200, "and logged in"


@pytest.mark.parametrize(
    "name", ["ada", "Ada", "аdа", "a d a", "ad\u200ba", "ＡＤＡ", "a.d.a", "\u3164", "x" * 81, ""]
)
def test_a_new_name_looks_like_no_other(mine: Campaign, name: str) -> None:
    """Members are known by their names: “аdа” with Cyrillic letters would pass for ada."""
    _, secret = invited(mine)
    answer = Client().post(page(secret), {**GOOD, "username": name})
    assert answer.status_code == 422
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_names_that_look_alike_are_not_chosen_at_once() -> None:
    def choose(name: str) -> bool:
        try:
            accounts.register(name, GOOD["password"])
        except Invalid:
            return False
        return True

    for n in range(3):
        assert sum(at_once([partial(choose, f"zoe{n}"), partial(choose, f"z.oe{n}")])) == 1


@pytest.mark.django_db(transaction=True)
def test_a_single_use_is_not_two() -> None:
    for n in range(3):
        made = campaign(owner=user(f"ada{n}"), items=1)
        _, secret = invited(made)

        def accept(who: int, secret: str = secret) -> bool:
            try:
                return members.accept(secret, who)
            except Gone:
                return False

        people = [user(f"{name}{n}").pk for name in ("bob", "eve", "zed")]
        assert sum(at_once([partial(accept, who) for who in people])) == 1


def test_a_member_uses_up_nothing_and_loses_nothing(ada: Client, mine: Campaign) -> None:
    one, secret = invited(mine, Role.VIEWER)
    assert ada.post(page(secret)).status_code == 302
    assert Membership.objects.get(campaign=mine).role == Role.OWNER
    assert Invitation.objects.get(pk=one.pk).uses == 0


def test_a_member_becomes_an_owner_by_accepting(mine: Campaign) -> None:
    eve = user("eve")
    members.join(mine.pk, eve.pk, Role.REVIEWER, by=eve.pk)
    _, secret = invited(mine, Role.OWNER)
    assert members.accept(secret, eve.pk)
    assert Membership.objects.get(user=eve).role == Role.OWNER


@pytest.mark.parametrize(
    "given",
    [
        {"most_uses": 0},
        {"most_uses": 101},
        {"days": 0},
        {"days": 91},
        {"role": "king"},
        {"most_uses": 2, "email": "a@example.org"},
        {"most_uses": 2, "role": "owner"},
    ],
)
def test_impossible_invitations_are_refused(ada: Client, mine: Campaign, given: dict) -> None:
    address = reverse("annotate:members", args=[mine.public_id])
    sent = {"role": "viewer", "most_uses": 1, "days": 7, **given}
    assert ada.post(address, sent).status_code == 422
    with pytest.raises(Invalid):
        members.invite(mine.pk, actor_id=owner_of(ada).pk, **sent)
    assert not Invitation.objects.exists()


def test_the_page_shows_the_link_to_owners_only(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:members", args=[mine.public_id])
    ada.post(address, {"role": "viewer", "most_uses": 3, "days": 7})
    secret = tokens.of_invitation(Invitation.objects.get().public_id)
    assert secret in ada.get(address).content.decode()
    vic = user("vic")
    members.join(mine.pk, vic.pk, Role.COLLABORATOR, by=vic.pk)
    other = Client()
    other.force_login(vic)
    assert secret not in other.get(address).content.decode()


def test_links_for_annotators_are_withdrawn_and_work_goes_on(ada: Client, mine: Campaign) -> None:
    links = reverse("annotate:people", args=[mine.public_id])
    old = ada.get(links).context["link"]
    personal = ada.post(links, {"names": "Grace"}).context["personal"][0][1]
    inside = Client()
    work = inside.post(old[old.index("/work") :], {"name": "Bob"}).url
    ada.post(reverse("annotate:withdraw-links", args=[mine.public_id]))
    for link in (old, personal):
        path = link[link.index("/work") :]
        for answer in (Client().get(path), Client().post(path, {"name": "Eve"})):
            assert answer.status_code == 410
            assert "This link was withdrawn" in answer.content.decode()
    assert inside.get(work).status_code == 200
    new = ada.get(links).context["link"]
    assert Client().get(new[new.index("/work") :]).status_code == 200


def test_time_passes_over_an_invitation(mine: Campaign) -> None:
    one, secret = invited(mine, days=1)
    assert one.expires_at - one.created_at == timedelta(days=1)
    assert members.find_invitation(secret) == one


@pytest.mark.parametrize("form", [InviteForm, EmailForm, ResetForm])
def test_an_address_that_no_column_holds_is_refused(form: Any) -> None:
    """Browsers and Django allow 320 characters."""
    host = ".".join(["x" * 60] * 4) + ".org"
    assert "email" in form({"email": f"{'a' * 60}@{host}"}).errors
    assert "email" not in form({"email": "ada@example.org"}).errors
