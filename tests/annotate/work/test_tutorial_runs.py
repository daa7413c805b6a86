"""Taking a tutorial: graded by the server, in order, once, and a bonus is promised once.

When a promise is due is in `test_promises.py`.
"""

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.campaigns.problems import Row
from annotate.common.errors import Conflict, NotFound
from annotate.instruments.tutorials import digest_of
from annotate.models import (
    Annotator,
    Assignment,
    AuditEntry,
    Campaign,
    LedgerEntry,
    Participation,
    TutorialAnswer,
    TutorialContent,
    TutorialRound,
    TutorialRun,
)
from annotate.pay import budget, promises
from annotate.work import admission, leasing, participations, tutorial_queries
from annotate.work import tutorial as work_tutorial
from tests.annotate.passing import after_guide, answer_all, pass_tutorial, right, tutorial_of, wrong
from tests.annotate.studies.test_tutorial_reading import CHOICE, EDIT, WHOLE
from tests.factories import campaign, judge, leased, person, user
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

BONUS = Decimal("0.75")
EDIT_ = {**EDIT, "alternatives": ["It rains all day."]}


def study(**changes):
    return campaign(tutorial=True, **changes)


def own_content(*questions, version="1"):
    """A researcher's tutorial of these questions."""
    raw = {**WHOLE, "version": version, "questions": list(questions)}
    return TutorialContent.objects.create(
        instrument="language_quality", content=json.loads(json.dumps(raw)), digest=digest_of(raw)
    )


def with_content(*questions, version="1", **changes):
    content = own_content(*questions, version=version)
    return study(tutorial_id=content.pk, **changes)


def answer(who, question, response=None):
    tutorial = tutorial_of(who)
    return work_tutorial.answer(
        who.pk,
        version=tutorial.version,
        key=question.key,
        raw=right(question) if response is None else response,
        active_seconds=4.5,
    )


def due(made):
    return budget.commitments_of(made)


def an_hour_ago(run):
    TutorialRun.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(minutes=61))


def test_the_tutorial_comes_before_the_first_task():
    who = person(study())
    refusal = leasing.lease(who.pk)
    assert (refusal.reason, refusal.final) == ("tutorial", False)
    assert not Assignment.objects.exists()
    pass_tutorial(who)
    assert isinstance(leasing.lease(who.pk), Assignment)


def test_a_campaign_without_a_tutorial_asks_and_queries_nothing(django_assert_num_queries):
    made = campaign()
    who = person(made)
    with django_assert_num_queries(0):
        assert tutorial_queries.step(made, who) == tutorial_queries.TutorialStep.PASSED
    assert tutorial_queries.status(who.pk) is None
    assert isinstance(leasing.lease(who.pk), Assignment)
    with pytest.raises(NotFound):
        work_tutorial.begin(who.pk)


def test_beginning_twice_is_one_run():
    who = person(study())
    assert work_tutorial.begin(who.pk) == work_tutorial.begin(who.pk)
    assert AuditEntry.objects.filter(verb="tutorial_begun").count() == 1


def test_a_wrong_answer_is_explained_stored_and_not_asked_again():
    who = person(study())
    first, second = after_guide(who).questions[:2]
    graded = answer(who, first, wrong(first))
    assert not graded.grade.correct
    assert graded.grade.feedback == (first.feedback[str(wrong(first)["value"])],)
    status = tutorial_queries.status(who.pk)
    assert (status.done, status.current) == (2, second)
    again = answer(who, first)
    assert not again.grade.correct, "the first answer counts"
    stored = TutorialAnswer.objects.values_list("question", "correct", "response")
    assert list(stored)[1:] == [(first.key, False, wrong(first))]


def ended():
    rounds = TutorialRound.objects.order_by("pk")
    return [(one.number, one.right, one.asked, one.mark, one.passed) for one in rounds]


def test_four_in_five_first_answers_pass():
    who = person(study())
    graded = answer_all(who, wrongly=2)
    assert (graded.passed, graded.promised, graded.failed) == (True, BONUS, None)
    assert ended() == [(1, 9, 11, 9, True)]


def test_a_failed_round_is_followed_by_one_with_other_questions():
    who = person(study())
    first = {question.key for question in tutorial_of(who).questions}
    graded = answer_all(who, wrongly=3)
    assert (graded.passed, graded.promised, graded.failed.number) == (False, 0, 1)
    assert leasing.lease(who.pk).reason == "tutorial"
    second = person_again(who)
    assert not first & {question.key for question in second.questions}
    assert tutorial_queries.status(who.pk).before.right == 8
    assert answer_all(who, wrongly=2).promised == BONUS
    assert ended() == [(1, 8, 11, 9, False), (2, 9, 11, 9, True)]
    assert isinstance(leasing.lease(who.pk), Assignment)


def person_again(who):
    work_tutorial.begin(who.pk)
    return tutorial_of(who)


def fail(who):
    """Fail both rounds, faster than anyone reads."""
    answer_all(who, wrongly=3)
    return answer_all(who, wrongly=3)


def test_two_failed_rounds_end_the_study_for_this_person():
    made = study()
    who = person(made)
    graded = fail(who)
    assert (graded.passed, graded.promised, graded.failed.number) == (False, 0, 2)
    refusal = leasing.lease(who.pk)
    assert (refusal.reason, refusal.final) == ("tutorial_failed", True)
    with pytest.raises(Conflict) as caught:
        work_tutorial.begin(who.pk)
    assert caught.value.code == "tutorial_failed"
    again = Participation.objects.create(
        campaign=made, annotator_id=who.annotator_id, external_key="second"
    )
    assert leasing.lease(again.pk).reason == "tutorial_failed", "another door is the same person"
    assert due(made).total == 0, "its bonus is not reserved any more"
    assert not LedgerEntry.objects.exists()
    assert not Assignment.objects.exists()
    assert AuditEntry.objects.filter(verb="tutorial_round_failed").count() == 2


def test_a_second_round_ends_once_it_cannot_be_passed():
    who = person(study())
    fail(who)
    second = TutorialRound.objects.get(number=2)
    assert second.answers.count() == 3
    assert second.right == 0


@pytest.mark.slow
def test_another_study_gives_two_rounds_again():
    fail(person(study()))
    other = person(study(name="Another"))
    assert leasing.lease(other.pk).reason == "tutorial"
    assert pass_tutorial(other).promised == BONUS


def test_who_passed_before_there_were_rounds_stays_passed():
    who = person(study())
    TutorialRun.objects.create(
        annotator_id=who.annotator_id,
        participation=who,
        instrument="language_quality",
        version="1-of-an-earlier-release",
        started_at=timezone.now(),
        passed_at=timezone.now(),
        promised=BONUS,
        covers=[TutorialRun.ALL],
    )
    assert work_tutorial.begin(who.pk).passed_at is not None
    assert isinstance(leasing.lease(who.pk), Assignment)
    assert not TutorialRound.objects.exists()


def test_passing_promises_the_bonus():
    who = person(study())
    graded = pass_tutorial(who)
    assert (graded.passed, graded.promised) == (True, BONUS)
    run = TutorialRun.objects.get()
    assert run.passed_at is not None
    assert (run.participation, run.promised) == (who, BONUS)
    passed = AuditEntry.objects.get(verb="tutorial_passed")
    assert (passed.subject, passed.detail) == (f"tutorial_run:{run.pk}", {"promised": "0.75"})
    assert not LedgerEntry.objects.exists(), "it is not due yet"


@pytest.mark.slow
def test_every_answer_may_be_repeated():
    who = person(study())
    questions = tutorial_of(who).questions
    for question in questions:
        first, second = answer(who, question), answer(who, question)
        assert (first.passed, first.promised) == (second.passed, second.promised)
    assert second.promised == BONUS
    assert TutorialAnswer.objects.filter(correct=True).count() == len(questions)
    assert AuditEntry.objects.filter(verb="tutorial_passed").count() == 1


def test_a_bonus_of_nothing_promises_and_leaves_nothing():
    who = person(study(tutorial_bonus=Decimal(0), bonus_after=0))
    graded = pass_tutorial(who)
    assert (graded.passed, graded.promised) == (True, 0)
    assert not LedgerEntry.objects.exists()


def test_a_pass_of_a_replaced_version_counts():
    who = person(study())
    tutorial = tutorial_queries.required(who.campaign_id)
    run = work_tutorial.begin(who.pk)
    TutorialRun.objects.filter(pk=run.pk).update(
        version=tutorial.replaces[0], passed_at=timezone.now(), covers=["of-old-questions"]
    )
    assert work_tutorial.begin(who.pk).passed_at is not None
    assert isinstance(leasing.lease(who.pk), Assignment)


def test_a_second_campaign_with_the_same_tutorial_asks_and_promises_nothing():
    pass_tutorial(person(study()))
    again = person(study(name="Another"))
    assert Annotator.objects.count() == 1
    assert isinstance(leasing.lease(again.pk), Assignment)
    assert TutorialRun.objects.count() == 1


@pytest.mark.parametrize("bonus_after", [0, 3], ids=["paid", "promised"])
def test_a_new_version_asks_only_what_changed_and_promises_nothing_more(bonus_after: int):
    other = {**CHOICE, "key": "other", "text": "It rains and rain."}
    who = person(with_content(CHOICE, other, EDIT_, bonus_after=bonus_after))
    pass_tutorial(who)
    mended = {**other, "prompt": "How fluent is it?"}
    again = person(with_content(CHOICE, mended, EDIT_, version="2", name="Again"))
    assert leasing.lease(again.pk).reason == "tutorial"
    status = tutorial_queries.status(again.pk)
    assert status.bonus == 0
    work_tutorial.begin(again.pk)
    status = tutorial_queries.status(again.pk)
    assert (status.done, status.total, status.current.key) == (0, 1, "other")
    graded = answer(again, status.current)
    assert (graded.passed, graded.promised) == (True, 0)
    assert LedgerEntry.objects.count() == (bonus_after == 0)
    assert isinstance(leasing.lease(again.pk), Assignment)


def test_a_new_version_without_new_questions_is_passed_at_once():
    pass_tutorial(person(with_content(CHOICE, EDIT_)))
    again = person(with_content(CHOICE, version="2", name="Again"))
    assert work_tutorial.begin(again.pk).passed_at is not None
    assert isinstance(leasing.lease(again.pk), Assignment)


@pytest.mark.slow
def test_the_budget_keeps_the_bonus_of_a_tutorial_under_way():
    made = study(reward=Decimal("0.40"), fee_rate=Decimal("0.5"), budget=Decimal("2.30"))
    first, second = person(made, "first"), person(made, "second")
    run = work_tutorial.begin(first.pk)  # 1.13 of 2.30; another one and a judgment would be 1.73
    assert (due(made).begun, due(made).total) == (Decimal("1.13"), Decimal("1.13"))
    refusal = leasing.lease(second.pk)
    assert (refusal.reason, refusal.final) == ("budget", False)
    with pytest.raises(Conflict) as caught:
        work_tutorial.begin(second.pk)
    assert caught.value.code == "budget"
    an_hour_ago(run)
    assert due(made).total == 0
    work_tutorial.begin(second.pk)
    assert leasing.lease(first.pk).reason == "budget"
    with pytest.raises(Conflict):
        answer(first, tutorial_of(first).questions[0])
    pass_tutorial(second)
    assert (due(made).promised, due(made).total) == (Decimal("1.13"), Decimal("1.13"))
    assert leased(second)


def test_who_comes_back_after_an_hour_asks_the_budget_again_and_goes_on():
    made = study(budget=Decimal("1.20"))
    who = person(made)
    pass_tutorial(who, but=1)
    run = TutorialRun.objects.get()
    an_hour_ago(run)
    last = tutorial_of(who).questions[-1]
    assert answer(who, last).promised == BONUS
    assert AuditEntry.objects.filter(verb="tutorial_resumed").count() == 1


def test_no_tutorial_is_begun_that_the_budget_does_not_pay():
    made = study(reward=Decimal("0.40"), budget=Decimal("1.14"))
    who = person(made)
    refusal = leasing.lease(who.pk)
    assert refusal.reason == "budget"
    assert "tutorial" in refusal.message
    assert not TutorialRun.objects.exists()


def test_who_was_promised_the_bonus_needs_budget_for_a_judgment_alone():
    pass_tutorial(person(with_content(CHOICE)))
    small = {"reward": Decimal("0.40"), "budget": Decimal("0.40"), "failed_try_pay": Decimal(0)}
    made = with_content(EDIT_, name="Small", **small)
    who = person(made)
    assert leasing.lease(who.pk).reason == "tutorial"
    work_tutorial.begin(who.pk)
    assert due(made).total == 0
    pass_tutorial(who)
    assert leased(who)


def test_a_tutorial_under_way_does_not_end_the_campaign():
    made = study(reward=Decimal("0.40"), budget=Decimal("1.50"))
    work_tutorial.begin(person(made).pk)
    Campaign.objects.filter(pk=made.pk).update(budget=Decimal("1.00"))
    made.refresh_from_db()
    assert admission.blocked(made) == "budget"
    assert life.limit_reached(made.pk) is None


def test_a_tutorial_under_way_is_finished_and_paid_after_the_campaign_has_closed():
    made = study()
    who = person(made)
    pass_tutorial(who, but=1)
    life.close(made.pk, reason="hand")
    assert leasing.lease(who.pk).reason == "tutorial"
    assert answer(who, tutorial_of(who).questions[-1]).promised == BONUS
    assert LedgerEntry.objects.get().amount == BONUS, "no task follows: it is due at once"
    assert leasing.lease(who.pk).reason != "tutorial"
    assert leasing.lease(person(made, "late").pk).reason != "tutorial"


def test_no_tutorial_is_begun_where_no_task_is_free():
    made = study(items=1, systems=("alpha",), double_share=0)
    first = person(made, "first")
    pass_tutorial(first)
    leased(first)
    late = person(made, "late")
    assert leasing.lease(late.pk).reason == "waiting"
    with pytest.raises(Conflict):
        work_tutorial.begin(late.pk)


def test_a_run_goes_on_and_is_promised_in_another_campaign():
    one, two = study(name="One"), study(name="Two")
    pass_tutorial(person(one), but=1)
    second = person(two)
    assert leasing.lease(second.pk).reason == "tutorial"
    work_tutorial.begin(second.pk)
    assert (due(one).begun, due(two).begun) == (0, BONUS)
    assert answer(second, tutorial_of(second).questions[-1]).promised == BONUS
    assert (due(one).promised, due(two).promised) == (0, BONUS)
    assert TutorialRun.objects.count() == 1


def test_two_instruments_have_tutorials_of_their_own_and_a_bonus_each():
    who = person(study())
    pass_tutorial(who)
    rows = [
        Row(item=f"q{i}", system="alpha", output="12", input="how many", paragraphs=("Twelve.",))
        for i in range(3)
    ]
    checking = {"targets": {"any_correct": 0.2}, "metrics": (), "instrument": "answer_correctness"}
    other = person(study(name="Checking", rows_=rows, **checking))
    assert other.annotator_id == who.annotator_id
    assert leasing.lease(other.pk).reason == "tutorial"
    assert tutorial_queries.status(other.pk).bonus == BONUS
    assert pass_tutorial(other).promised == BONUS
    assert isinstance(leasing.lease(other.pk), Assignment)
    assert isinstance(leasing.lease(who.pk), Assignment)
    runs = TutorialRun.objects.order_by("pk").values_list("instrument", "promised")
    assert list(runs) == [("language_quality", BONUS), ("answer_correctness", BONUS)]


@pytest.fixture
def later(monkeypatch):
    """Let the clock go on by so many seconds."""
    real, gone = timezone.now, [0.0]
    monkeypatch.setattr(timezone, "now", lambda: real() + timedelta(seconds=gone[0]))

    def go(seconds):
        gone[0] += seconds

    return go


def fail_slowly(who, later):
    """Fail both rounds, each answer after the time that reading takes."""
    for _round in range(2):
        work_tutorial.begin(who.pk)
        wrongly = 3
        for question in tutorial_of(who).questions:
            later(20)
            is_wrong = wrongly > 0 and question.kind != "example"
            graded = answer(who, question, wrong(question) if is_wrong else right(question))
            wrongly -= is_wrong
            if graded.failed:
                break
    assert graded.failed.number == 2
    return graded


def tries_paid():
    rows = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.FAILED_TRY)
    return [(row.participation_id, row.amount, row.fee) for row in rows]


def test_an_honest_failed_try_is_paid_once(later):
    made = study(budget=Decimal(50))
    who = person(made)
    graded = fail_slowly(who, later)
    assert (graded.passed, graded.tried) == (False, Decimal("0.25"))
    assert tries_paid() == [(who.pk, Decimal("0.25"), 0)]
    assert due(made).spent == Decimal("0.25")
    assert due(made).begun == 0
    said = leasing.lease(who.pk)
    assert (said.reason, "You are paid $0.25 for trying." in said.message) == (
        "tutorial_failed",
        True,
    )
    assert AuditEntry.objects.get(verb="failed_try_due").detail == {"amount": "0.25"}
    round_ = TutorialRound.objects.select_related("run").last()
    promises.pay_failing(round_, made)
    assert len(tries_paid()) == 1, "once a person and campaign"


def test_a_try_faster_than_anyone_reads_is_not_paid():
    who = person(study())
    assert fail(who).tried == 0
    assert tries_paid() == []
    assert AuditEntry.objects.filter(verb="failed_try_too_fast").count() == 1


@pytest.mark.parametrize(("open_link_bonus", "paid"), [(False, 0), (True, 1)])
def test_people_by_the_open_link_are_paid_for_trying_where_they_get_the_bonus(
    open_link_bonus, paid, later
):
    made = study(open_link_bonus=open_link_bonus)
    who = participations.enter_by_name(made.pk, name="Somebody")
    fail_slowly(who, later)
    assert len(tries_paid()) == paid


def test_the_budget_holds_the_try_while_the_tutorial_is_under_way():
    made = study(tutorial_bonus=Decimal(0), failed_try_pay=Decimal("0.50"), budget=Decimal("1.00"))
    first, second = person(made, "first"), person(made, "second")
    work_tutorial.begin(first.pk)
    assert due(made).begun == Decimal("0.50")
    with pytest.raises(Conflict):
        work_tutorial.begin(second.pk)


@pytest.mark.slow
def test_each_ended_round_is_told_with_its_time():
    who = person(study())
    answer_all(who, wrongly=3)
    answer_all(who, wrongly=1, but=2)
    (first,) = tutorial_queries.tutorial_records_of(who.campaign_id)[who.annotator_id]
    assert (first.number, first.right, first.passed) == (1, 8, False)
    assert (first.seconds, first.minutes) == (90.0, 1.5)  # with four examples
    answer_all(who)
    rounds = tutorial_queries.tutorial_records_of(who.campaign_id)[who.annotator_id]
    assert [(one.right, one.passed) for one in rounds] == [(8, False), (10, True)]


def test_a_round_in_another_study_counts_and_other_people_do_not():
    who = person(study())
    answer_all(who)
    again = person(campaign(name="Again", tutorial=True))
    other = person(campaign(name="Other", tutorial=True), "somebody else")
    assert len(tutorial_queries.tutorial_records_of(again.campaign_id)[who.annotator_id]) == 1
    assert tutorial_queries.tutorial_records_of(other.campaign_id) == {}
    assert tutorial_queries.tutorial_records_of(other.campaign_id, [other.annotator_id]) == {}


def test_a_reviewer_reads_how_the_rounds_went(client):
    owner = user()
    who = person(study(owner=owner))
    answer_all(who)
    judge(who)
    flagged(who)
    client.force_login(owner)
    case = [who.campaign.public_id, who.annotator.pseudonym]
    page = client.get(reverse("annotate:review", args=case)).content.decode()
    assert "<b>11 of 11 right</b>" in page
    assert "round 1, 9 needed, 1.5 min of active time" in page
