"""A person may exceed the budget, is asked first, and the log keeps it."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotate.models import AuditEntry, Campaign, Participation, Ruling
from annotate.pay import budget
from annotate.review import rulings
from annotate.review.rulings import Act
from tests.annotate.researcher import owner_of
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def refused(owner: User) -> tuple[Campaign, Participation]:
    """Somebody's pay was refused, and what it freed was earned by somebody else."""
    made = campaign(owner=owner, budget=Decimal("0.80"))
    who, other = person(made, "who"), person(made, "other")
    judge(who)
    judge(who)
    rulings.rule_on_person(
        made.pk,
        who.annotator_id,
        [Act.EXCLUDE, Act.REFUSE],
        actor_id=owner.pk,
        reason="Spam.",
        seen=0,
    )
    judge(other)
    judge(other)
    assert budget.excess(made) == 0
    return made, who


@pytest.mark.slow
@pytest.mark.parametrize(("choice", "verb"), [("repay", "repay"), ("restore", "restore")])
def test_the_page_asks_before_restored_pay_exceeds_the_budget(
    ada: Client, choice: str, verb: str
) -> None:
    made, who = refused(owner_of(ada))
    seen = Ruling.objects.order_by("-pk")[0].pk
    address = reverse("annotate:review-rule", args=[made.public_id, who.annotator.pseudonym])
    sent = {"choice": choice, "reason": "We were wrong.", "seen": seen}
    asked = ada.post(address, sent)
    assert asked.status_code == 409
    text = " ".join(asked.content.decode().split())
    assert "would exceed its budget of $0.80 by $0.80" in text
    assert 'name="beyond_budget"' in text
    assert budget.excess(made) == 0
    assert Ruling.objects.order_by("-pk")[0].pk == seen
    assert ada.post(address, sent | {"beyond_budget": "1"}).status_code == 302
    assert budget.excess(made) == Decimal("0.80")
    assert "0.80 beyond the budget" in AuditEntry.objects.get(verb=verb).detail["done"]


@pytest.mark.slow
def test_the_api_asks_too(ada: Client) -> None:
    made, who = refused(owner_of(ada))
    api = APIClient()
    api.force_authenticate(owner_of(ada))
    base = f"/api/v1/campaigns/{made.public_id}/reviews/{who.annotator.pseudonym}/"
    seen = api.get(base).json()["seen"]
    body = {"acts": ["repay"], "seen": seen}
    asked = api.post(f"{base}rule/", body, format="json")
    assert (asked.status_code, asked.json()["error"]) == (409, "budget")
    done = api.post(f"{base}rule/", body | {"beyond_budget": True}, format="json")
    assert done.status_code == 200, done.json()
    assert budget.excess(made) == Decimal("0.80")


def test_a_ruling_that_restores_no_pay_asks_nothing(ada: Client) -> None:
    made, who = refused(owner_of(ada))
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal("0.10"))  # exceeded already
    last = Ruling.objects.order_by("-pk")[0].pk
    rulings.rule_on_person(
        made.pk, who.annotator_id, [Act.BLOCK], actor_id=owner_of(ada).pk, reason="Spam.", seen=last
    )
