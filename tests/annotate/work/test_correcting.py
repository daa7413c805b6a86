"""An annotator corrects the text submitted last: who may, until when, and what it changes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.campaigns import life
from annotate.common.errors import Conflict, Gone, NotFound
from annotate.instruments import registry
from annotate.instruments.base import Material
from annotate.models import (
    Assignment,
    AuditEntry,
    Campaign,
    ChangeMark,
    Draft,
    Exclusion,
    GoldAnswer,
    GoldCorrection,
    Judgment,
    LedgerEntry,
    Participation,
    Review,
    Score,
)
from annotate.review import gold, gold_queries, rulings
from annotate.screening.signals import PageCounts
from annotate.work import leasing, participations, picking, submitting
from annotate.work import queries as work_queries
from annotate.work.queries import LastText
from annotate.work.submitting import PageResponse
from tests.annotate.gold.study import BAD, items
from tests.annotate.gold.test_gold_is_neutral import functions, read
from tests.annotate.market import arrive, posting
from tests.annotate.work.storms import at_once, check_invariants
from tests.estimation.test_estimating import settle, work
from tests.factories import GOOD, campaign, change, judge, lease_gold, leased, person, user
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

POOR = {"fluency": -1, "redundancy": 1, "overall": -1}
EDIT = "The district’s council met on Monday."


@pytest.fixture
def who() -> Participation:
    """Somebody with two submitted texts, and a third one open."""
    one = person(campaign(owner=user(), items=12))
    for _ in range(2):
        judge(one)
    leased(one)
    return one


def last(who: Participation) -> Assignment:
    found = work_queries.last_submitted(who.pk)
    assert found is not None
    return found


def correct(
    who: Participation,
    *,
    task: int | None = None,
    after: int = 1,
    seconds: float | None = None,
    page: dict[str, Any] | None = None,
    version: str | None = None,
    **changes: Any,
) -> int | None:
    raw = {**POOR, "edit": EDIT, **changes}
    return submitting.correct(
        task or last(who).pk,
        participation_id=who.pk,
        given=PageResponse(raw, seconds, version, **(page or {})),
        after=after,
    )


def ago(who: Participation, time: timedelta) -> None:
    """Let the last text be submitted so long ago."""
    back = timezone.now() - time - last(who).ended_at
    mine = Assignment.objects.filter(participation=who, status__in=Assignment.JUDGED)
    mine.update(ended_at=F("ended_at") + back)


def test_both_are_kept_one_counts_and_it_is_paid_once(who: Participation) -> None:
    task, paid = last(who), list(LedgerEntry.objects.values())
    ChangeMark.objects.all().delete()
    made = correct(who)
    first, second = Judgment.every.filter(assignment=task).order_by("pk")
    assert (first.response["overall"], second.response["overall"]) == (1, -1)
    assert (second.supersedes, second.pk) == (first, made)
    assert Judgment.objects.get(assignment=task) == second
    assert list(LedgerEntry.objects.values()) == paid
    assert AuditEntry.objects.filter(verb="supersede", subject=f"judgment:{first.pk}").exists()
    assert ChangeMark.objects.filter(campaign=who.campaign_id).exists()


def test_it_may_be_corrected_again_from_the_last_answer(who: Participation) -> None:
    for n in range(work_queries.MOST_CORRECTIONS):
        found = work_queries.find_correction(who.pk)
        assert isinstance(found, LastText)
        assert found.answered.answers == n + 1
        correct(who, after=n + 1, redundancy=(n % 3) - 1)
    assert found.answered.response["redundancy"] == (work_queries.MOST_CORRECTIONS - 2) % 3 - 1
    with pytest.raises(Gone, match="several times"):
        correct(who, after=work_queries.MOST_CORRECTIONS + 1)
    assert Judgment.every.filter(assignment=last(who)).count() == work_queries.MOST_CORRECTIONS + 1


def test_the_same_request_again_stores_nothing(who: Participation) -> None:
    made = correct(who)
    rows = list(Judgment.every.values())
    ago(who, timedelta(days=1))  # an answer that was lost is asked for later
    assert correct(who) == made
    assert list(Judgment.every.values()) == rows


def earlier_text(who: Participation) -> dict[str, Any]:
    return {"task": Judgment.objects.earliest("pk").assignment_id}


def open_text(who: Participation) -> dict[str, Any]:
    return {"task": leased(who).pk}


def anothers(who: Participation) -> dict[str, Any]:
    other = person(who.campaign, "p2")
    judge(other)
    return {"task": last(other).pk}


@pytest.mark.parametrize(
    ("which", "error"), [(earlier_text, Gone), (open_text, NotFound), (anothers, NotFound)]
)
def test_only_the_text_submitted_last_is_corrected(
    who: Participation, which: Callable[[Participation], dict[str, Any]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        correct(who, **which(who))
    assert not Judgment.every.filter(superseded_at__isnull=False).exists()


def close(who: Participation) -> None:
    life.close(who.campaign_id, Campaign.Reason.HAND)
    assert life.finish(who.campaign_id)


def pause(who: Participation) -> None:
    life.pause(who.campaign_id)


def review(who: Participation) -> None:
    flagged(who)


def exclude(who: Participation) -> None:
    owner = who.campaign.memberships.get().user_id
    rulings.rule(flagged(who).pk, [rulings.Act.EXCLUDE], actor_id=owner, reason="Too fast.")


def late(who: Participation) -> None:
    ago(who, settings.CORRECTION)


def next_submitted(who: Participation) -> None:
    judge(who)


@pytest.mark.parametrize("act", [close, pause, review, exclude, late, next_submitted])
def test_what_ends_the_time_for_a_correction(
    who: Participation, act: Callable[[Participation], None]
) -> None:
    task = last(who).pk
    act(who)
    with pytest.raises(Gone):
        correct(who, task=task)
    assert not Judgment.every.filter(superseded_at__isnull=False).exists()
    if act is not next_submitted:
        assert not work_queries.may_correct(who.pk)


def test_while_a_campaign_is_closing_a_text_may_be_corrected(who: Participation) -> None:
    life.close(who.campaign_id, Campaign.Reason.HAND)
    ChangeMark.objects.all().delete()
    correct(who)
    assert ChangeMark.objects.filter(campaign=who.campaign_id).count() == 1


# ---- the task that waits -------------------------------------------------------------------------


def test_the_open_task_keeps_its_draft_and_its_lease(who: Participation) -> None:
    task = leased(who)
    submitting.save_draft(task.pk, participation_id=who.pk, revision=0, data={"fluency": 1})
    nearly = timezone.now() + timedelta(seconds=5)
    Assignment.objects.filter(pk=task.pk).update(expires_at=nearly)
    leasing.hold(who.pk)
    correct(who)
    task.refresh_from_db()
    assert leased(who) == task
    assert task.expires_at > nearly + timedelta(minutes=20)
    assert Draft.objects.get(assignment=task).data == {"fluency": 1}


def test_the_time_of_a_correction_belongs_to_the_corrected_text(who: Participation) -> None:
    task, now = leased(who), timezone.now()
    first = Judgment.objects.get(assignment=last(who))
    begun = now - timedelta(seconds=100)
    Assignment.objects.filter(pk=task.pk).update(started_at=begun)
    made = correct(who, seconds=10_000.0)  # what a browser says is bounded by the clock here
    later = Judgment.objects.get(pk=made)
    spent = later.elapsed_seconds - first.elapsed_seconds
    assert 0 < spent <= (later.submitted_at - first.submitted_at).total_seconds() + 0.01
    assert later.active_seconds is None  # unknown for the first
    task.refresh_from_db()
    assert task.started_at is not None
    assert (task.started_at - begun).total_seconds() == pytest.approx(spent, abs=0.001)


# ---- signals, gold -------------------------------------------------------------------------------


def test_signals_of_both_are_added(settings: Any) -> None:
    who = person(campaign(screening={"signals": {"on": True}}))
    signals = {"pasted": 3, "pastes": 1, "keys": 2, "rhythm": [1, 2]}
    page = {"signals": signals, "network": "192.0.2.1", "agent": "A"}
    submitting.submit_judgment(leased(who).pk, participation_id=who.pk, raw=GOOD, **page)
    correct(who, page=page | {"signals": {"pasted": 90, "pastes": 1, "rhythm": [1]}})
    told = PageCounts.stored(last(who).signals)
    assert (told.pasted, told.pastes, told.keys, told.rhythm[:3]) == (93, 2, 2, (2, 2, 0))
    assert told.network


def gold_answered(who: Participation, *, right: bool) -> GoldAnswer:
    study = who.campaign
    change(study, status=Campaign.Status.DRAFT)
    gold.add(study.pk, items(2), actor_id=None)
    change(study, status=Campaign.Status.OPEN, gold_share=picking.MOST)
    study.refresh_from_db()
    task = lease_gold(who, picking.pick_gold(study, who.annotator_id))
    raw = {**GOOD, **(BAD if right else {})}
    submitting.submit_judgment(task.pk, participation_id=who.pk, raw=raw)
    return GoldAnswer.objects.get()


@pytest.mark.parametrize("right", [False, True])
def test_a_gold_answer_is_corrected_blind_and_the_first_one_counts(
    who: Participation, right: bool
) -> None:
    answer = gold_answered(who, right=right)
    seen = gold_queries.of_person(who.campaign, who.annotator_id)
    raw = {**GOOD, **({} if right else BAD)}
    assert last(who).pk == answer.assignment_id
    for _ in range(2):  # the second is the same request again
        assert correct(who, **raw) is None
    kept = GoldCorrection.objects.get()
    assert (kept.answer, kept.number, kept.response["fluency"]) == (answer, 1, raw["fluency"])
    found = work_queries.find_correction(who.pk)
    assert isinstance(found, LastText)
    assert found.answered.response == kept.response
    before = answer.right
    answer.refresh_from_db()
    assert answer.right is before is right
    assert gold_queries.of_person(who.campaign, who.annotator_id) == seen
    assert AuditEntry.objects.filter(verb="correct_gold").count() == 1


# ---- paid units ----------------------------------------------------------------------------------


# ---- readers -------------------------------------------------------------------------------------

# Those that show what was corrected. Any other reader says the same without the first answers.
SHOW = {
    "annotate.campaigns.exports.judgments": "both, the first one marked",
    "annotate.campaigns.exports.moment": "both, the first one marked",
    "annotate.campaigns.exports.scores": "that the second one corrects another",
    "annotate.pay.tallies.of_campaign": "when somebody judged last: the first answer",
    "annotate.work.queries.find_correction": "how often a text was corrected",
}


@pytest.mark.slow
def test_every_reader_says_what_it_would_say_without_the_first_answers() -> None:
    study = campaign(owner=user(), items=12, double_share=0.5, annotator_cap=9)
    cast = [person(study, f"p{n}") for n in range(8)]
    work(study, judgments_=30)
    settle(study)  # the first answers have scores
    for n, who in enumerate(cast):
        correct(who, redundancy=(n % 3) - 1)
    settle(study)
    study.refresh_from_db()
    asked = {name for name, _one in functions()}
    assert asked >= set(SHOW)
    both = read(study, cast[1], without=SHOW.__contains__)
    remove_superseded()
    alone = read(study, cast[1], without=SHOW.__contains__)
    assert len(both) > 60
    assert {name: both[name] for name in both if both[name] != alone[name]} == {}


def remove_superseded() -> None:
    """Delete the first answers, which nothing in the product can do."""
    first = QuerySet(Judgment).filter(superseded_at__isnull=False)
    assert first.count() == 8
    pks = list(first.values_list("pk", flat=True))
    QuerySet(Judgment).exclude(supersedes=None).update(supersedes=None)
    QuerySet(Score).filter(judgment__in=pks).delete()
    QuerySet(Judgment).filter(pk__in=pks).delete()


@pytest.mark.parametrize("key", ["language_quality", "answer_correctness"])
def test_a_stored_response_is_opened_and_sent_again_as_it_was(key: str) -> None:
    """What the page's script makes of a draft is checked in a browser; here, that all is in it."""
    instrument = registry.get(key)
    if key == "language_quality":
        material = Material("The the mayor came.")
        response = instrument.check({**POOR, "edit": "The mayor came."}, material=material)
        draft = instrument.reopened(response)
        assert instrument.check(draft, material=material) == response
        return
    material = Material("Six", "How many?", ("It has six legs.", "Nothing."))
    span = {"start": 7, "end": 10, "text": "six"}
    raw = {
        "plausible": True,
        "verdicts": [{"value": 1, "spans": [span], "confirmed": True}, {"value": 0}],
    }
    assert instrument.reopened(instrument.check(raw, material=material)) == {
        "plausible": "yes",
        "verdicts": [1, 0],
        "spans": [[[7, 10]], []],
        "confirmed": [True, False],
    }


# ---- at once -------------------------------------------------------------------------------------


def attempt(act: Callable[[], Any]) -> Callable[[], str]:
    def job() -> str:
        try:
            act()
        except (Gone, Conflict) as refused:
            return type(refused).__name__
        return "done"

    return job


def facts_hold(study: Campaign) -> None:
    check_invariants(study)
    for task in Assignment.objects.filter(campaign=study, status__in=Assignment.JUDGED):
        chain = Judgment.every.filter(assignment=task)
        assert chain.filter(superseded_at=None).count() == 1
        assert chain.exclude(supersedes=None).count() == chain.count() - 1
        assert LedgerEntry.objects.filter(assignment=task).count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_tabs_at_once_one_corrects_and_a_repeated_request_is_answered_twice() -> None:
    who = person(campaign(items=12))
    judge(who)
    task = last(who).pk
    tabs = [lambda n=n: correct(who, task=task, redundancy=n) for n in (-1, 0, 1)]
    assert sorted(at_once([attempt(tab) for tab in tabs])) == ["Conflict", "Conflict", "done"]
    again = [lambda: correct(who, task=task, after=2, overall=0)] * 4
    assert at_once([attempt(one) for one in again]) == ["done"] * 4
    assert Judgment.every.filter(assignment=task).count() == 3
    facts_hold(who.campaign)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rival", ["submit", "close", "finish", "exclude"])
def test_what_ends_the_time_and_a_correction_at_once_leave_one_order(rival: str) -> None:
    study = campaign(owner=user(), items=12)
    who = person(study)
    judge(who)
    task, review_id = last(who).pk, 0
    if rival == "submit":
        leased(who)
    if rival == "finish":
        life.close(study.pk, Campaign.Reason.HAND)
    if rival == "exclude":
        review_id = flagged(who).pk  # listed: such people go on
        Review.objects.filter(pk=review_id).update(status=Review.Status.LISTED)
    owner = study.memberships.get().user_id
    acts: dict[str, Callable[[], Any]] = {
        "submit": lambda: judge(who),
        "close": lambda: life.close(study.pk, Campaign.Reason.HAND),
        "finish": lambda: life.finish(study.pk),
        "exclude": lambda: rulings.rule(
            review_id, [rulings.Act.EXCLUDE], actor_id=owner, reason="Too fast."
        ),
    }
    results = at_once([attempt(lambda: correct(who, task=task)), attempt(acts[rival])])
    assert results[1] == "done"
    assert results[0] in ("done", "Gone")
    stored = Judgment.every.filter(assignment=task).count()
    assert stored == (2 if results[0] == "done" else 1)
    if rival != "exclude":
        facts_hold(study)
    out = Exclusion.objects.filter(restored_at=None).values_list("judgment", flat=True)
    current = Judgment.objects.filter(annotator=who.annotator_id).values_list("pk", flat=True)
    assert set(out) == (set(current) if rival == "exclude" else set())


@pytest.mark.django_db(transaction=True)
def test_a_unit_handed_in_at_once_takes_the_answer_that_counts() -> None:
    who = arrive(posting(tasks=1))
    judge(who)
    task = last(who).pk
    acts = [lambda: correct(who, task=task), lambda: participations.hand_in(who.pk)]
    results = at_once([attempt(act) for act in acts])
    assert results[1] == "done"
    assert Judgment.every.filter(assignment=task).count() == (2 if results[0] == "done" else 1)
    assert Judgment.objects.filter(assignment=task).count() == 1
