"""A draft is deleted: it is gone at once, and what was in it soon after."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.campaigns import creating, life
from annotate.common.errors import Conflict
from annotate.models import (
    AuditEntry,
    Campaign,
    CampaignImport,
    CampaignTexts,
    ChangeMark,
    Item,
    Membership,
    Output,
    Slot,
    System,
)
from annotate.models.base import CampaignStatus
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def ada() -> User:
    return user("ada")


@pytest.fixture
def draft(ada: User) -> Campaign:
    made = campaign(owner=ada, is_open=False, items=5, name="Secret plan")
    CampaignTexts.objects.create(campaign=made, consent="We keep nothing.")
    return made


def left(made: Campaign) -> set[str]:
    kinds = (Item, Output, Slot, System, CampaignTexts, ChangeMark, Membership, CampaignImport)
    return {kind.__name__ for kind in kinds if kind.objects.filter(campaign=made.pk).exists()}


def test_a_draft_is_gone_at_once_and_its_texts_soon_after(
    client: Client, draft: Campaign, ada: User
) -> None:
    client.force_login(ada)
    page = client.get(reverse("estimation:dashboard", args=[draft.public_id])).content.decode()
    address = reverse("annotate:campaign-delete", args=[draft.public_id])
    assert f'href="{address}"' in page
    asked = client.get(address).content.decode()
    assert "Delete this draft?" in asked
    assert "cannot be undone" in asked
    assert Membership.objects.filter(campaign=draft).exists()
    done = client.post(address, follow=True)
    assert done.redirect_chain == [(reverse("annotate:campaigns"), 302)]
    assert "The draft is deleted." in done.content.decode()
    assert "Secret plan" not in done.content.decode()
    assert client.get(reverse("estimation:dashboard", args=[draft.public_id])).status_code == 404
    assert creating.clear_due() == 1
    assert left(draft) == set()
    assert creating.clear_due() == 0
    draft.refresh_from_db()
    assert draft.name == draft.public_title == "Deleted draft"
    (entry,) = AuditEntry.objects.filter(campaign=draft, verb="delete")
    assert entry.actor == ada


def test_clearing_goes_on_where_it_was_interrupted(
    draft: Campaign, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(campaign_id: int) -> None:
        Item.objects.filter(campaign=campaign_id).first().delete()  # type: ignore[union-attr]
        raise RuntimeError("the worker was killed")

    creating.delete(draft.pk, actor_id=ada.pk)
    with monkeypatch.context() as killed:
        killed.setattr(creating, "remove_items", interrupted)
        with pytest.raises(RuntimeError):
            creating.clear_due()
    assert Item.objects.filter(campaign=draft).count() == 4
    monkeypatch.setattr(creating, "AT_ONCE", 1)
    assert creating.clear_due() == 1
    assert left(draft) == set()


@pytest.mark.parametrize("status", [one for one in CampaignStatus if one != CampaignStatus.DRAFT])
def test_what_was_ever_open_is_not_deleted(status: CampaignStatus, ada: User) -> None:
    made = campaign(owner=ada)
    Campaign.objects.filter(pk=made.pk).update(status=status)
    with pytest.raises(Conflict, match="Only a draft"):
        creating.delete(made.pk, actor_id=ada.pk)
    assert Membership.objects.filter(campaign=made).exists()
    assert creating.clear_due() == 0
    assert made.systems.exists()


def test_an_archived_draft_keeps_its_texts(draft: Campaign, ada: User) -> None:
    life.archive(draft.pk, actor_id=ada.pk)
    assert creating.clear_due() == 0
    assert draft.systems.exists()
    with pytest.raises(Conflict):
        creating.delete(draft.pk, actor_id=ada.pk)


@pytest.mark.parametrize(("role", "status"), [("collaborator", 403), ("viewer", 403), ("", 404)])
def test_only_owners_delete(draft: Campaign, client: Client, role: str, status: int) -> None:
    eve = user("eve")
    if role:
        Membership.objects.create(campaign=draft, user=eve, role=role)
    client.force_login(eve)
    address = reverse("annotate:campaign-delete", args=[draft.public_id])
    assert client.post(address).status_code == status
    api = APIClient()
    api.force_authenticate(eve)
    assert api.post(f"/api/v1/campaigns/{draft.public_id}/delete/").status_code == status
    page = client.get(reverse("estimation:dashboard", args=[draft.public_id]))
    assert "act-delete" not in page.content.decode()
    assert draft.systems.exists()


def test_programs_delete_and_archive(draft: Campaign, ada: User) -> None:
    api, base = APIClient(), f"/api/v1/campaigns/{draft.public_id}/"
    api.force_authenticate(ada)
    assert api.post(f"{base}delete/").status_code == 204
    assert api.post(f"{base}delete/").status_code == 404
    assert api.delete(base).status_code in (404, 405)
    other = campaign(owner=ada, is_open=False)
    told = api.post(f"/api/v1/campaigns/{other.public_id}/archive/")
    assert told.json()["status"] == "archived"
    again = api.post(f"/api/v1/campaigns/{other.public_id}/delete/")
    assert again.status_code == 409
