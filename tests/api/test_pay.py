"""The API about money: accounts, extra pay, pay-out lists."""

from decimal import Decimal

import pytest
from rest_framework.test import APIClient

from annotate.models import Campaign, LedgerEntry, Membership, Payout
from tests.factories import judge, person, user

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


def followed(api: APIClient, address: str) -> list[dict]:
    """Return all pages of a list, forwards, and see that they are the same backwards."""
    pages, back = [], []
    while address:
        pages.append(api.get(address).json())
        address = pages[-1]["next"]
    address = pages[-1]["previous"]
    while address:
        back.append(api.get(address).json())
        address = back[-1]["previous"]
    assert back[::-1] == pages[:-1]
    return pages


def test_accounts_come_in_pages(api, study):
    names = [f"worker-{n}" for n in range(5)]
    for name in names:
        person(study, name)
    pages = followed(api, at(study, "accounts/?page_size=3"))
    assert [len(page["accounts"]) for page in pages] == [3, 3, 1]
    assert {page["count"] for page in pages} == {7}
    every = [one["external_id"] for page in pages for one in page["accounts"]]
    assert every == list(
        study.participations.order_by("pk").values_list("annotator__external_id", flat=True)
    )


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


def test_lists_and_their_lines_come_in_pages(api, study):
    made = [api.post(at(study, "payouts/?page_size=1")).json()]
    for _time in range(2):
        api.post(at(study, f"payouts/{made[-1]['id']}/paid/"))
        judge(study.participations.first())
        made.append(api.post(at(study, "payouts/")).json())
    pages = followed(api, at(study, "payouts/?page_size=2"))
    listed = [one["id"] for page in pages for one in page["results"]]
    assert listed == [one["id"] for one in made[::-1]]
    first = made[0]
    assert (len(first["lines"]), first["people"], first["count"]) == (1, 2, 2)
    rest = api.get(first["next"]).json()
    assert rest["lines"][0]["annotator"] != first["lines"][0]["annotator"]
    assert rest["next"] is None


def test_money_is_the_owners_alone(study, client_of):
    eve = user("eve")
    Membership.objects.create(campaign=study, user=eve, role=Membership.Role.REVIEWER)
    asked = [
        ("get", "accounts/"),
        ("post", "extra-pay/"),
        ("get", "payouts/"),
        ("post", "payouts/"),
        ("get", "payouts/x/"),
        ("post", "payouts/x/paid/"),
        ("post", "payouts/x/undo/"),
    ]
    for client, status in (
        (client_of(eve), 403),
        (client_of(user("mallory")), 404),
        (APIClient(), 401),
    ):
        for method, part in asked:
            assert getattr(client, method)(at(study, part)).status_code == status, part


def test_a_list_of_another_campaign_is_not_there(api, study):
    assert api.get(at(study, "payouts/other/")).status_code == 404
