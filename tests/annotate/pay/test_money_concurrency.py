"""Two who pay, give or refuse at once: one outcome, and money is paid once."""

from contextlib import suppress
from decimal import Decimal

import pytest
from django.contrib.auth.models import User

from annotate.common.errors import Conflict
from annotate.models import Campaign, CampaignTotals, LedgerEntry, Participation, Payout
from annotate.pay import payouts, tallies
from annotate.review import reviews, rulings
from tests.annotate.work.storms import at_once, crowd
from tests.factories import campaign, judge

pytestmark = [pytest.mark.orm, pytest.mark.django_db(transaction=True)]


def researcher() -> int:
    return User.objects.create(username="ada").pk


def earners(study: Campaign, n: int = 3) -> list[Participation]:
    people = crowd(study, n)
    for who in people:
        judge(who)
    return people


@pytest.mark.parametrize("turn", range(3))
def test_two_who_mark_the_same_list_pay_it_once(turn):
    study, ada = campaign(), researcher()
    earners(study)
    made = payouts.prepare(study.pk, actor_id=ada)
    done = at_once([lambda: payouts.mark_paid(made.pk, actor_id=ada) for _ in range(4)])
    assert sorted(done) == [0, 0, 0, 3]
    assert Payout.objects.count() == 3


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(3))
def test_two_bonuses_with_one_key_are_one_and_two_keys_keep_the_budget(turn):
    study, ada = campaign(budget=Decimal("2.00")), researcher()
    (who,) = earners(study, 1)

    def give(key: str) -> payouts.GiftReceipt | None:
        gift = payouts.Gift(
            payouts.Kind.BONUS, who.annotator.pseudonym, Decimal("1.00"), "Thanks.", key
        )
        with suppress(Conflict):
            return payouts.give(study.pk, gift, actor_id=ada)
        return None

    given = at_once([lambda: give("a") for _ in range(4)])
    assert sorted(one.already for one in given) == [False, True, True, True]
    assert LedgerEntry.objects.filter(kind="bonus").count() == 1
    given = at_once([lambda key=key: give(key) for key in ("b", "c", "d")])
    assert given == [None, None, None], "0.40 + 1.00 + 1.00 is more than 2.00"
    Campaign.objects.filter(pk=study.pk).update(budget=Decimal("2.40"))
    given = at_once([lambda key=key: give(key) for key in ("b", "c", "d")])
    assert given.count(None) == 2
    assert CampaignTotals.objects.get(pk=study.pk).spent == Decimal("2.40")


@pytest.mark.parametrize("turn", range(4))
def test_refusing_while_marking_paid_has_one_outcome(turn):
    study, ada = campaign(), researcher()
    who, *_others = earners(study)
    review = reviews.open_by_hand(study.pk, who.annotator_id, actor_id=ada)
    made = payouts.prepare(study.pk, actor_id=ada)

    def refuse() -> bool:
        with suppress(Conflict):
            acts = [rulings.Act.EXCLUDE, rulings.Act.REFUSE]
            return bool(rulings.rule(review, acts, actor_id=ada, reason="Spam."))
        return False

    def mark() -> bool:
        with suppress(Conflict):
            return bool(payouts.mark_paid(made.pk, actor_id=ada))
        return False

    refused, marked = at_once([refuse, mark])
    assert refused != marked
    account = tallies.accounts_of(who.pk)
    assert (account.refused > 0, account.paid > 0) == (refused, marked)
    assert account.due == 0
