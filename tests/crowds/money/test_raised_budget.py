"""A budget that pays for no further place is told with what is missing, and raised by an act."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import amendments
from annotate.common.errors import Conflict, Invalid
from annotate.models import AuditEntry, Campaign
from annotate.pay import budget
from estimation import deferred
from tests.crowds.clock import Clock
from tests.crowds.scripted import Scripted
from tests.estimation.advised import World
from tests.estimation.advised.at_a_crowd import budget_short
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.mark.slow
def test_the_smallest_sum_that_buys_a_place_is_told_and_lifts_it(client: Client) -> None:
    ada = user()
    client.force_login(ada)
    with World(ada, Clock(), Scripted(auto_approval=True)) as world:
        made = budget_short(world)
        made.refresh_from_db()
        short = budget.short_of_a_place(made)
        # One task for 0.40 and a bonus of 0.75, with 20 % each; 0.50 is left.
        assert short == Decimal("0.48") + Decimal("0.90") - Decimal("0.50")
        batches = reverse("annotate:batches", args=[made.public_id])
        address = reverse("annotate:budget", args=[made.public_id])
        board = reverse("estimation:dashboard", args=[made.public_id])
        for page in (board, batches):
            said = client.get(page).content.decode()
            assert "$0.88 more pays for one submission with one task" in said
            assert address in said
            assert reverse("annotate:act", args=[made.public_id, "close"]) in said
        deferred.note(Campaign.objects.get(pk=made.pk))
        listed = client.get(reverse("annotate:campaigns")).content.decode()
        assert "Raise the budget, or end the collection" in listed
        told = client.get(address).content.decode()
        assert f"a budget of ${made.budget + short}" in told
        refused = client.post(address, {"budget": "1"})
        assert refused.status_code == 422
        client.post(address, {"budget": str(made.budget + short)})
        said = client.get(board).content.decode()
        assert "Launch another batch" in said
        assert "raised the budget from" in said


def test_a_budget_is_raised_once_and_never_lowered(client: Client) -> None:
    ada = user()
    made = campaign(owner=ada, budget=Decimal(20))
    assert amendments.raise_budget(made.pk, Decimal(30), actor_id=ada.pk)
    assert not amendments.raise_budget(made.pk, Decimal(30), actor_id=ada.pk)
    row = AuditEntry.objects.get(campaign=made, verb="raise_budget")
    assert row.actor == ada
    assert row.detail == {"was": "20.00", "now": "30.00"}
    for wrong in ("30.001", "29", "0", "NaN", "1e9"):
        with pytest.raises(Invalid):
            amendments.raise_budget(made.pk, Decimal(wrong), actor_id=ada.pk)
    with pytest.raises(Conflict):
        amendments.raise_budget(campaign(owner=ada).pk, Decimal(30), actor_id=ada.pk)
    address = f"/api/v1/campaigns/{made.public_id}/budget/"
    client.force_login(ada)
    told = client.post(address, {"budget": "45.50"}, content_type="application/json")
    assert told.json() == {"budget": "45.50"}
    assert Campaign.objects.get(pk=made.pk).budget == Decimal("45.50")
    lower = client.post(address, {"budget": "45"}, content_type="application/json")
    assert lower.status_code == 422
    bea = user("bea")
    made.memberships.create(user=bea, role="collaborator")
    client.force_login(bea)
    more = client.post(address, {"budget": "90"}, content_type="application/json")
    assert more.status_code == 403, "money is the owner's"
