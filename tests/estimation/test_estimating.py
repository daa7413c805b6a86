"""From evidence to estimates, decisions and closing."""

from dataclasses import replace

import pytest

from annotate.campaigns import facts, life
from annotate.common.marks import change_marked, mark
from annotate.models import Assignment, AuditEntry, ChangeMark, Slot, System
from annotate.work import leasing, submitting
from estimation import refresh as refresh_module
from estimation import scores
from estimation.models import Decision, Estimate, MetricScore
from estimation.read import estimate_rows
from tests.estimation.reviewed import respond, settle, take_turns
from tests.factories import GOOD, campaign, judge, leased, person, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def work(study, *, judgments_: int) -> None:
    """Let eight people judge in turn until so many judgments are in or nothing is to be had."""
    take_turns([person(study, f"p{i}") for i in range(8)], judgments_)


def wide_open(**changes):
    """A campaign that stops early: a wide target and enough items."""
    settings = {"items": 60, "systems": ("alpha",), "targets": {"overall": 1.6}, "double_share": 0}
    return campaign(**(settings | changes))


@pytest.fixture
def announced():
    """The campaigns that were announced as changed."""
    told = []

    def note(campaign_id, **_signal):
        told.append(campaign_id)

    change_marked.connect(note)
    yield told
    change_marked.disconnect(note)


def test_marks_are_taken_up_once():
    study = campaign()
    work(study, judgments_=6)
    assert refresh_module.refresh(study.pk)
    assert not ChangeMark.objects.exists()
    written = Estimate.objects.count()
    assert written == 2 * 4
    assert not refresh_module.refresh(study.pk)
    assert Estimate.objects.count() == written


def test_all_metrics_that_the_rows_allow_are_computed_once():
    whole = [replace(row, input="The council met.\n\nIt was Monday.") for row in rows(5)]
    study = campaign(rows_=whole, metrics=("auto",))
    assert {"repetition", "rouge_l_f", "support_1", "quality"} <= set(study.metrics)
    design = facts.design(study.pk)
    scores.ensure(design)
    found = MetricScore.objects.filter(campaign=study)
    assert found.count() == 10 * len(study.metrics)
    assert (
        found.get(output__text__contains="0 met on Monday, as alpha", metric="support_1").value > 0
    )
    before = set(found.values_list("pk", flat=True))
    scores.ensure(design, progress=lambda *x: pytest.fail("nothing is missing"))
    assert set(found.values_list("pk", flat=True)) == before


def test_the_worker_that_is_at_it_announces_what_came_meanwhile(monkeypatch, announced, settings):
    settings.REFRESH_SECONDS = 600  # so that this round is short, however slow the machine
    study = campaign()
    work(study, judgments_=4)
    found = refresh_module.findings

    def slow(*asked):
        result = found(*asked)
        monkeypatch.setattr(refresh_module, "findings", found)
        judge(person(study, "late"))
        assert not refresh_module.refresh(study.pk)  # another one finds this one at it
        assert not Estimate.objects.exists()
        return result

    monkeypatch.setattr(refresh_module, "findings", slow)
    assert refresh_module.refresh(study.pk)
    assert ChangeMark.objects.count() == 1
    assert set(Estimate.objects.values_list("n_judgments", flat=True)) == {2}
    assert announced == [study.pk]
    assert refresh_module.refresh(study.pk)
    assert set(Estimate.objects.values_list("n_judgments", flat=True)) == {2, 3}
    assert announced == [study.pk]


def test_a_worker_that_was_slower_than_its_lease_writes_nothing_stale(monkeypatch, clock):
    study = campaign(systems=("alpha",))
    work(study, judgments_=4)
    found = refresh_module.findings

    def overtaken(*asked):
        result = found(*asked)
        monkeypatch.setattr(refresh_module, "findings", found)
        judge(person(study, "late"))
        clock.move(seconds=refresh_module.LEASE.total_seconds())
        assert refresh_module.refresh(study.pk)
        return result

    monkeypatch.setattr(refresh_module, "findings", overtaken)
    assert not refresh_module.refresh(study.pk)
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {5}
    assert set(Estimate.objects.values_list("n_judgments", flat=True)) == {5}


def test_a_refresh_that_fails_keeps_nobody_from_the_next(monkeypatch):
    study = campaign()
    work(study, judgments_=4)
    monkeypatch.setattr(refresh_module, "findings", lambda *_asked: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        refresh_module.refresh(study.pk)
    monkeypatch.undo()
    assert refresh_module.refresh(study.pk)


def test_after_its_turn_a_campaign_waits_behind_others(monkeypatch, announced):
    """Metrics of many texts: what is done is kept, and the rest follows in turns of its own."""
    study = campaign(items=6, metrics=("rouge_1_f",))
    work(study, judgments_=4)
    monkeypatch.setattr(scores, "CHUNK", 5)
    monkeypatch.setattr(refresh_module, "TURN", 0.0)
    for done in (5, 10):
        assert refresh_module.refresh(study.pk)
        assert MetricScore.objects.filter(campaign=study).count() == done
    assert not Estimate.objects.exists()
    assert announced == [study.pk, study.pk]
    monkeypatch.setattr(refresh_module, "TURN", 60.0)
    settle(study)
    assert estimate_rows(study.pk)


@pytest.mark.slow
def test_a_failure_while_deciding_leaves_everything_to_be_done_again(monkeypatch):
    study = wide_open()
    work(study, judgments_=40)
    monkeypatch.setattr(life, "close", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        refresh_module.refresh(study.pk)
    assert not Estimate.objects.exists()
    assert not Decision.objects.exists()
    monkeypatch.undo()
    settle(study)
    study.refresh_from_db()
    assert study.status == "closed"


@pytest.mark.slow
def test_the_target_closes_the_campaign_with_the_estimate_that_caused_it():
    study = wide_open()
    work(study, judgments_=40)
    settle(study)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("closed", "target")
    verbs = list(Decision.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["stop_system", "close", "finish"]
    for decision in Decision.objects.all():
        assert [e.criterion for e in decision.estimates.all()] == ["overall"]
    final = {row.criterion: row for row in estimate_rows(study.pk)}
    assert not final["overall"].provisional
    assert final["overall"].at_target
    assert AuditEntry.objects.filter(campaign=study, verb="close").exists()


@pytest.mark.slow
def test_after_closing_nobody_gets_work_and_running_work_still_counts_and_is_paid():
    study = wide_open()
    runner = person(study, "runner")
    running = leased(runner)
    work(study, judgments_=40)
    settle(study)
    study.refresh_from_db()
    assert study.status == "closing"
    refusal = leasing.lease(person(study, "late").pk)
    assert (refusal.reason, refusal.final) == ("closing", False)
    receipt = submitting.submit_judgment(running.pk, participation_id=runner.pk, raw=GOOD)
    assert (receipt.counts, receipt.earned) == (True, study.reward)
    settle(study)
    study.refresh_from_db()
    assert study.status == "closed"
    assert estimate_rows(study.pk)[0].n_judgments == 41
    assert leasing.lease(runner.pk).reason == "closed"


@pytest.mark.slow
def test_gaps_before_the_frontier_are_leased_again_while_closing():
    study = wide_open()
    gone = person(study, "gone")
    lost = leased(gone)
    work(study, judgments_=40)
    settle(study)
    leasing.give_back(lost.pk, participation_id=gone.pk)
    again = leased(person(study, "helper"))
    assert again.output_id == lost.output_id


@pytest.mark.slow
def test_a_drain_that_widens_the_interval_resumes_collection(monkeypatch):
    study = wide_open()
    runner = person(study, "runner")
    running = leased(runner)
    work(study, judgments_=40)
    settle(study)
    study.targets.update(width=0.001)  # stands for outcomes of the drain that widen the interval
    submitting.submit_judgment(running.pk, participation_id=runner.pk, raw=GOOD)
    refresh_module.refresh(study.pk)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("open", "")
    assert System.objects.get().stop_position is None
    assert Decision.objects.filter(verb="resume").exists()


@pytest.mark.slow
def test_the_final_estimates_hold_a_judgment_that_came_while_they_were_made(monkeypatch):
    """It comes after the marks were read and before the transaction that would finish."""
    study = wide_open()
    runner = person(study, "runner")
    running = leased(runner)
    work(study, judgments_=40)
    settle(study)
    study.refresh_from_db()
    assert study.status == "closing"
    mark(study.pk, "again")  # or there would be nothing to estimate yet
    made = refresh_module.findings
    meanwhile = [running]

    def findings(*seen):
        found = made(*seen)
        while meanwhile:
            late = meanwhile.pop()
            submitting.submit_judgment(late.pk, participation_id=runner.pk, raw=GOOD)
        return found

    monkeypatch.setattr(refresh_module, "findings", findings)
    settle(study)
    study.refresh_from_db()
    assert study.status == "closed"
    finish = Decision.objects.get(verb="finish")
    assert {row.n_judgments for row in finish.estimates.all()} == {41}
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {41}


@pytest.mark.slow
def test_exhausted_outputs_close_a_campaign_whose_target_is_out_of_reach():
    study = campaign(items=4, targets={"overall": 0.01})
    work(study, judgments_=100)
    settle(study)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("closed", "exhausted")
    assert not Slot.objects.filter(assignment=None).exists()


@pytest.mark.slow
def test_the_budget_closes_a_campaign():
    study = campaign(items=40, budget=4, reward=1, targets={"overall": 0.01})
    work(study, judgments_=100)
    settle(study)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("closed", "budget")


@pytest.mark.slow
def test_a_system_stops_alone_and_its_estimate_keeps_its_own_prefix():
    study = campaign(items=80, targets={"overall": 0.9}, double_share=0)
    alpha = System.objects.get(name="alpha")
    cast = [person(study, f"p{i}") for i in range(8)]
    for index in range(140):  # beta is judged erratically, alpha always well
        got = leasing.lease(cast[index % 8].pk)
        if not isinstance(got, Assignment):
            break
        raw = GOOD if "alpha" in got.output.text else respond(index + index // 3)
        submitting.submit_judgment(got.pk, participation_id=cast[index % 8].pk, raw=raw)
        if index % 10 == 0:
            settle(study)
    settle(study)
    alpha.refresh_from_db()
    assert alpha.stop_position is not None
    rows = {(row.system.name, row.criterion): row for row in estimate_rows(study.pk)}
    assert rows["alpha", "overall"].n_items <= alpha.stop_position
    assert Decision.objects.filter(verb="stop_system", system=alpha).exists()


def test_those_that_wait_longest_are_caught_up_with_first(clock):
    early, late = campaign(), campaign()
    work(late, judgments_=1)
    ChangeMark.objects.all().delete()
    for study in (late, early):
        for _mark in range(3):
            mark(study.pk, "judgment")
    ChangeMark.objects.filter(campaign=early).update(at=early.created_at)
    clock.move(seconds=refresh_module.GRACE.total_seconds() + 1)
    assert facts.marked_campaigns(before=clock.now()) == [early.pk, late.pk]


@pytest.mark.slow
def test_catch_up_finds_old_marks_and_reports_failures(monkeypatch, settings):
    study, other = campaign(), campaign()
    work(study, judgments_=4)
    work(other, judgments_=4)
    monkeypatch.setattr(refresh_module, "GRACE", -refresh_module.GRACE)
    refresh = refresh_module.refresh
    monkeypatch.setattr(
        refresh_module, "refresh", lambda pk: 1 / 0 if pk == study.pk else refresh(pk)
    )
    with pytest.raises(ExceptionGroup):
        refresh_module.catch_up()
    assert {row.system_id for row in estimate_rows(other.pk)}
    assert not estimate_rows(study.pk)
    monkeypatch.setattr(refresh_module, "refresh", refresh)
    refresh_module.catch_up()
    assert estimate_rows(study.pk)


def test_each_task_may_run_twice():
    from annotate.tasks import expire_leases
    from estimation.tasks import catch_up, estimate_campaign

    study = campaign()
    work(study, judgments_=4)
    assert [estimate_campaign(study.pk), estimate_campaign(study.pk)] == [True, False]
    Assignment.objects.update(expires_at=study.created_at)
    leased(person(study, "slow"))
    Assignment.objects.update(expires_at=study.created_at)
    assert [expire_leases(), expire_leases()] == [1, 0]
    written = Estimate.objects.count()
    refresh_module.refresh(study.pk)
    assert [catch_up(), catch_up()] == [0, 0]
    assert Estimate.objects.count() == written + 8
