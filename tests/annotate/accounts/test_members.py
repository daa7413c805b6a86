"""Roles given and taken back: a campaign always keeps an owner."""

from contextlib import suppress
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotate.campaigns import members
from annotate.common import access
from annotate.common.errors import Conflict, ServiceError
from annotate.models import AuditEntry, Campaign, Membership
from annotate.models.base import MemberRole as Role
from tests.annotate.researcher import owner_of
from tests.annotate.work.storms import at_once
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def member(made: Campaign, name: str, role: str) -> Membership:
    who = user(name)
    assert members.join(made.pk, who.pk, role, by=who.pk)
    return Membership.objects.get(campaign=made, user=who)


def role_of(one: Membership) -> str | None:
    return access.role(one.user_id, one.campaign_id)


class Acts(TestCase):
    @pytest.mark.slow
    @settings(max_examples=25)
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["role", "remove", "leave", "close account"]),
                st.integers(0, 3),
                st.sampled_from([*Role.values, "king"]),
            ),
            max_size=12,
        )
    )
    def test_whatever_is_asked_an_active_owner_stays(self, acts: list) -> None:
        made = campaign(owner=user("ada"), items=1)
        rows = [Membership.objects.get(campaign=made)]
        rows += [member(made, name, Role.OWNER) for name in ("bea", "cyn")]
        rows.append(member(made, "dan", Role.VIEWER))
        owners = Membership.objects.filter(campaign=made, role=Role.OWNER, user__is_active=True)
        for act, n, role in acts:
            row = rows[n]
            if act == "close account":
                if owners.exclude(user=row.user_id).exists():
                    User.objects.filter(pk=row.user_id).update(is_active=False)
                continue
            with suppress(ServiceError):
                if act == "role":
                    members.change_role(made.pk, row.pk, role, actor_id=row.user_id)
                elif act == "remove":
                    members.remove(made.pk, row.pk, actor_id=rows[0].user_id)
                else:
                    members.leave(made.pk, row.user_id)
            assert owners.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["leave", "demote"])
def test_two_owners_do_not_leave_at_once(how: str) -> None:
    """Each would see the other one stay: they must wait for each other."""
    for n in range(5):
        made = campaign(owner=user(f"ada{n}"), items=1)
        other = member(made, f"bea{n}", Role.OWNER)
        both = [Membership.objects.get(campaign=made, user__username=f"ada{n}"), other]

        def go(row: Membership) -> bool:
            try:
                if how == "leave":
                    members.leave(row.campaign_id, row.user_id)
                else:
                    members.change_role(row.campaign_id, row.pk, Role.VIEWER, actor_id=row.user_id)
            except Conflict:
                return False
            return True

        assert sorted(at_once([partial(go, row) for row in both])) == [False, True]
        assert Membership.objects.filter(campaign=made, role=Role.OWNER).count() == 1


def test_who_could_see_results_is_not_blind_as_a_reviewer_later(mine: Campaign) -> None:
    ada = Membership.objects.get(campaign=mine)
    demoted, again = member(mine, "dee", Role.VIEWER), member(mine, "rob", Role.COLLABORATOR)
    fresh = member(mine, "sue", Role.REVIEWER)
    members.change_role(mine.pk, demoted.pk, Role.REVIEWER, actor_id=ada.user_id)
    members.remove(mine.pk, again.pk, actor_id=ada.user_id)
    assert members.join(mine.pk, again.user_id, Role.REVIEWER, by=ada.user_id)
    seen = {one.user_id: access.sight(one.user_id, mine) for one in (demoted, again, fresh)}
    assert list(seen.values()) == ["seen", "seen", "blind"]


def test_an_owner_is_made_by_their_own_consent_only(ada: Client, mine: Campaign) -> None:
    """A block by an owner covers the other campaigns of all owners."""
    viewer = member(mine, "vic", Role.VIEWER)
    address = reverse("annotate:member-role", args=[mine.public_id, viewer.pk])
    (message,) = ada.post(address, {"role": "owner"}, follow=True).context["messages"]
    assert "must agree" in str(message)
    assert role_of(viewer) == Role.VIEWER


def test_roles_change_and_end_on_the_page_and_are_logged(ada: Client, mine: Campaign) -> None:
    vic, rob = member(mine, "vic", Role.VIEWER), member(mine, "rob", Role.REVIEWER)
    at = partial(reverse, args=[mine.public_id, vic.pk])
    ada.post(at("annotate:member-role"), {"role": "collaborator"})
    assert role_of(vic) == Role.COLLABORATOR
    ada.post(reverse("annotate:member-remove", args=[mine.public_id, vic.pk]))
    assert role_of(vic) is None
    leaving = Client()
    leaving.force_login(rob.user)
    answer = leaving.post(reverse("annotate:member-leave", args=[mine.public_id]), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("annotate:campaigns")
    logged = AuditEntry.objects.filter(campaign=mine, subject__startswith="user:").order_by("pk")
    assert list(logged.values_list("verb", "actor__username"))[-3:] == [
        ("change_role", "ada"),
        ("remove_member", "ada"),
        ("leave", "rob"),
    ]


def test_the_last_owner_reads_what_to_do(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:member-leave", args=[mine.public_id])
    (message,) = ada.post(address, follow=True).context["messages"]
    assert "Invite another owner first" in str(message)
    assert access.role(owner_of(ada).pk, mine.pk) == Role.OWNER


def test_a_member_of_another_campaign_cannot_be_named(ada: Client, mine: Campaign) -> None:
    theirs = campaign(owner=user("eve"), items=1)
    row = Membership.objects.get(campaign=theirs)
    address = reverse("annotate:member-remove", args=[mine.public_id, row.pk])
    (message,) = ada.post(address, follow=True).context["messages"]
    assert "not a member" in str(message)
    assert role_of(row) == Role.OWNER
