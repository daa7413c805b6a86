"""The API about money: accounts, extra pay, pay-out lists."""

from decimal import Decimal

import pytest

from annotate.models import Campaign, LedgerEntry, Payout
from tests.factories import person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def at(study: Campaign, part: str) -> str:
    return f"/api/v1/campaigns/{study.public_id}/{part}"


def test_accounts_are_money_as_text(api, study):
    body = api.get(at(study, "accounts/")).json()
    assert (body["budget"], body["committed"], body["beyond_budget"]) == (None, "1.20", "0.00")
    first, second = body["accounts"]
    assert first["external_id"] == "worker-A1B2"
    money = {name: first[name] for name in ("earned", "refused", "paid", "due")}
    assert money == {"earned": "0.80", "refused": "0.00", "paid": "0.00", "due": "0.80"}
    assert second["due"] == "0.40"


def test_extra_pay_is_given_once_for_each_key(api, study):
    worker = study.participations.first().annotator.pseudonym
    gift = {"kind": "bonus", "annotator": worker, "amount": "1.50", "reason": "Thanks.", "key": "a"}
    first = api.post(at(study, "extra-pay/"), gift, format="json")
    again = api.post(at(study, "extra-pay/"), gift, format="json")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == {
        "amount": "1.50",
        "fee": "0.00",
        "beyond_budget": "0.00",
        "already": False,
    }
    assert again.json()["already"] is True
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1
    changed = api.post(at(study, "extra-pay/"), gift | {"amount": "2"}, format="json")
    assert (changed.status_code, changed.json()["error"]) == (409, "conflict")
    for wrong in ({"kind": "reward"}, {"amount": "0"}, {"amount": "NaN"}, {"reason": ""}):
        answer = api.post(at(study, "extra-pay/"), gift | {"key": "b"} | wrong, format="json")
        assert answer.status_code == 422
        assert set(answer.json()["errors"]) == set(wrong)
    unknown = api.post(at(study, "extra-pay/"), gift | {"annotator": "nobody"}, format="json")
    assert unknown.status_code == 404


def test_a_budget_is_not_exceeded_unasked(api, study):
    Campaign.objects.filter(pk=study.pk).update(budget=Decimal("1.20"))
    worker = study.participations.first().annotator.pseudonym
    gift = {
        "kind": "compensation",
        "annotator": worker,
        "amount": "0.40",
        "reason": "It broke.",
        "key": "a",
    }
    refused = api.post(at(study, "extra-pay/"), gift, format="json")
    assert (refused.status_code, refused.json()["error"]) == (409, "budget")
    given = api.post(at(study, "extra-pay/"), gift | {"beyond_budget": True}, format="json")
    assert given.json()["beyond_budget"] == "0.40"
    assert api.get(at(study, "accounts/")).json()["beyond_budget"] == "0.40"


def test_a_list_is_made_marked_and_taken_back(api, study):
    made = api.post(at(study, "payouts/"))
    assert made.status_code == 201
    one = made.json()
    assert (one["amount"], one["paid"], one["marked_at"]) == ("1.20", "0.00", None)
    assert [line["state"] for line in one["lines"]] == ["", ""]
    for _ in range(2):
        marked = api.post(at(study, f"payouts/{one['id']}/paid/")).json()
        assert (marked["paid"], marked["marked_by"]) == ("1.20", "ada")
    assert Payout.objects.count() == 2
    assert api.post(at(study, "payouts/")).status_code == 409
    who = one["lines"][1]["annotator"]
    body = {"annotators": [who], "reason": "Bounced."}
    undone = api.post(at(study, f"payouts/{one['id']}/undo/"), body, format="json").json()
    assert [line["state"] for line in undone["lines"]] == ["paid", "undone"]
    assert undone["paid"] == "0.80"
    assert api.post(at(study, f"payouts/{one['id']}/undo/"), body, format="json").status_code == 409
    (listed,) = api.get(at(study, "payouts/")).json()["results"]
    assert undone == api.get(at(study, f"payouts/{one['id']}/")).json()
    assert listed.items() <= undone.items()
    assert (listed["people"], listed["undone"]) == (2, 1)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=A1B2", ["worker-A1B2"]),
        ("show=due&sort=-due", ["worker-C3D4", "worker-A1B2"]),
        ("show=idle", ["idle"]),
        ("sort=name", ["idle", "worker-A1B2", "worker-C3D4"]),
        ("page_size=x&sort=?&show=%00&q=%00", ["worker-A1B2", "worker-C3D4", "idle"]),
    ],
)
def test_accounts_are_searched_and_sorted(api, study, query, found):
    person(study, "idle")
    body = api.get(at(study, f"accounts/?{query}")).json()
    assert [one["external_id"] for one in body["accounts"]] == found


def test_a_list_of_another_campaign_is_not_there(api, study):
    assert api.get(at(study, "payouts/other/")).status_code == 404
