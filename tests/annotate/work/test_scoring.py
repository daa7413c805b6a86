"""Scores are derived from judgments, in the worker, and can be recomputed."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.campaigns import facts
from annotate.models import Judgment, Score
from annotate.work import scoring
from estimation import refresh
from estimation.metrics import hter
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

EDIT = "On Monday the council of the district met."


def edited():
    study = campaign(systems=("alpha",))
    judge(person(study), overall=-1, edit=EDIT)
    return study, Judgment.objects.get()


def test_a_submit_waits_for_no_scores_and_the_estimate_computes_them():
    study, judgment = edited()
    assert not Score.objects.exists()
    judge(person(study, "second"))
    refresh.refresh(study.pk)
    scores = dict(judgment.scores.values_list("criterion", "value"))
    assert scores == {
        "fluency": 1.0,
        "redundancy": 1.0,
        "overall": -1.0,
        "edit": hter(judgment.output.text, EDIT),
    }
    assert scores["edit"] > 0
    assert Score.objects.count() == 8


def test_half_written_scores_are_completed_by_another_worker(monkeypatch):
    study, judgment = edited()
    unscored = facts.unscored_judgments

    def overtaken(campaign_id):
        """The slower of two workers has read what is to be done when the other one scores it."""
        found = list(unscored(campaign_id))
        monkeypatch.setattr(facts, "unscored_judgments", unscored)
        scoring.ensure(study.pk)
        return _Read(found)

    monkeypatch.setattr(facts, "unscored_judgments", overtaken)
    assert scoring.ensure(study.pk) == 1
    assert judgment.scores.count() == 4


class _Read(list):
    """Judgments that were read before another worker scored them."""

    def filter(self, *, pk__gt):
        return [one for one in self if one.pk > pk__gt]


@pytest.mark.slow
@pytest.mark.parametrize("n", [3, 30])
def test_many_judgments_are_scored_with_as_many_queries_as_one(n, django_assert_num_queries):
    study = campaign(items=40)
    for i in range(n):
        judge(person(study, f"p{i}"), overall=-1, edit=f"{EDIT} {i}")
    # The judgments, a savepoint, the scores, its release.
    with django_assert_num_queries(4):
        assert scoring.ensure(study.pk) == n
    assert Score.objects.count() == 4 * n


def test_later_batches_are_scored_too(monkeypatch):
    monkeypatch.setattr(scoring, "BATCH", 2)
    study = campaign(items=40)
    for i in range(5):
        judge(person(study, f"p{i}"))
    assert scoring.ensure(study.pk) == 5
    assert Score.objects.count() == 20


def test_what_is_scored_stays_where_the_work_is_cut_short():
    study = campaign(items=40)
    for i in range(5):
        judge(person(study, f"p{i}"))
    turns = iter(range(3))

    def progress():
        if next(turns, None) is None:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        scoring.ensure(study.pk, progress=progress)
    assert Score.objects.count() == 4 * 4
    assert scoring.ensure(study.pk) == 1


def test_stored_scores_can_be_compared_with_their_judgments():
    study, judgment = edited()
    scoring.ensure(study.pk)
    out = StringIO()
    call_command("verify_scores", study.public_id, stdout=out)
    assert "Every score equals" in out.getvalue()
    super(type(Score.objects.all()), Score.objects.filter(criterion="edit")).update(value=0.5)
    with pytest.raises(CommandError, match=f"judgment {judgment.pk}, edit: stored 0.5"):
        call_command("verify_scores", study.public_id)
