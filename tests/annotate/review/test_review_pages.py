"""The reviewer's pages: who may enter, what is shown and hidden, and what rulings do."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.models import (
    Appeal,
    AuditEntry,
    Campaign,
    LedgerEntry,
    Membership,
    Payout,
    Review,
    Ruling,
    Slot,
)
from annotate.review import appeals, rulings
from annotate.review.views import trail
from tests import remembered, reviewed
from tests.annotate.researcher import owner_of
from tests.factories import campaign, judge, person, user
from tests.reviewed import at, text

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act, Status = Ruling.Act, Review.Status


@pytest.fixture
def review(ada: Client) -> Review:
    return reviewed.case(owner_of(ada))


def rule(client: Client, review: Review, choice: str, **fields: Any) -> Any:
    body = {"choice": choice, "reason": "Far too fast.", "seen": seen(review)} | fields
    return client.post(at(review, "rule"), body)


def seen(review: Review) -> int:
    last = review.rulings.order_by("-pk").first()
    return last.pk if last else 0


def held(review: Review) -> int:
    return Slot.objects.filter(
        campaign=review.campaign, assignment__annotator=review.annotator
    ).count()


def due(review: Review) -> Decimal:
    rows = LedgerEntry.objects.filter(participation__annotator=review.annotator)
    return sum((row.amount for row in rows), Decimal(0))


# ---- who may enter ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("part", ["", "rule", "dismiss"])
def test_others_do_not_learn_that_a_review_exists(review: Review, part: str) -> None:
    stranger = Client()
    stranger.force_login(user("eve"))
    send = stranger.post if part else stranger.get
    assert send(at(review, part)).status_code == 404
    name = review.annotator.pseudonym
    everywhere = reverse("annotate:review-everywhere", args=[name])
    assert stranger.get(everywhere).status_code == 404
    assert name not in text(stranger.get("/reviews/"))
    assert stranger.get(f"/reviews/?campaign={review.campaign.public_id}").status_code == 404
    assert Client().get(at(review)).status_code == 302
    assert Review.objects.get().status == Status.OPEN


def test_a_reviewer_rules_like_the_owner(review: Review) -> None:
    eve = user("eve")
    Membership.objects.create(campaign=review.campaign, user=eve, role=Membership.Role.REVIEWER)
    client = Client()
    client.force_login(eve)
    assert review.annotator.pseudonym in text(client.get("/reviews/"))
    assert rule(client, review, "exclude").status_code == 302
    assert Ruling.objects.get().actor == eve


# ---- what is shown ---------------------------------------------------------------------------


def test_the_queue_says_what_will_be_there(ada: Client, mine: Campaign) -> None:
    page = text(ada.get("/reviews/"))
    assert "No ruling is due" in page
    assert "Review</a>" not in text(ada.get("/"))


def test_the_queue_has_the_numbers_and_appeals_come_first(ada: Client, review: Review) -> None:
    second = reviewed.flagged(reviewed.spammer(review.campaign, "second"), "short_edits")
    appeals.make(second.campaign_id, second.annotator_id, text="Please look.")
    waiting = [one for one, _flags in ada.get("/reviews/").context["rows"]]
    assert [one.pseudonym for one in waiting] == [
        second.annotator.pseudonym,
        review.annotator.pseudonym,
    ]
    page = text(ada.get("/reviews/"))
    assert "3.0 s median active time. 0.4× of the reading time" in page
    assert "Appeal, answer due" in page
    assert [one.judgments for one in waiting] == [6, 6]


def test_a_case_shows_everything_but_systems(ada: Client, review: Review) -> None:
    for system in review.campaign.systems.all():
        review.campaign.systems.filter(pk=system.pk).update(name=f"SYSTEM-NAME-{system.pk}")
    page = text(ada.get(at(review)))
    assert "SYSTEM-NAME" not in page
    for words in (
        "Too fast",
        "2 of 6 with a second judge",
        "6 judgments leave all estimates at once",
        "$2.40 stays due",
        "about $2.40 to collect again",
        "Pay can be refused until",
        "≠&nbsp;",
        "Their answers by the answers of others",
    ):
        assert words in page, words
    assert 'role="img" aria-label="Too fast: this annotator 3.2 s' in page
    assert "spammer" not in page


@pytest.mark.slow
def test_the_case_takes_as_many_queries_for_more_work(ada: Client, review: Review) -> None:
    def count() -> int:
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            assert ada.get(at(review)).status_code == 200
        queries.append([query["sql"][:90] for query in captured])
        return len(captured)

    queries: list[list[str]] = []
    count()
    before = count()
    for name in ("more", "evenmore"):
        reviewed.flagged(reviewed.spammer(review.campaign, name, n=9))
    appeals.make(review.campaign_id, review.annotator_id, text="Please look.")
    rulings.rule(review.pk, [Act.EXCLUDE], actor_id=owner_of(ada).pk, reason="Fast.")
    rulings.rule(review.pk, [Act.RESTORE], actor_id=owner_of(ada).pk, reason="", seen=seen(review))
    assert count() == before, set(queries[-1]) ^ set(queries[-2])
    assert before < 45


def test_the_page_of_judgments_that_does_not_exist_is_the_last(ada: Client, review: Review) -> None:
    for page, shown in (("1", 1), ("2", 2), ("99", 2), ("x", 1), ("٣", 1)):
        assert ada.get(at(review), {"page": page}).context["page"] == shown


def test_people_link_to_their_review_and_the_dashboard_counts(ada: Client, review: Review) -> None:
    people = ada.get(reverse("annotate:people", args=[review.campaign.public_id]))
    assert at(review) in text(people)
    board = ada.get(reverse("estimation:dashboard", args=[review.campaign.public_id]))
    assert "1 annotator waits for a ruling." in text(board)
    rule(ada, review, "clear")
    board = ada.get(reverse("estimation:dashboard", args=[review.campaign.public_id]))
    assert "for a ruling" not in text(board)


# ---- ruling ----------------------------------------------------------------------------------


def test_after_a_ruling_it_says_what_happened_and_when_its_effect_is_shown(
    ada: Client, review: Review
) -> None:
    answer = ada.get(rule(ada, review, "exclude")["Location"])
    page = text(answer)
    assert (
        "Excluded. 6 judgments left the estimates. 6 outputs went back to the queue. "
        "Pay stays as it is: $2.40 due."
    ) in page
    assert "Hidden until the ruling is final, so that no ruling aims at a result: from" in page
    assert "See what it did" not in page
    assert held(review) == 0
    assert "Bring the work back" in page


def test_pay_is_refused_in_a_second_step_with_a_reason_of_its_own(
    ada: Client, review: Review
) -> None:
    first = rule(ada, review, "exclude-refuse")
    assert "Refuse $2.40 to annotator" in text(first)
    assert "Far too fast." in text(first)
    assert not Ruling.objects.exists()
    lacking = rule(ada, review, "exclude-refuse", confirmed="1", reason=" ")
    assert lacking.status_code == 422
    assert "Give the reason" in text(lacking)
    assert due(review) == Decimal("2.40")
    done = ada.get(rule(ada, review, "exclude-refuse", confirmed="1")["Location"])
    assert "$2.40 is withheld." in text(done)
    assert due(review) == 0


def test_a_crowd_that_asks_for_a_longer_reason_is_named_before_one_is_written(
    ada: Client, review: Review
) -> None:
    Campaign.objects.update(crowd="prolific")
    asked = "at least 100 characters, as Prolific asks"
    assert asked in text(ada.get(at(review)))
    first = rule(ada, review, "exclude-refuse")
    assert asked.capitalize().replace("prolific", "Prolific") in text(first)
    assert 'minlength="100"' in text(first)
    short = rule(ada, review, "exclude-refuse", confirmed="1", reason=f"  {'x' * 99}  ")
    assert short.status_code == 422
    assert "Prolific takes a reason of at least 100 characters" in text(short)
    assert "this one has 99" in text(short)
    assert not Ruling.objects.exists()
    assert held(review) == 6
    assert rule(ada, review, "exclude-refuse", confirmed="1", reason="x" * 100).status_code == 302
    assert due(review) == 0


@pytest.mark.slow
def test_every_ruling_has_a_way_back(ada: Client, review: Review) -> None:
    rule(ada, review, "exclude-block")
    rule(ada, review, "refuse", confirmed="1")
    assert [one.code for one in ada.get(at(review)).context["choices"]] == [
        "restore-unblock",
        "restore",
        "repay",
        "unblock",
    ]
    rule(ada, review, "repay")
    assert due(review) == Decimal("2.40")
    rule(ada, review, "unblock")
    answer = ada.get(rule(ada, review, "restore")["Location"])
    assert "6 judgments count again." in text(answer)
    assert held(review) == 6
    assert [one.code for one in ada.get(at(review)).context["choices"]] == [
        "exclude",
        "exclude-refuse",
        "exclude-block",
    ]


def test_the_second_of_two_reviewers_keeps_what_they_typed(ada: Client, review: Review) -> None:
    rule(ada, review, "clear")
    answer = rule(ada, review, "exclude", reason="My long reason.", seen=0)
    page = text(answer)
    assert answer.status_code == 409
    assert "ada has ruled on this annotator meanwhile: cleared" in page
    assert "My long reason.</textarea>" in page
    assert Review.objects.get().status == Status.CLEARED
    assert rule(ada, review, "exclude").status_code == 302


def test_without_a_reason_or_a_choice_nothing_is_done(ada: Client, review: Review) -> None:
    lacking = rule(ada, review, "exclude", reason=" ")
    assert lacking.status_code == 422
    assert "Give the reason: the annotator reads it" in text(lacking)
    assert 'value="exclude" required' in text(lacking)
    for choice in ("", "drop table"):
        assert rule(ada, review, choice).status_code == 422
    assert not Ruling.objects.exists()


def test_pay_cannot_be_refused_late_or_when_paid_out(ada: Client, review: Review) -> None:
    owner = owner_of(ada)
    with pytest.MonkeyPatch.context() as patch:
        later = timezone.now() + timedelta(days=31)
        patch.setattr(timezone, "now", lambda: later)
        ada.force_login(owner)
        page = text(ada.get(at(review)))
        assert "Pay could be refused until" in page
        assert "and refuse pay" not in page
        late = rule(ada, review, "exclude-refuse", confirmed="1")
        assert late.status_code == 409
        assert "Pay for this work could be refused until" in text(late)
    ada.force_login(owner)
    Payout.objects.create(
        participation=review.annotator.participations.get(), amount=Decimal("1.00"), key="hand"
    )
    assert "it has been paid, or is on its way" in text(ada.get(at(review)))
    assert rule(ada, review, "exclude-refuse", confirmed="1").status_code == 409
    assert (held(review), due(review)) == (6, Decimal("2.40"))


def test_a_closed_campaign_is_ruled_on_and_says_so(ada: Client, review: Review) -> None:
    life.close(review.campaign_id, Campaign.Reason.HAND)
    life.finish(review.campaign_id)
    assert "The campaign is closed: nothing is collected again" in text(ada.get(at(review)))
    page = text(ada.get(rule(ada, review, "exclude")["Location"]))
    assert "6 judgments left the estimates. The campaign collects no more" in page
    assert held(review) == 0


def test_work_that_nobody_flagged_is_ruled_on_by_hand(ada: Client, mine: Campaign) -> None:
    who = person(mine, "quiet")
    judge(who)
    address = reverse("annotate:review", args=[mine.public_id, who.annotator.pseudonym])
    assert "Not under review" in text(ada.get(address))
    assert not Review.objects.exists(), "looking is no accusation"
    refused = ada.post(address + "rule/", {"choice": "exclude", "reason": " ", "seen": 0})
    assert refused.status_code == 422
    assert not Review.objects.exists(), "a ruling that failed leaves no review behind"
    ada.post(address + "rule/", {"choice": "exclude", "reason": "By hand.", "seen": 0})
    assert Review.objects.get().status == Status.EXCLUDED
    assert list(AuditEntry.objects.values_list("verb", flat=True)[:2]) == ["exclude", "review"]


def test_nobody_of_that_name(ada: Client, mine: Campaign) -> None:
    elsewhere = person(campaign(owner=user("bob")), "x").annotator.pseudonym
    for name in ("nobody", elsewhere):
        address = reverse("annotate:review", args=[mine.public_id, name])
        assert ada.get(address).status_code == 404


def test_an_appeal_is_dismissed_with_an_answer(ada: Client, review: Review) -> None:
    appeals.make(review.campaign_id, review.annotator_id, text="I read fast.")
    assert "I read fast." in text(ada.get(at(review)))
    empty = ada.post(at(review, "dismiss"), {"answer": " "})
    assert empty.status_code == 422
    assert "Answer the annotator" in text(empty)
    assert ada.post(at(review, "dismiss"), {"answer": "We looked."}).status_code == 302
    assert Appeal.objects.get().upheld is False
    twice = ada.post(at(review, "dismiss"), {"answer": "Typed in vain."})
    assert twice.status_code == 409
    assert Appeal.objects.get().answer == "We looked."


def test_drafts_are_in_the_annotators_words_and_never_refuse_pay(
    ada: Client, review: Review
) -> None:
    drafts = {one.code: one.draft for one in ada.get(at(review)).context["choices"]}
    assert drafts["exclude"] == (
        "We noticed this: less time than reading takes. We leave your work out of our "
        "results. You are paid for it."
    )
    assert drafts["exclude-refuse"] == ""
    assert drafts["clear"]


# ---- several campaigns -----------------------------------------------------------------------


@pytest.fixture
def spread(ada: Client) -> list[Review]:
    """The same annotator under review in two campaigns of Ada's, and in one of Bob's."""
    remembered.again(_spread, owner_of(ada), user("bob"))
    return list(Review.objects.order_by("pk"))


def _spread(mine: User, other: User) -> Review:
    made = [reviewed.study(mine, name=name) for name in ("One", "Two")]
    made.append(reviewed.study(other, name="Three"))
    first, *_ = [reviewed.flagged(reviewed.spammer(each)) for each in made]
    return first


def everywhere(client: Client, spread: list[Review], choice: str, **fields: Any) -> Any:
    address = reverse("annotate:review-everywhere", args=[spread[0].annotator.pseudonym])
    body: dict[str, Any] = {
        "choice": choice,
        "reason": "Spam.",
        "unopened": "1",
        "campaign": [review.campaign.public_id for review in spread],
    }
    return client.post(address, body | fields)


def statuses(spread: list[Review]) -> list[str]:
    return [Review.objects.get(pk=review.pk).status for review in spread]


@pytest.mark.slow
def test_one_act_in_all_campaigns_of_mine_and_in_no_other(
    ada: Client, spread: list[Review]
) -> None:
    page = text(everywhere(ada, spread, "exclude-block"))
    assert statuses(spread) == ["excluded", "excluded", "open"]
    assert page.count("6 judgments out.") == 2
    assert "Three" not in page


def test_what_does_not_fit_in_one_campaign_is_done_in_the_others(
    ada: Client, spread: list[Review]
) -> None:
    rulings.rule(spread[0].pk, [Act.EXCLUDE], actor_id=owner_of(ada).pk, reason="Fast.")
    name = spread[0].campaign.public_id
    page = text(everywhere(ada, spread, "exclude", **{f"seen-{name}": seen(spread[0])}))
    assert "it cannot be excluded" in page
    assert "6 judgments out." in page
    assert statuses(spread) == ["excluded", "excluded", "open"]


def test_a_ruling_that_the_page_had_not_shown_stops_that_campaign_alone(
    ada: Client, spread: list[Review]
) -> None:
    rulings.rule(spread[0].pk, [Act.CLEAR], actor_id=owner_of(ada).pk, reason="")
    page = text(everywhere(ada, spread, "exclude"))
    assert "has ruled on this annotator meanwhile" in page
    assert statuses(spread)[:2] == ["cleared", "excluded"]


@pytest.mark.parametrize(
    "fields", [{"campaign": []}, {"choice": "exclude-refuse"}, {"reason": " "}, {"choice": ""}]
)
def test_an_incomplete_form_does_nothing_and_keeps_the_reason(
    ada: Client, spread: list[Review], fields: dict[str, Any]
) -> None:
    answer = everywhere(ada, spread, **({"choice": "exclude", "reason": "Kept."} | fields))
    assert answer.status_code == 422
    assert fields.get("reason") or "Kept.</textarea>" in text(answer)
    assert set(statuses(spread)) == {"open"}


# ---- the trail ----------------------------------------------------------------------------


def told(verb: str, **detail: Any) -> str:
    entry = AuditEntry(at=timezone.now(), actor=User(username="ada"), verb=verb, detail=detail)
    ((_at, who, text),) = trail([entry], pseudonym="P1")
    assert who == "ada"
    return text


def test_amounts_are_written_as_money() -> None:
    assert told("refuse", done="2.40") == "Refused pay: $2.40."
    assert told("repay", done="1234.50") == "Restored pay: $1,234.50."


def test_so_are_amounts_among_other_words() -> None:
    beyond = "2.40, 1.30 beyond the budget"
    assert told("repay", done=beyond) == "Restored pay: $2.40, $1.30 beyond the budget."
    back = told("restore", done=f"6 judgments, {beyond}")
    assert back == "Brought the work back: 6 judgments, $2.40, $1.30 beyond the budget."
    assert told("exclude", done="1200 judgments") == "Excluded the work: 1200 judgments."
