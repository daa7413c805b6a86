"""Scores are derived from judgments, in the worker, and can be recomputed."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.models import Judgment, Score
from annotate.selectors.work import scoring as selectors
from annotate.services.work import scoring
from estimation.metrics import hter
from estimation.services import estimating
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
    estimating.refresh(study.pk)
    scores = dict(judgment.scores.values_list("criterion", "value"))
    assert scores == {
        "fluency": 1.0,
        "redundancy": 1.0,
        "overall": -1.0,
        "edit": hter(judgment.output.text, EDIT),
    }
    assert scores["edit"] > 0
    assert Score.objects.count() == 8


def test_scoring_twice_changes_nothing():
    study, _judgment = edited()
    assert scoring.ensure(study.pk) == 1
    assert scoring.ensure(study.pk) == 0
    assert Score.objects.count() == 4


def test_half_written_scores_are_completed_by_another_worker(monkeypatch):
    study, judgment = edited()
    unscored = selectors.unscored(study.pk)
    list(unscored)  # the slower of two workers has read what is to be done
    scoring.ensure(study.pk)
    monkeypatch.setattr(unscored, "iterator", lambda **_chunks: iter(unscored))
    monkeypatch.setattr(selectors, "unscored", lambda _campaign: unscored)
    assert scoring.ensure(study.pk) == 1
    assert judgment.scores.count() == 4


def test_stored_scores_can_be_compared_with_their_judgments():
    study, judgment = edited()
    scoring.ensure(study.pk)
    out = StringIO()
    call_command("verify_scores", study.public_id, stdout=out)
    assert "Every score equals" in out.getvalue()
    super(type(Score.objects.all()), Score.objects.filter(criterion="edit")).update(value=0.5)
    with pytest.raises(CommandError, match=f"judgment {judgment.pk}, edit: stored 0.5"):
        call_command("verify_scores", study.public_id)


def test_verifying_an_unknown_campaign_says_so():
    with pytest.raises(CommandError, match="no campaign"):
        call_command("verify_scores", "nothere")
