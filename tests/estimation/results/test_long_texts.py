"""Judgments whose scores take long: scored apart, by the same definition, and decided on after."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.campaigns import facts
from annotate.campaigns.problems import Row
from annotate.common import locks, marks
from annotate.models import ChangeMark, Judgment, PendingScore, Score, Slot
from annotate.studies import queries as studies_queries
from annotate.tasks import score_waiting
from annotate.work import scoring
from estimation import refresh
from estimation.metrics import hter
from estimation.metrics.edits import LONG
from estimation.models import Decision, Estimate
from estimation.read import estimate_rows
from tests import remembered
from tests.factories import campaign, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

BLOCK = "The council of the district met on Monday and spoke of number {}. "
PARTS = [BLOCK.format(i) for i in range(120)]
TEXT, SHUFFLED = "".join(PARTS), "".join([*PARTS[60:], *PARTS[:60]])
assert len(TEXT) > LONG


def long_texts(n: int = 60, **changes):
    """A campaign of one system that wrote sixty texts, so many of them long."""
    rows = [
        Row(item=f"item-{i}", system="alpha", output=f"{TEXT}{i}" if i < n else f"It met, {i}.")
        for i in range(60)
    ]
    settings = {"targets": {"overall": 1.6}, "double_share": 0, "metrics": (), "annotator_cap": 60}
    return campaign(rows_=rows, **(settings | changes))


def judge_all(study, n: int, *, people: int = 8) -> None:
    """The edits of long texts are long."""
    for i in range(n):
        who = person(study, f"p{i % people}")
        text = leased(who).output.text
        if len(text) > LONG:
            judge(who, overall=-1, edit=f"{SHUFFLED}{text[-1]}")
        else:
            judge(who, overall=(1, 0, -1)[i % 3], edit=f"They met, for the {i}th time.")


def judged():
    """Return a campaign with three long texts in which all is judged, and nothing scored."""
    return remembered.again(_judged)


def _judged():
    study = long_texts(3)
    judge_all(study, 60)
    return study


def settle(study) -> None:
    for _round in range(10):
        if not refresh.refresh(study.pk):
            return
    raise AssertionError("the estimates never settle")


def pending() -> int:
    return PendingScore.objects.count()


@pytest.mark.slow
def test_a_long_edit_waits_for_a_task_of_its_own_and_gets_the_same_score():
    study = judged()
    refresh.refresh(study.pk)
    assert pending() == 3
    waiting = PendingScore.objects.select_related("judgment__output")
    judgments = [one.judgment for one in waiting]
    assert not Score.objects.filter(judgment__in=judgments).exists()
    assert Score.objects.count() == 4 * 57
    assert score_waiting() == 3
    assert pending() == 0
    for judgment in judgments:
        scores = dict(judgment.scores.values_list("criterion", "value"))
        assert scores["edit"] == hter(judgment.output.text, judgment.response["edit"]) > 0
        assert scores["overall"] == -1
    assert ChangeMark.objects.filter(campaign=study, reason="scored").count() == 3
    assert score_waiting() == 0


@pytest.mark.slow
def test_nothing_is_decided_while_a_score_is_missing():
    study = judged()
    settle(study)
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {57}
    assert not Decision.objects.exists()
    study.refresh_from_db()
    assert study.status == "open"
    score_waiting()
    settle(study)
    study.refresh_from_db()
    assert (study.status, study.close_reason) == ("closed", "target")
    final = estimate_rows(study.pk)
    assert {row.n_judgments for row in final} == {60}
    assert not any(row.provisional for row in final)


@pytest.mark.slow
def test_what_comes_after_the_end_is_final_only_with_all_scores():
    study = judged()
    score_waiting()
    settle(study)
    score_waiting()
    settle(study)
    study.refresh_from_db()
    assert study.status == "closed"
    PendingScore.objects.create(
        judgment=Judgment.objects.first(), campaign=study, due_at=study.created_at
    )
    Score.supersede(Judgment.objects.first().pk, by="another")
    ChangeMark.objects.create(campaign=study, reason="test")
    refresh.refresh(study.pk)
    assert {row.provisional for row in estimate_rows(study.pk)} == {True}
    assert score_waiting() == 1
    settle(study)
    assert {row.provisional for row in estimate_rows(study.pk)} == {False}
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {60}


def test_a_judgment_that_does_not_count_holds_back_no_decision():
    study = long_texts()
    judge_all(study, 3)
    refresh.refresh(study.pk)
    assert (pending(), facts.waiting(study.pk)) == (3, 3)
    judgment = Judgment.objects.first()
    Slot.objects.filter(assignment=judgment.assignment).update(assignment=None)
    assert facts.waiting(study.pk) == 2
    assert facts.scores(study.pk).waiting == 2


def test_an_estimate_whose_scores_are_all_awaited_is_not_withdrawn():
    study = long_texts()
    judge_all(study, 6)
    refresh.refresh(study.pk)
    score_waiting()
    refresh.refresh(study.pk)
    before = estimate_rows(study.pk)
    assert {row.n_judgments for row in before} == {6}
    of_version(study, "0")
    ChangeMark.objects.create(campaign=study, reason="test")
    refresh.refresh(study.pk)
    assert pending() == 6
    assert [row.n_judgments for row in estimate_rows(study.pk)] == [
        row.n_judgments for row in before
    ]


# ---- versions ----------------------------------------------------------------------------------


def of_version(study, version: str) -> None:
    """Let all scores be those of another version, which said something else."""
    super(type(Score.objects.all()), Score.objects.all()).update(version=version, value=0.25)


@pytest.mark.slow
def test_no_estimate_mixes_scores_of_two_definitions():
    study = judged()
    score_waiting()
    refresh.refresh(study.pk)
    score_waiting()
    counted = facts.scores(study.pk)
    assert counted.waiting == 0
    of_version(study, "0")
    old = facts.scores(study.pk)
    assert (old.value, old.waiting) == ({}, 60)
    ChangeMark.objects.create(campaign=study, reason="test")
    refresh.refresh(study.pk)
    assert {row.n_judgments for row in estimate_rows(study.pk)} == {57}
    assert not Decision.objects.exists()
    assert set(Score.objects.filter(version="0").values_list("judgment", flat=True)) == set(
        PendingScore.objects.values_list("judgment", flat=True)
    )
    score_waiting()
    new = facts.scores(study.pk)
    assert new.waiting == 0
    for name, values in counted.value.items():
        assert new.value[name].tolist() == values.tolist()
    assert Score.objects.count() == 4 * 60
    call_command("verify_scores", study.public_id, stdout=StringIO())


def test_scores_of_the_released_version_are_taken_anew():
    study = campaign(systems=("alpha",))
    for i in range(4):
        judge(person(study, f"p{i}"), overall=-1, edit=f"It met on Monday, {i}.")
    refresh.refresh(study.pk)
    before = facts.scores(study.pk).value["edit"].tolist()
    of_version(study, "1")  # what the column says of all rows that there were before it
    ChangeMark.objects.create(campaign=study, reason="test")
    refresh.refresh(study.pk)
    assert facts.scores(study.pk).value["edit"].tolist() == before
    assert not Score.objects.filter(version="1").exists()


# ---- the task ----------------------------------------------------------------------------------


def failing(monkeypatch, study) -> None:
    instrument = studies_queries.instrument_of(study)
    monkeypatch.setattr(type(instrument), "scores", lambda *_a, **_k: 1 / 0)


def test_what_fails_is_tried_again_later_and_later(monkeypatch, clock, caplog):
    study = long_texts()
    judge_all(study, 1)
    refresh.refresh(study.pk)
    failing(monkeypatch, study)
    pauses = []
    for _attempt in range(6):
        assert score_waiting() == 0
        assert score_waiting() == 0  # not yet
        due = PendingScore.objects.get().due_at
        pauses.append(round((due - clock.now()).total_seconds() / 60))
        clock.move(seconds=(due - clock.now()).total_seconds() + 1)
    assert pauses == [6, 12, 24, 48, 60, 60]
    assert len([r for r in caplog.records if "could not be scored" in r.message]) == 6
    monkeypatch.undo()
    clock.move(hours=2)
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    assert score_waiting() == 1


def test_one_that_fails_keeps_nobody_else_waiting(monkeypatch):
    study = long_texts()
    judge_all(study, 3)
    refresh.refresh(study.pk)
    instrument = studies_queries.instrument_of(study)
    real, first = type(instrument).scores, Judgment.objects.first().response

    def scores(self, response, *, material):
        return 1 / 0 if response == first else real(self, response, material=material)

    monkeypatch.setattr(type(instrument), "scores", scores)
    assert score_waiting() == 2
    assert pending() == 1


def test_a_killed_task_leaves_its_text_to_be_tried_again(monkeypatch, clock):
    study = long_texts()
    judge_all(study, 1)
    refresh.refresh(study.pk)

    class Killed(BaseException):
        pass

    def kill(*_a, **_k):
        raise Killed

    monkeypatch.setattr(type(studies_queries.instrument_of(study)), "scores", kill)
    with pytest.raises(Killed):
        score_waiting()
    monkeypatch.undo()
    assert score_waiting() == 0
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    clock.move(seconds=scoring.AT_MOST.total_seconds() + 1)
    assert score_waiting() == 1


def test_one_task_at_a_time_scores_long_texts():
    study = long_texts()
    judge_all(study, 2)
    refresh.refresh(study.pk)
    with locks.hold("score_waiting", scoring.AT_MOST):
        assert score_waiting() == 0
    assert score_waiting() == 2


@pytest.mark.slow
def test_a_turn_ends_and_the_rest_is_asked_for_again():
    study = long_texts()
    judge_all(study, 3)
    refresh.refresh(study.pk)
    asked = []

    def note(**_signal):
        asked.append(1)

    marks.scores_awaited.connect(note)
    try:
        assert scoring.score_waiting(within=0) == 1
        assert asked == [1]
        assert scoring.score_waiting(within=60) == 2
        assert asked == [1]
    finally:
        marks.scores_awaited.disconnect(note)


# ---- what a reader sees ------------------------------------------------------------------------


@pytest.mark.slow
def test_the_dashboard_says_how_many_judgments_wait(client):
    ada = user()
    study = long_texts(owner=ada)
    judge_all(study, 3)
    refresh.refresh(study.pk)
    client.force_login(ada)
    address = reverse("estimation:dashboard", args=[study.public_id])
    assert "<strong>3 judgments wait for a score.</strong>" in client.get(address).content.decode()
    scoring.score_waiting(within=0)
    scoring.score_waiting(within=0)
    assert "<strong>1 judgment waits for a score.</strong>" in client.get(address).content.decode()
    scoring.score_waiting()
    refresh.refresh(study.pk)
    assert "for a score" not in client.get(address).content.decode()
    assert Estimate.objects.exists()
