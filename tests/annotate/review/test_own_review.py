"""What annotators are told of the reviews of their own work, and how they appeal."""

import json
from dataclasses import asdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.models import Appeal, Flag, LedgerEntry, Participation, Payout, Review
from annotate.review import appeals, eligibility, reviews, rulings
from annotate.review import queries as review_queries
from annotate.screening.base import Verdict
from annotate.work import leasing, submitting
from estimation.metrics import word_spans
from tests import reviewed
from tests.annotate.researcher import owner_of
from tests.annotate.work.pages.working import submit, work_url
from tests.browser.answers import participant
from tests.factories import campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Act = rulings.Act
NUMBERS: dict[str, dict[str, float | None]] = {
    "too_fast": {"seconds": 2.6, "others_seconds": 31.0, "share_of_others": 0.08},
    "low_agreement": {"agreement": 0.01, "usual_agreement": 0.4},
    "short_edits": {"short": 5.0, "repeated": 1.0},
    "thin_evidence": {"one_word": 0.8, "whole": 0.0, "disjoint": None},
    "no_variation": {"modal_share": 0.96, "longest_run": 11.0, "correlation": 0.1},
    "random_answers": {"correlation": 0.1},
}
SAYS = {
    "too_fast": ("less than 3 seconds; 31 is usual here", "8\u00a0%"),
    "low_agreement": ("yours is 0.08", "below 0.50"),
    "short_edits": ("5 changed by fewer than 5", "1 became"),
    "thin_evidence": ("a single word: 80\u00a0%", "more than"),
    "no_variation": ("96\u00a0% of your tasks, up to 11", "one answer comes up so often"),
    "random_answers": ("by chance in fewer than 1 of 398", "questions of a task look random"),
    "of_their_own": ("differs from the others",),
}


def verdict(screen: str, who: Participation) -> Verdict:
    numbers = NUMBERS.get(screen, {})
    value = 2.6 if screen == "random_answers" else 0.08
    return Verdict(screen, who.annotator_id, True, value, 0.01, 0.2, 0.5, 6, True, numbers)


def flag(who: Participation, *screens: str) -> Review:
    reviews.flag(who.campaign_id, who.annotator_id, [verdict(one, who) for one in screens])
    return Review.objects.get(annotator=who.annotator_id)


def rule(review: Review, *acts: Act, reason: str = "Three seconds for a page.") -> None:
    reviewed.rule(review, User.objects.get(), *acts, reason=reason)


def own(client: Client, who: Participation) -> str:
    address = reverse("annotate:me", args=[tokens.participation_token(who.pk)])
    return client.get(address).content.decode()


def appeal(client: Client, who: Participation, text: Any = "I read fast.", token: str = "") -> Any:
    return client.post(
        reverse("annotate:appeal"),
        json.dumps({"text": text}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token or tokens.participation_token(who.pk)}"},
    )


@pytest.fixture
def who(ada: Client) -> Participation:
    """Somebody with two judgments, in a campaign where another has judged, too."""
    made = campaign(owner=owner_of(ada), contact="ada@example.org")
    judge(person(made, "the other one"))
    worker = person(made)
    judge(worker)
    judge(worker, overall=0, edit="The council met on Monday of this week.")
    return worker


def test_without_a_review_nothing_is_said(client: Client, who: Participation) -> None:
    assert "looked-h" not in own(client, who)


@pytest.mark.parametrize("screen", SAYS)
def test_every_flag_is_explained_with_their_own_numbers_and_the_threshold(
    client: Client, who: Participation, screen: str
) -> None:
    flag(who, screen)
    page = own(client, who)
    for expected in (*SAYS[screen], "A person is looking at your work", "6 of your tasks"):
        assert expected in page
    assert screen not in page


@pytest.mark.parametrize("screen", NUMBERS)
def test_a_screen_without_numbers_still_says_what_it_looks_for(
    client: Client, who: Participation, screen: str
) -> None:
    bare = asdict(verdict(screen, who)) | {"numbers": {}, "value": None}
    review = flag(who, "anything")
    Flag.objects.create(review=review, screen=screen, verdict=bare, at=timezone.now())
    page = own(client, who)
    assert "We look at work" in page
    assert "None" not in page


@pytest.mark.parametrize(
    ("screen", "seen"),
    [("too_fast", "seconds"), ("no_variation", "Fluency: "), ("short_edits", "characters changed")],
)
def test_the_evidence_is_their_own_tasks(
    client: Client, who: Participation, screen: str, seen: str
) -> None:
    flag(who, screen)
    page = own(client, who)
    assert page.count(seen) >= (1 if screen == "short_edits" else 2)
    assert ("Your 2 tasks" in page) == (screen != "short_edits")


def test_the_evidence_of_paragraphs_is_counted_in_words(client: Client, ada: Client) -> None:
    worker = participant()
    mine = leased(worker)
    paragraphs = mine.output.item.paragraphs
    word = len(paragraphs[0].split()[0])
    said = paragraphs[0][:word]
    raw = {
        "plausible": True,
        "verdicts": [
            {"value": 1, "spans": [{"start": 0, "end": word, "text": said}], "confirmed": True},
            *({"value": 0, "spans": []} for _ in paragraphs[1:]),
        ],
    }
    submitting.submit_judgment(mine.pk, participation_id=worker.pk, raw=raw)
    flag(worker, "thin_evidence", "no_variation")
    page = own(client, worker)
    assert f"1 of {len(word_spans(paragraphs[0]))} words" in page
    assert f"1 × correct, {len(paragraphs) - 1} × neither" in page


def test_nobody_elses_identity_systems_or_texts_are_on_the_page(
    client: Client, who: Participation
) -> None:
    review = flag(who, *NUMBERS)
    rule(review, Act.EXCLUDE, Act.REFUSE)
    page = own(client, who)
    others = Participation.objects.exclude(pk=who.pk).get()
    hidden = [others.annotator.pseudonym, others.annotator.external_id, "ada<", "by ada"]
    theirs = others.annotator.judgments.get().output.text
    assert theirs in {one.text for one in who.campaign.outputs.all()}
    for secret in hidden:
        assert secret not in page
    mine = {one.excerpt for one in review_queries.tasks(who.pk)}
    assert len(mine) == 2
    assert theirs not in page or theirs in mine
    assert "estimate" not in page.casefold()


def test_each_state_says_what_it_means_for_work_and_pay(client: Client, who: Participation) -> None:
    review = flag(who, "too_fast")
    steps = [
        ((Act.EXCLUDE,), "Your pay does not change"),
        ((Act.REFUSE,), "its pay is refused"),
        ((Act.REPAY,), "The refused pay is restored."),
        ((Act.RESTORE,), "Your work counts"),
    ]
    for acts, expected in steps:
        rule(review, *acts)
        page = own(client, who)
        assert expected in page
        assert "Three seconds for a page." in page
        assert ("Back to work" in page) == (acts == (Act.RESTORE,))


def test_what_was_decided_at_once_is_told_with_its_reason_once(
    client: Client, who: Participation
) -> None:
    review = flag(who, "too_fast")
    rule(review, Act.EXCLUDE, Act.REFUSE, reason="Nobody reads so fast.")
    page = own(client, who)
    assert page.count("Nobody reads so fast.") == 1
    assert "Your work is not used in the results. Pay for your tasks is refused." in page
    rule(review, Act.REPAY, reason="Nobody reads so fast.")
    assert own(client, who).count("Nobody reads so fast.") == 2


def test_money_by_kind_refused_restored_paid_and_due(client: Client, who: Participation) -> None:
    LedgerEntry.objects.create(
        campaign=who.campaign,
        participation=who,
        kind="bonus",
        amount=Decimal("1.25"),
        fee=0,
        key="k",
        reason="For your remarks <3",
    )
    LedgerEntry.objects.create(
        campaign=who.campaign,
        participation=who,
        kind="compensation",
        amount=Decimal("0.30"),
        fee=0,
        key="l",
        reason="The page broke.",
    )
    Payout.objects.create(participation=who, amount=Decimal("1.10"), key="p")
    page = own(client, who)
    for expected in (
        "Bonus",
        "For your remarks &lt;3",
        "$1.25",
        "Compensation",
        "$2.35",
        "Paid on",
        "−$1.10",
        "Still to be paid",
        "$1.25",
    ):
        assert expected in page
    Payout.objects.create(participation=who, amount=Decimal("-1.10"), key="q")
    review = flag(who, "too_fast")
    rule(review, Act.EXCLUDE, Act.REFUSE)
    page = own(client, who)
    for expected in ("taken back on", "Pay refused", "−$1.10"):
        assert expected in page
    rule(review, Act.REPAY)
    assert "Refused pay restored" in own(client, who)


# ---- being told ------------------------------------------------------------------------------


def test_who_is_flagged_is_told_at_the_next_request(client: Client, who: Participation) -> None:
    leasing.lease(who.pk)
    assert "being looked at" not in client.get(work_url(who)).content.decode()
    flag(who, "too_fast")
    assert "being looked at" in client.get(work_url(who)).content.decode()
    words = submit(client, who).json()["words"]["texts"]
    assert words["notice"] == "Your work is being looked at"
    page = client.get(work_url(who)).content.decode()
    assert "See what was noticed" in page
    assert "“Your work and pay” shows" in page
    assert page.index("/me/") < page.index("You did")


# ---- appeals ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_appeal_is_received_answered_and_shown(client: Client, who: Participation) -> None:
    review = flag(who, "too_fast")
    page = own(client, who)
    assert "You can write until" in page
    assert "within 7 days" in page
    answer = appeal(client, who, "I <b>read</b> fast.")
    assert answer.status_code == 200
    assert "received" in answer.json()["message"]
    page = own(client, who)
    assert "I &lt;b&gt;read&lt;/b&gt; fast." in page
    assert "The answer is due by" in page
    assert "appeal-send" not in page
    assert appeal(client, who).status_code == 409
    rule(review, Act.CLEAR, reason="You are right.")
    page = own(client, who)
    for expected in ("Your appeal was upheld.", "You are right.", "Your work counts"):
        assert expected in page
    assert appeal(client, who).status_code == 409


def test_a_dismissed_appeal_says_why(client: Client, who: Participation) -> None:
    review = flag(who, "too_fast")
    appeal(client, who)
    appeals.dismiss(review.pk, actor_id=User.objects.get().pk, answer="We timed it twice.")
    page = own(client, who)
    assert "Your appeal was not upheld." in page
    assert "We timed it twice." in page
    assert "appeal-send" not in page
    assert appeal(client, who, "Once more.").status_code == 409
    rule(review, Act.EXCLUDE)
    assert "appeal-send" in own(client, who)
    assert appeal(client, who, "Against the ruling.").status_code == 200


@pytest.mark.parametrize("text", ["", "  ", "x" * 5001, 7, None, ["x"]])
def test_what_is_no_appeal_is_refused_with_a_reason(
    client: Client, who: Participation, text: Any
) -> None:
    flag(who, "too_fast")
    answer = appeal(client, who, text)
    assert answer.status_code == 422
    assert answer.json()["message"]
    assert not Appeal.objects.exists()


def test_appeals_need_the_key_of_the_page_and_no_cookie(client: Client, who: Participation) -> None:
    flag(who, "too_fast")
    assert appeal(client, who, token="forged").status_code == 401
    other = Participation.objects.exclude(pk=who.pk).get()
    assert appeal(client, other).status_code == 409, "theirs is not under review"
    answer = appeal(Client(enforce_csrf_checks=True), who)
    assert answer.status_code == 200
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Set-Cookie" not in answer


def test_after_the_deadline_the_page_says_so(
    client: Client, who: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = flag(who, "too_fast")
    later = eligibility.appeal_until(review) + timedelta(minutes=1)
    address = work_url(who) + "me/"
    monkeypatch.setattr(timezone, "now", lambda: later)
    page = client.get(address).content.decode()
    assert "The time to appeal ended" in page
    assert "appeal-send" not in page
    assert appeal(client, who).status_code == 410
