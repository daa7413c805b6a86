"""Extra pay, pay-out lists, marking them as paid, and the way back."""

import csv
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.common import lists as common_lists
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.models import (
    AuditEntry,
    Campaign,
    LedgerEntry,
    Participation,
    Payout,
    PayoutList,
    review,
)
from annotate.pay import budget, payouts, tallies
from annotate.pay.payouts import Gift, Kind
from annotate.review import reviews, rulings
from annotate.work import leasing
from tests.annotate.researcher import owner_of
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

REWARD = Decimal("0.40")


def owner() -> int:
    return User.objects.get(username="ada").pk


@pytest.fixture
def who(mine: Campaign) -> Participation:
    """Somebody with two judgments in a campaign of Ada's."""
    worker = person(mine, "Ann Lee")
    judge(worker)
    judge(worker)
    return worker


def gift(who: Participation, **changes: Any) -> Gift:
    usual = {
        "kind": Kind.BONUS,
        "pseudonym": who.annotator.pseudonym,
        "amount": Decimal("1.50"),
        "reason": "Careful notes.",
        "key": "k1",
    }
    return Gift(**(usual | changes))


def give(who: Participation, *, beyond_budget: bool = False, **changes: Any) -> payouts.GiftReceipt:
    return payouts.give(
        who.campaign_id, gift(who, **changes), actor_id=owner(), beyond_budget=beyond_budget
    )


def listed(who: Participation) -> PayoutList:
    return payouts.prepare(who.campaign_id, actor_id=owner())


def mark(made: PayoutList) -> int:
    return payouts.mark_paid(made.pk, actor_id=owner())


def undo(made: PayoutList, *people: Participation, reason: str = "Bounced.") -> int:
    names = [one.annotator.pseudonym for one in people]
    return payouts.undo(made.pk, names, actor_id=owner(), reason=reason)


def rule(who: Participation, *acts: str, beyond_budget: bool = False) -> None:
    review_id = reviews.open_by_hand(who.campaign_id, who.annotator_id, actor_id=owner())
    last = review.Ruling.objects.filter(review=review_id).order_by("-pk").first()
    rulings.rule(
        review_id,
        [rulings.Act(act) for act in acts],
        actor_id=owner(),
        reason="Spam.",
        seen=last.pk if last else 0,
        beyond_budget=beyond_budget,
    )


# ---- lists and marks -------------------------------------------------------------------------


def test_a_list_is_what_is_due_and_marking_it_records_exactly_that(who: Participation) -> None:
    nobody = person(who.campaign, "came and left")
    made = listed(who)
    assert made.rows == [[who.pk, "0.80"]]
    judge(who)  # after the list was made
    assert mark(made) == 1
    assert mark(made) == 0
    assert Payout.objects.get().amount == 2 * REWARD
    assert (tallies.accounts_of(who.pk).paid, tallies.accounts_of(who.pk).due) == (
        2 * REWARD,
        REWARD,
    )
    assert tallies.accounts_of(nobody.pk).due == 0
    assert AuditEntry.objects.filter(verb="paid_out").count() == 1


def test_the_same_list_again_while_nothing_changes(who: Participation) -> None:
    assert listed(who).pk == listed(who).pk
    judge(who)
    newer = listed(who)
    assert newer.rows == [[who.pk, "1.20"]]
    mark(newer)
    with pytest.raises(Conflict, match="everybody is paid"):
        listed(who)


def test_two_lists_of_the_same_money_pay_it_once(who: Participation) -> None:
    """Even where the amounts would fit again, because as much was earned meanwhile."""
    first = listed(who)
    judge(person(who.campaign, "bob"))
    second = listed(who)
    assert first.pk != second.pk
    mark(first)
    judge(who)
    judge(who)
    with pytest.raises(Conflict, match="Another list"):
        mark(second)
    assert Payout.objects.count() == 1
    assert mark(listed(who)) == 2


def test_pay_that_was_refused_meanwhile_is_not_recorded_as_paid(who: Participation) -> None:
    made = listed(who)
    rule(who, "exclude", "refuse")
    with pytest.raises(Conflict, match="refused since"):
        mark(made)
    assert not Payout.objects.exists()
    account = tallies.accounts_of(who.pk)
    assert (account.earned, account.refused, account.due) == (2 * REWARD, 2 * REWARD, 0)


def test_a_mistaken_mark_is_taken_back_by_an_opposite_row(who: Participation) -> None:
    bob = person(who.campaign, "bob")
    judge(bob)
    made = listed(who)
    mark(made)
    assert undo(made, bob) == 1
    assert tallies.accounts_of(bob.pk).due == REWARD
    assert tallies.accounts_of(who.pk).due == 0
    assert list(Payout.objects.filter(participation=bob).values_list("amount", flat=True)) == [
        REWARD,
        -REWARD,
    ]
    assert mark(made) == 0, "a list is marked once"
    with pytest.raises(Conflict, match="already"):
        undo(made, bob)
    again = listed(who)
    assert again.rows == [[bob.pk, "0.40"]]
    assert mark(again) == 1
    assert AuditEntry.objects.get(verb="payout_undone").detail["reason"] == "Bounced."


def test_undoing_needs_a_reason_and_people_on_the_list(who: Participation) -> None:
    made = listed(who)
    with pytest.raises(Conflict):
        undo(made, who)
    mark(made)
    with pytest.raises(Invalid):
        undo(made, who, reason=" ")
    with pytest.raises(Invalid):
        undo(made)
    with pytest.raises(Conflict):
        undo(made, who, person(who.campaign, "other"))
    assert Payout.objects.count() == 1, "all or nothing"


def test_pay_can_be_refused_again_once_its_mark_was_taken_back(who: Participation) -> None:
    made = listed(who)
    mark(made)
    with pytest.raises(Conflict, match="paid out already"):
        rule(who, "exclude", "refuse")
    undo(made, who)
    rule(who, "exclude", "refuse")
    assert tallies.accounts_of(who.pk).due == 0


def test_what_became_of_a_list(who: Participation) -> None:
    bob = person(who.campaign, "bob")
    judge(bob)
    made = listed(who)
    found = payouts.summary(who.campaign, made.public_id)
    assert (found.amount, found.paid, found.marked_at) == (3 * REWARD, 0, None)
    mark(made)
    undo(made, bob)
    wanted = common_lists.asked({}, sorts={}, size=10, anchor="")
    _listing, lines = payouts.lines_page(found, wanted)
    assert [line.state for line in lines] == ["paid", "undone"]
    _all, (found,) = payouts.summaries(who.campaign_id, wanted)
    assert (found.paid, found.undone, found.marked_by) == (2 * REWARD, 1, "ada")
    with pytest.raises(NotFound):
        payouts.summary(campaign(), made.public_id)


# ---- extra pay -------------------------------------------------------------------------------


def test_a_bonus_is_given_once_for_each_key(who: Participation) -> None:
    first, again = give(who), give(who)
    assert (first.already, again.already) == (False, True)
    assert first.entry == again.entry
    assert tallies.accounts_of(who.pk).due == 2 * REWARD + Decimal("1.50")
    assert give(who, key="k2").entry != first.entry
    for changes in ({"amount": Decimal(2)}, {"kind": Kind.COMPENSATION}):
        with pytest.raises(Conflict, match="another payment"):
            give(who, **changes)
    other = person(who.campaign, "bob")
    with pytest.raises(Conflict):
        give(other)
    assert LedgerEntry.objects.filter(kind="bonus").count() == 2
    assert AuditEntry.objects.filter(verb="bonus").count() == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", Decimal(0)),
        ("amount", Decimal("-1")),
        ("amount", Decimal("0.001")),
        ("amount", Decimal("NaN")),
        ("amount", Decimal("Infinity")),
        ("amount", Decimal("1000.01")),
        ("reason", "  "),
        ("reason", "x" * 501),
        ("key", ""),
        ("key", "x" * 41),
        ("kind", Kind.REWARD),
        ("kind", Kind.REFUSAL),
    ],
)
def test_what_cannot_be_given(who: Participation, field: str, value: Any) -> None:
    with pytest.raises(Invalid) as refused:
        give(who, **{field: value})
    assert set(refused.value.errors) == {field}
    assert LedgerEntry.objects.count() == 2


def test_nobody_outside_of_the_campaign_is_given_anything(who: Participation) -> None:
    stranger = person(campaign(), "stranger")
    with pytest.raises(NotFound):
        payouts.give(who.campaign_id, gift(stranger), actor_id=owner())


def test_the_budget_holds_with_fees_and_leases_unless_one_says_otherwise(ada: Client) -> None:
    """0.80 + 0.16 for two judgments, 0.48 reserved by a lease, 1.80 for the bonus: 3.24."""
    made = campaign(owner=owner_of(ada), fee_rate=Decimal("0.2"), budget=Decimal("3.23"))
    who = person(made)
    judge(who)
    judge(who)
    leasing.lease(who.pk)
    with pytest.raises(Conflict, match=r"exceed its budget of \$3.23 by \$0.01") as refused:
        give(who)
    assert refused.value.code == "budget"
    assert budget.excess(made) == 0
    assert give(who, amount=Decimal("1.49")).fee == Decimal("0.30")
    assert budget.excess(made) == 0
    assert budget.committed(made) == Decimal("3.23")
    given = give(who, key="k2", amount=Decimal("0.10"), beyond_budget=True)
    assert given.beyond_budget == budget.excess(made) == Decimal("0.12")
    assert AuditEntry.objects.filter(verb="bonus").first().detail["beyond_budget"] == "0.12"


# ---- pages -----------------------------------------------------------------------------------


def at(made: Campaign, name: str = "pay", *more: str) -> str:
    return reverse(f"annotate:{name}", args=[made.public_id, *more])


def rows_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(b"".join(answer.streaming_content).decode().splitlines()))


def said(answer: Any) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


@pytest.mark.slow
def test_from_the_list_to_the_mark_in_the_browser(
    ada: Client, mine: Campaign, who: Participation
) -> None:
    judge(person(mine, "=cmd|evil"))
    answer = ada.post(at(mine, "payout-prepare"), follow=True)
    assert "$1.20" in answer.content.decode()
    (made,) = PayoutList.objects.all()
    one = made.public_id
    assert rows_of(ada.get(at(mine, "payout-file", one)))[1:] == [
        [one, who.annotator.pseudonym, "Ann Lee", "0.80"],
        [one, Participation.objects.latest("pk").annotator.pseudonym, "'=cmd|evil", "0.40"],
    ]
    assert "$1.20 recorded" in said(ada.post(at(mine, "payout-mark", one), follow=True))
    assert "before" in said(ada.post(at(mine, "payout-mark", one), follow=True))
    assert "everybody is paid" in said(ada.post(at(mine, "payout-prepare"), follow=True))
    wrong = ada.post(at(mine, "payout-undo", one), {"reason": ""}, follow=True)
    assert "Say why" in said(wrong)
    body = {"reason": "Bounced.", "annotator": [who.annotator.pseudonym]}
    assert "due again" in said(ada.post(at(mine, "payout-undo", one), body, follow=True))
    page = ada.get(at(mine)).content.decode()
    for shown in ("$0.80", "1 taken back", "Ann Lee"):
        assert shown in page


@pytest.mark.slow
def test_a_bonus_by_the_form_and_its_refusals(
    ada: Client, mine: Campaign, who: Participation
) -> None:
    form = ada.get(at(mine)).context["form"]
    body = {
        "kind": "bonus",
        "annotator": who.annotator.pseudonym,
        "amount": "1.25",
        "reason": "Good notes.",
        "key": form.initial["key"],
    }
    assert "$1.25 given" in said(ada.post(at(mine, "pay-give"), body, follow=True))
    assert "before" in said(ada.post(at(mine, "pay-give"), body, follow=True))
    assert LedgerEntry.objects.get(kind="bonus").reason == "Good notes."
    for wrong in ({"amount": "-1"}, {"amount": "1e999"}, {"reason": ""}, {"kind": "reward"}):
        assert ada.post(at(mine, "pay-give"), body | wrong).status_code == 422
    Campaign.objects.filter(pk=mine.pk).update(budget=Decimal(1))
    over = body | {"key": "k2"}
    answer = ada.post(at(mine, "pay-give"), over)
    assert answer.status_code == 409
    assert b"beyond_budget" in answer.content
    answer = ada.post(at(mine, "pay-give"), over | {"beyond_budget": "on"}, follow=True)
    assert "exceeded" in said(answer)
    for name in ("pay", "people"):
        assert b"beyond" in ada.get(at(mine, name)).content
