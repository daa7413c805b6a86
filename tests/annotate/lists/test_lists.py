"""People, pay, pay-out lists, batches and campaigns are listed page by page, whatever is asked."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.campaigns.views import PEOPLE_ORDERS
from annotate.common import lists as common_lists
from annotate.models import Campaign, LedgerEntry
from annotate.pay import payouts, tallies
from annotate.pay import queries as pay_queries
from annotate.pay.views import ORDERS as PAY_ORDERS
from tests.annotate.lists import crowd
from tests.factories import campaign, user

pytestmark = [pytest.mark.django_db, pytest.mark.orm]

HOSTILE = (
    "page=-1",
    "page=99999999999999999999999999999999",
    "page=abc",
    "page=%00",
    "page=%D9%A2",  # an Arabic two
    "q=%00",
    "q=%25%27%20OR%201=1--",
    "q=%5C%22%27",
    "q=%ED%A0%80",  # an unpaired surrogate
    "q=" + "x" * 3000,
    "sort=pk",
    "sort=external_id);DROP TABLE",
    "sort=__class__",
    "show=everything",
    "lists=-7&comments=x&to=%00",
)


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


@pytest.fixture
def mine(ada: Client) -> Campaign:
    from django.contrib.auth.models import User

    return campaign(owner=User.objects.get(username="ada"), items=2)


def at(made: Campaign, page: str, *more: str) -> str:
    return reverse(f"annotate:{page}", args=[made.public_id, *more])


def asked(query: str = "", **changes: Any) -> common_lists.Listing:
    from django.http import QueryDict

    options = {"sorts": PAY_ORDERS, "choices": {"all": "", "due": ""}, "size": 7, "anchor": "a"}
    return common_lists.asked(QueryDict(query), **(options | changes))


def owner_id(made: Campaign) -> int:
    return made.memberships.get(role="owner").user_id


# ---------------------------------------------------------------- every page together


@pytest.mark.parametrize("order", sorted({*PAY_ORDERS, *PEOPLE_ORDERS}))
@pytest.mark.parametrize("sign", ["", "-"])
def test_the_pages_together_show_everybody_once_in_order(
    mine: Campaign, order: str, sign: str
) -> None:
    crowd.people(mine, 40)
    orders = dict.fromkeys((*PAY_ORDERS, *PEOPLE_ORDERS), "")
    seen, number = [], 1
    while True:
        listing = asked(f"sort={sign}{order}&page={number}", sorts=orders)
        found = pay_queries.people_of_campaign(mine.pk, listing, by_name=True)
        seen += found.rows
        if not found.listing.after:
            break
        number += 1
    assert number == 6
    assert len({one.pseudonym for one in seen}) == len(seen) == 40
    value = {
        "due": lambda one: -one.money.due,
        "earned": lambda one: -one.money.earned,
        "refused": lambda one: -one.money.refused,
        "paid": lambda one: -one.money.paid,
        "judgments": lambda one: -one.judgments,
        "name": lambda one: one.external_id,
    }.get(order)
    if value is None:
        return
    shown = [value(one) for one in seen]
    if order == "name":  # the database's own order of letters
        ids = [one.external_id for one in seen]
        names = list(
            mine.participations.order_by("annotator__external_id").values_list(
                "annotator__external_id", flat=True
            )
        )
        assert ids == (names[::-1] if sign else names)
    else:
        assert shown == sorted(shown, reverse=bool(sign))


def test_a_page_shows_what_the_accounts_say(ada: Client, mine: Campaign) -> None:
    crowd.people(mine, 60)
    by_name = {one.pseudonym: one for one in tallies.accounts_of_campaign(mine.pk)}
    found = pay_queries.people_of_campaign(mine.pk, asked(size=100), by_name=True)
    assert found.totals == tallies.totals(list(by_name.values()))
    for one in found.rows:
        account = by_name[one.pseudonym]
        sums = (account.earned, account.refused, account.paid, account.due)
        assert (one.money.earned, one.money.refused, one.money.paid, one.money.due) == sums
    page = ada.get(at(mine, "pay") + "?show=due&sort=-due").context["people"]
    assert page.listing.n == sum(one.due > 0 for one in by_name.values())
    assert page.totals == found.totals, "totals are of everybody"


def test_the_export_is_whole(ada: Client, mine: Campaign) -> None:
    crowd.people(mine, 120)
    lines = b"".join(ada.get(at(mine, "payments") + "?page=2&q=x")).decode().splitlines()  # type: ignore[arg-type]
    assert len(lines) == 121


# ---------------------------------------------------------------- searching


def test_names_are_found_as_they_look_by_the_owner_alone(ada: Client, mine: Campaign) -> None:
    from tests.factories import person

    crowd.people(mine, 3)
    from annotate.work import participations as joining

    joining.enter_by_name(mine.pk, name="Ana 100% _x_")
    person(mine, "somebody else")

    def found(page: str, words: str) -> list[str]:
        rows = ada.get(at(mine, page), {"q": words}).context["people"].rows
        return [one.external_id for one in rows]

    assert found("pay", "100%") == ["Ana 100% _x_"]
    assert found("pay", "_X_") == ["Ana 100% _x_"]
    assert found("pay", "\u0410n\u0430 100% _x_") == ["Ana 100% _x_"], "Cyrillic letters"
    assert found("people", "Ana") == [], "reviewers must not search for names"
    pseudonym = mine.participations.order_by("-pk")[0].annotator.pseudonym
    assert found("people", pseudonym.upper()) == ["somebody else"]


def test_links_keep_what_was_asked(ada: Client, mine: Campaign) -> None:
    crowd.people(mine, 120)
    page = ada.get(at(mine, "pay") + "?q=person&sort=-earned&page=2").content.decode()
    links = [html.unescape(one) for one in re.findall(r'href="(\?[^"]*)#accounts-h"', page)]
    assert "?q=person&sort=-earned" in links, "the page before"
    assert "?q=person&sort=-earned&page=3" in links
    assert "?q=person&sort=earned" in links, "the other way round"
    assert 'aria-sort="ascending"' in page


# ---------------------------------------------------------------- hostile addresses, many rows


@pytest.mark.parametrize("query", HOSTILE)
def test_whatever_stands_in_the_address_is_answered(
    ada: Client, mine: Campaign, query: str
) -> None:
    crowd.people(mine, 3)
    made = payouts.prepare(mine.pk, actor_id=owner_id(mine))
    market = campaign(owner=made.actor, crowd="mturk", items=2, fee_rate=0)
    for address in (
        reverse("annotate:campaigns"),
        at(mine, "people"),
        at(mine, "items"),
        at(mine, "pay"),
        at(mine, "payout-list", made.public_id),
        at(market, "batches"),
        at(market, "batches-now"),
        reverse("estimation:at-target") + "?campaign=-1&campaign=x",
    ):
        joined = "&" if "?" in address else "?"
        answer = ada.get(f"{address}{joined}{query}")
        wanted = (400,) if "%00" in query else (200, 286)  # no address holds a NUL
        assert answer.status_code in wanted, (address, query)


def queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address).status_code == 200
    return len(seen)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["people", "pay"])
def test_the_queries_and_bytes_do_not_grow_with_people(
    ada: Client, mine: Campaign, page: str
) -> None:
    crowd.people(mine, 3)
    few = queries(ada, at(mine, page))
    crowd.people(mine, 297)
    assert queries(ada, at(mine, page)) == few
    assert len(ada.get(at(mine, page)).content) < 100_000


@pytest.mark.slow
def test_the_queries_do_not_grow_with_campaigns(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:campaigns")
    few = queries(ada, address)
    owner = mine.memberships.get().user
    for _n in range(30):
        campaign(owner=owner, items=1)
    assert queries(ada, address) == few
    assert len(ada.get(address).context["campaigns"]) == 25
    names = [
        one.campaign.public_id for n in (1, 2) for one in campaigns(ada, f"?page={n}&sort=name")
    ]
    assert len(set(names)) == len(names) == 31


def campaigns(client: Client, query: str) -> Any:
    return client.get(reverse("annotate:campaigns") + query).context["campaigns"]


def test_campaigns_are_chosen_by_name_and_state(ada: Client, mine: Campaign) -> None:
    owner = mine.memberships.get().user
    draft = campaign(owner=owner, items=1, is_open=False, name="100% draft")
    assert [one.campaign.public_id for one in campaigns(ada, "?show=draft")] == [draft.public_id]
    assert [one.campaign.public_id for one in campaigns(ada, "?q=0%25")] == [draft.public_id]
    assert campaigns(ada, "?show=archived") == []
    page = ada.get(reverse("annotate:campaigns") + "?show=archived").content.decode()
    assert "No campaign is in this part of the list" in page
    assert "New campaign" in page


# ---------------------------------------------------------------- pay-out lists


def test_the_list_counts_what_counts(ada: Client, mine: Campaign) -> None:
    from tests.factories import judge, leased, person

    who = person(mine)
    judge(who)
    leased(who)
    (row,) = campaigns(ada, "")
    assert row.judged == 1
    assert row.campaign.planned == mine.slots.count()
    assert row.campaign.totals.spent > 0


@pytest.mark.slow
def test_everybody_who_is_due_is_marked_whatever_page_is_shown(ada: Client, mine: Campaign) -> None:
    crowd.people(mine, 250)
    due = sum(one.due > 0 for one in tallies.accounts_of_campaign(mine.pk))
    ada.post(at(mine, "payout-prepare") + "?page=2&q=nobody")
    (made,) = mine.payout_lists.all()
    address = at(mine, "payout-list", made.public_id)
    pages = [ada.get(f"{address}?page={n}").context["lines"] for n in (1, 2, 3)]
    shown = [line.pseudonym for lines in pages for line in lines]
    assert len(set(shown)) == len(shown) == due == 250
    ada.post(at(mine, "payout-mark", made.public_id))
    assert all(one.due == 0 for one in tallies.accounts_of_campaign(mine.pk))
    assert payouts.summary(mine, made.public_id).paid == made.amount
    few = queries(ada, address)
    assert queries(ada, address + "?page=3") == few
    third = ada.get(address + "?page=3").context["lines"][0].pseudonym
    back = ada.post(at(mine, "payout-undo", made.public_id), {"annotator": third, "reason": "No."})
    assert back.status_code == 302
    assert [one.pseudonym for one in tallies.accounts_of_campaign(mine.pk) if one.due] == [third]
    (line,) = ada.get(address, {"q": third}).context["lines"]
    assert line.state == "undone"


def test_extra_pay_is_given_by_pseudonym(ada: Client, mine: Campaign) -> None:
    who, other = crowd.people(mine, 2)
    address = at(mine, "pay")
    page = ada.get(f"{address}?to={who.annotator.pseudonym}").content.decode()
    assert f'value="{who.annotator.pseudonym}"' in page
    gift = {"kind": "bonus", "amount": "1.00", "reason": "Thanks.", "key": "k"}
    wrong = ada.post(at(mine, "pay-give"), {**gift, "annotator": "nobody"})
    assert wrong.status_code == 422
    assert "has entered the campaign" in wrong.content.decode()
    given = ada.post(at(mine, "pay-give"), {**gift, "annotator": who.annotator.pseudonym})
    assert given.status_code == 302
    assert LedgerEntry.objects.filter(participation=who, reason="Thanks.").count() == 1
    assert not LedgerEntry.objects.filter(participation=other, reason="Thanks.").exists()


def test_the_budget_of_many_people_comes_after_the_page(
    ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.contrib.auth.models import User

    from annotate.campaigns import views as budgets

    monkeypatch.setattr(budgets, "MANY", 2)
    made = campaign(owner=User.objects.get(), items=2, budget=1)
    crowd.people(made, 3)
    for page in ("people", "pay"):
        said = ada.get(at(made, page)).content.decode()
        assert at(made, "pay-budget") in said
        assert "beyond the budget" not in said
    later = ada.get(at(made, "pay-budget")).content.decode()
    assert "beyond the budget" in later
