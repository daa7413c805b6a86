"""Blocks: what is told of them, how they are appealed against, and lifted with other rulings."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.common.errors import Conflict
from annotate.models import Appeal, Block, Campaign, Participation, Review, Ruling
from annotate.review import appeals, eligibility, rulings
from annotate.work import admission, leasing
from tests import reviewed
from tests.annotate.researcher import owner_of
from tests.factories import campaign, leased, person, user
from tests.reviewed import appeal, own_page, rule, text

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = Ruling.Act
CAN_GO_ON = "you can go on"
CLOSED = "studies are closed to you"


@pytest.fixture
def who(ada: Client) -> Participation:
    """Somebody whose work is excluded, and who is blocked."""
    spammer = reviewed.spammer(reviewed.study(owner_of(ada)))
    rule(reviewed.flagged(spammer), owner_of(ada), Act.EXCLUDE, Act.BLOCK)
    return spammer


def review_of(who: Participation) -> Review:
    return Review.objects.get(campaign=who.campaign_id, annotator=who.annotator_id)


def case(ada: Client, review: Review) -> Any:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    return ada.get(reverse("annotate:review", args=names))


def choose(ada: Client, review: Review, choice: str) -> str:
    names = [review.campaign.public_id, review.annotator.pseudonym]
    body = {
        "choice": choice,
        "reason": "We looked again.",
        "seen": case(ada, review).context["case"].seen,
    }
    return text(ada.post(reverse("annotate:review-rule", args=names), body, follow=True))


# ---- what is told ----------------------------------------------------------------------------


@pytest.mark.slow
def test_who_is_brought_back_and_stays_blocked_is_told_both(
    ada: Client, who: Participation
) -> None:
    assert CLOSED in own_page(who)
    rule(review_of(who), owner_of(ada), Act.RESTORE)
    page = own_page(who)
    assert "Your work counts, and this researcher’s studies are closed to you" in page
    assert CAN_GO_ON not in page
    refused = leasing.lease(who.pk)
    assert isinstance(refused, admission.NoTask)
    assert refused.reason == "blocked"
    assert "“Your work and pay” says why, and you can answer it there." in refused.message
    rule(review_of(who), owner_of(ada), Act.UNBLOCK)
    assert CAN_GO_ON in own_page(who)
    assert leased(who)


def test_who_is_cleared_in_one_study_and_blocked_after_another_is_told_both(
    ada: Client, who: Participation
) -> None:
    there = person(campaign(owner=owner_of(ada)), "spammer")
    assert there.annotator_id == who.annotator_id
    rule(reviewed.flagged(there), owner_of(ada), Act.CLEAR)
    page = own_page(there)
    assert CLOSED in page
    assert CAN_GO_ON not in page


def test_the_studies_of_another_researcher_say_nothing_of_it(who: Participation) -> None:
    theirs = person(campaign(owner=user("bob")), "spammer")
    assert CLOSED not in own_page(theirs)
    assert appeal(theirs).status_code == 409
    assert leased(theirs)


# ---- restore and lift the block --------------------------------------------------------------


@pytest.mark.slow
def test_restoring_and_lifting_the_block_is_one_act(ada: Client, who: Participation) -> None:
    offered = {one.code: one for one in case(ada, review_of(who)).context["choices"]}
    assert next(iter(offered)) == "restore-unblock"
    both, alone = offered["restore-unblock"], offered["restore"]
    assert "6 judgments count again." in both.text
    assert "The owner’s campaigns give them work again." in both.text
    assert "You can work for us again." in both.draft
    assert "The block stays: no new work in the owner’s campaigns." in alone.text
    assert "We will not offer you further work." in alone.draft
    page = choose(ada, review_of(who), "restore-unblock")
    assert "6 judgments count again." in page
    assert "The block is lifted. New tasks are given out again." in page
    assert not Block.objects.filter(ended_at=None).exists()
    assert list(Ruling.objects.values_list("act", flat=True))[-2:] == ["restore", "unblock"]
    assert leased(who)


@pytest.mark.slow
def test_a_flag_of_somebody_blocked_is_cleared_with_or_without_the_block(
    ada: Client, who: Participation
) -> None:
    there = person(campaign(owner=owner_of(ada)), "spammer")
    flagged = reviewed.flagged(there)
    offered = {one.code: one for one in case(ada, flagged).context["choices"]}
    assert "new tasks are given out again" not in offered["clear"].text
    page = choose(ada, flagged, "clear-unblock")
    assert "Cleared: the work counts. The block is lifted. New tasks are given out again." in page
    assert leased(there)


@pytest.mark.slow
def test_in_several_campaigns_the_block_is_lifted_once_and_all_work_comes_back(
    ada: Client, who: Participation
) -> None:
    there = reviewed.flagged(person(campaign(owner=owner_of(ada)), "spammer"))
    rule(there, owner_of(ada), Act.EXCLUDE)
    names = [review_of(who).campaign.public_id, there.campaign.public_id]
    body = {"campaign": names, "choice": "restore-unblock", "reason": "", "unopened": "1"}
    body |= {
        f"seen-{one.campaign.public_id}": one.rulings.order_by("-pk")[0].pk
        for one in (review_of(who), there)
    }
    page = text(
        ada.post(reverse("annotate:review-everywhere", args=[who.annotator.pseudonym]), body)
    )
    assert page.count("Done</span>") == 2
    assert set(Review.objects.values_list("status", flat=True)) == {"cleared"}
    assert not Block.objects.filter(ended_at=None).exists()


# ---- appeals ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_block_alone_can_be_appealed_as_long_as_it_lasts(
    ada: Client, who: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = owner_of(ada)
    rule(review_of(who), owner, Act.RESTORE)
    later = timezone.now() + eligibility.TO_APPEAL + timedelta(days=2)
    token = tokens.participation_token(who.pk)
    monkeypatch.setattr(timezone, "now", lambda: later)
    address = reverse("annotate:me", args=[token])
    page = text(Client().get(address))
    assert "You can write as long as the studies are closed to you." in page
    assert "If you are right, this researcher’s studies are open to you again." in page
    assert "your work counts again" not in page
    assert appeal(who, token).status_code == 200
    assert appeal(who, token).status_code == 409, "one is enough"
    rule(review_of(who), owner, Act.UNBLOCK, reason="You are right.")
    assert Appeal.objects.get().upheld
    assert "You are right." in text(Client().get(address))
    assert appeal(who, token).status_code == 409, "there is nothing to appeal against"


@pytest.mark.slow
def test_a_block_is_appealed_from_every_study_that_it_closes(
    ada: Client, who: Participation
) -> None:
    there = person(campaign(owner=owner_of(ada)), "spammer")
    page = own_page(there)
    assert "That was decided after work of yours in another study" in page
    assert "appeal-send" in page
    assert appeal(there).status_code == 200
    made = Appeal.objects.get()
    assert made.review == review_of(who), "where the evidence is"
    page = own_page(there)
    assert "I read fast." in page
    assert "appeal-send" not in page
    assert "Their appeal" in text(case(ada, review_of(who)))
    choose(ada, review_of(who), "restore-unblock")
    assert leased(there)


@pytest.mark.slow
def test_ones_own_review_comes_before_a_block_from_elsewhere(
    ada: Client, who: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = reviewed.flagged(person(campaign(owner=owner_of(ada)), "spammer"))
    rule(there, owner_of(ada), Act.EXCLUDE)
    here = Participation.objects.get(campaign=there.campaign_id)
    assert own_page(here).count('id="appeal-send"') == 1
    assert appeal(here).status_code == 200
    assert Appeal.objects.get().review == there
    assert own_page(here).count('id="appeal-send"') == 1, "the block can be answered too"
    assert appeal(here).status_code == 200
    assert Appeal.objects.order_by("-pk")[0].review == review_of(who)
    assert "appeal-send" not in own_page(here)
    assert appeal(here).status_code == 409


def test_a_lifted_block_is_no_ground(ada: Client, who: Participation) -> None:
    review = review_of(who)
    rule(review, owner_of(ada), Act.RESTORE, Act.UNBLOCK)
    with pytest.raises(Conflict, match="nothing to appeal"):
        appeals.make(who.campaign_id, who.annotator_id, text="Why?")


def test_a_block_by_hand_without_any_review_can_be_appealed(ada: Client) -> None:
    made: Campaign = campaign(owner=owner_of(ada))
    quiet = person(made, "quiet")
    rulings.rule_on_person(
        made.pk, quiet.annotator_id, [Act.BLOCK], actor_id=owner_of(ada).pk, reason="No.", seen=0
    )
    page = own_page(quiet)
    assert CAN_GO_ON not in page
    assert appeal(quiet).status_code == 200
