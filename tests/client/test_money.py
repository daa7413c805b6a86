"""The client about money and gold: batches, pay and known answers, against the product."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from plumbline_client import Conflict, NotFound, Plumbline, Refused

from annotate.common import tokens
from annotate.crowds import outbox
from annotate.models import Batch, Campaign, GoldFinding, LedgerEntry
from tests.annotate.gold.study import planted, with_gold
from tests.annotate.gold.test_gold_sources import district_rows
from tests.annotate.lists import crowd
from tests.crowds.conftest import scripted  # noqa: F401  (a fixture)
from tests.crowds.scripted import Scripted
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TERMS: dict[str, Any] = {"title": "Rate news", "description": "Read and rate it.", "tasks": 2}


def owner() -> User:
    return User.objects.get(username="ada")


def test_a_batch_from_the_offer_to_the_stop(ada: Plumbline, scripted: Scripted) -> None:  # noqa: F811
    made = campaign(
        owner=owner(), crowd="mturk", reward=Decimal("0.50"), budget=Decimal(100), items=32
    )
    batches = ada.batches(made.public_id)
    offer = batches.offer(4, **TERMS)
    assert (offer.total, offer.environment, offer.problems) == (Decimal("4.80"), "sandbox", ())
    assert list(batches) == []
    first = batches.launch(offer, key="a", **TERMS)
    assert batches.launch(offer, key="a", **TERMS) == first
    assert (first.state, first.places, first.reward) == ("planned", 4, Decimal("1.00"))
    outbox.carry_out_due()
    more = batches.offer_more(first.id, 2)
    assert more.total == Decimal("2.40")
    assert batches.extend(first.id, more).places == 6
    assert batches.look() == 1
    assert batches.stop(first.id).state in ("stopping", "draining", "closed")
    assert [one.id for one in batches] == [first.id]
    assert Batch.objects.count() == 1
    made.refresh_from_db()
    scripted.funds = Decimal(1)
    assert [name for name, _said in batches.offer(4, **TERMS).problems] == ["balance"]
    with pytest.raises(Refused) as poor:
        batches.launch(offer, **TERMS)
    assert set(poor.value.errors) == {"balance"}


def test_another_total_is_not_agreed_to(ada: Plumbline, scripted: Scripted) -> None:  # noqa: F811
    made = campaign(owner=owner(), crowd="mturk", reward=Decimal("0.50"), items=32)
    batches = ada.batches(made.public_id)
    offer = batches.offer(4, **TERMS)
    Campaign.objects.filter(pk=made.pk).update(reward=Decimal("0.60"))
    with pytest.raises(Conflict):
        batches.launch(offer, **TERMS)
    assert not Batch.objects.exists()


def test_pay_from_the_account_to_the_list(ada: Plumbline) -> None:
    made = campaign(owner=owner(), reward=Decimal("0.40"))
    people = [person(made, name) for name in ("Grace", "Mary")]
    for who in people:
        judge(who)
    pay = ada.pay(made.public_id)
    grace = people[0].annotator.pseudonym
    assert pay.give(grace, "0.10", kind="bonus", reason="Thank you.", key="k")
    assert not pay.give(grace, "0.10", kind="bonus", reason="Thank you.", key="k")
    found = {one.external_id: (one.earned, one.due) for one in pay}
    assert found == {
        "Grace": (Decimal("0.50"), Decimal("0.50")),
        "Mary": (Decimal("0.40"), Decimal("0.40")),
    }
    payout = pay.prepare()
    pay.mark_paid(payout)
    pay.mark_paid(payout)
    assert {one.external_id: one.state for one in pay.lines(payout)} == {
        "Grace": "paid",
        "Mary": "paid",
    }
    pay.undo(payout, [grace], reason="It came back.")
    assert {one.external_id: one.due for one in pay}["Grace"] == Decimal("0.50")
    assert [one["id"] for one in pay.lists()] == [payout]
    assert LedgerEntry.objects.exists()


def test_gold_is_added_confirmed_and_removed(ada: Plumbline) -> None:
    made = campaign(owner=owner(), is_open=False, rows_=district_rows(12))
    gold = ada.gold(made.public_id)
    assert (gold.state().share, gold.state().items) == (0, ())
    own = {"item": "mine", "output": "The the bridge.", "expected": {"fluency": [0, -1]}}
    (first,) = gold.add([own]).items
    assert (first.item, first.confirmed, first.expected) == ("mine", True, {"fluency": [-1, 0]})
    planted(made)
    items = gold.state().items
    assert [one.confirmed for one in items] == [True, False, False]
    assert gold.confirm([items[1].item]).items[1].confirmed
    assert len(gold.remove([items[2].item]).items) == 2
    assert gold.share(5).share == 5
    with pytest.raises(Refused):
        gold.share(99)


def test_gold_of_many_items_comes_whole(ada: Plumbline) -> None:
    made = with_gold(campaign(owner=owner(), is_open=False), n=230, is_open=False)
    crowd.people(made, 120)
    GoldFinding.objects.bulk_create(
        GoldFinding(
            campaign=made,
            annotator=one.annotator,
            answered=5,
            used=5,
            wrong=1,
            by_honest=0.5,
            by_guess=0.5,
            listed=False,
        )
        for one in made.participations.select_related("annotator")
    )
    gold = ada.gold(made.public_id)
    assert [one.item for one in gold.state().items] == [f"gold-{n}" for n in range(230)]
    assert len(gold.share(4).items) == 230
    assert len({one["annotator"] for one in gold.people()}) == 120


def test_others_see_none_of_it(ada: Plumbline) -> None:
    foreign = campaign(owner=user("eve")).public_id
    for ask in (
        lambda: list(ada.pay(foreign)),
        lambda: list(ada.batches(foreign)),
        ada.gold(foreign).state,
        lambda: list(ada.gold(foreign).people()),
        lambda: ada.link(foreign),
        lambda: list(ada.notifications(foreign)),
    ):
        with pytest.raises(NotFound):
            ask()


def named_by(link: str) -> tuple[int, str, int]:
    return tokens.read_invitation(link.rstrip("/").rpartition("/")[2])


def test_links_for_everybody_and_for_each(ada: Plumbline) -> None:
    made = campaign(owner=owner())
    open_link = ada.link(made.public_id)
    personal = ada.personal_links(made.public_id, ["Ann", " Bob  B "])
    assert list(personal) == ["Ann", "Bob B"]
    assert len({open_link, *personal.values()}) == 3
    assert all("/work/join/" in link for link in (open_link, *personal.values()))
    again = ada.post(f"campaigns/{made.public_id}/links/withdraw/")["open"]
    # Links carry the second in which they are made: what they name is compared.
    assert named_by(again) != named_by(open_link)
    assert named_by(ada.link(made.public_id)) == named_by(again)
    on_crowd = campaign(owner=owner(), crowd="mturk", fee_rate=0, double_share=0)
    with pytest.raises(Conflict, match="not by links"):
        ada.link(on_crowd.public_id)
