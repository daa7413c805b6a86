"""Judgments come while a worker looks: they delay neither an estimate nor a decision."""

import numpy as np
import pytest
from django.utils import timezone

from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns import life
from annotate.common import marks
from annotate.models import Campaign, ChangeMark, PendingScore
from annotate.models.base import CampaignStatus, CloseReason
from annotate.work import scoring
from estimation import facts, refresh
from estimation import read as read_module
from estimation.models import Decision, Estimate
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

FAR = {"overall": 1e-6}  # nothing is ever decided
ENOUGH = 10.0  # a width that every interval of the criterion has


@pytest.fixture(autouse=True)
def _no_flags(no_screens):
    """Nobody is flagged."""


@pytest.fixture
def meanwhile(monkeypatch):
    """Somebody judges between every scoring and the reading after it, as at busy hours."""
    came, see = [], facts.evidence

    def busy(study):
        def one_more(campaign_id):
            if (
                campaign_id == study.pk
                and campaigns_facts.design(study.pk).status == CampaignStatus.OPEN
            ):
                came.append(judge(person(study, f"meanwhile {len(came)}")).judgment_id)

        def seen(design):
            one_more(design.campaign_id)
            return see(design)

        monkeypatch.setattr(facts, "evidence", seen)
        return came

    return busy


def study_of(n: int = 12, **changes: object) -> Campaign:
    study = campaign(items=60, targets=FAR, annotator_cap=None, **changes)
    for i in range(n):
        judge(person(study, f"p{i % 15}"), overall=(1, 0, -1)[i % 3], edit=f"It met, {i}.")
    refresh.refresh(study.pk)
    return study


@pytest.mark.slow
def test_the_next_estimate_takes_up_what_came(meanwhile):
    study = study_of()
    came = meanwhile(study)
    for i in range(4):
        judge(person(study, f"late {i}"))
        refresh.refresh(study.pk)
        rows = read_module.newest([study.pk], ["overall"])
        # 12 at first, one in each turn, and what came meanwhile in the turns before.
        assert sum(row.n_judgments for row in rows) == 12 + i + 1 + len(came) - 1
        assert [mark.reason for mark in ChangeMark.objects.all()] == ["judgment"]
    assert len(came) == 4


@pytest.mark.slow
def test_a_decision_is_taken_while_judgments_keep_coming(meanwhile):
    study = study_of(45, systems=("alpha",), double_share=0)
    came = meanwhile(study)
    study.targets.update(width=ENOUGH)
    judge(person(study, "late"))
    refresh.refresh(study.pk)
    assert came
    assert Decision.objects.filter(campaign=study).exists()


def test_what_came_after_the_scores_were_made_is_in_no_estimate():
    """Not half of it either: a judgment counts once its scores are there."""
    study = study_of()
    came = judge(person(study, "new")).judgment_id
    read = campaigns_facts.scores(study.pk)
    assert came not in read.judgment
    assert (read.unscored.tolist(), read.waiting, read.is_whole) == ([came], 0, False)
    assert not any(np.isnan(row).any() for row in read.value.values())
    scoring.ensure(study.pk)
    read = campaigns_facts.scores(study.pk)
    assert came in read.judgment
    assert read.is_whole


@pytest.mark.slow
def test_a_judgment_that_waits_for_its_scores_holds_back_a_decision():
    study = study_of(45, systems=("alpha",), double_share=0)
    study.targets.update(width=ENOUGH)
    late = judge(person(study, "late")).judgment_id
    PendingScore.objects.create(judgment_id=late, campaign=study, due_at=timezone.now())
    refresh.refresh(study.pk)
    read = campaigns_facts.scores(study.pk)
    assert (read.waiting, read.unscored.size, read.is_whole) == (1, 0, False)
    assert not Decision.objects.filter(campaign=study).exists()


def test_a_closed_campaign_is_final_only_with_every_judgment(monkeypatch):
    """What came in the last moment is in the final estimate."""
    study = study_of()
    judge(person(study, "late"))
    life.close(study.pk, CloseReason.HAND)
    life.finish(study.pk)
    monkeypatch.setattr(scoring, "ensure", lambda *_, **__: 0)
    refresh.refresh(study.pk)
    rows = Estimate.objects.filter(campaign=study)
    assert not rows.filter(provisional=False).exists()
    monkeypatch.undo()
    marks.mark(study.pk, "scored")
    refresh.refresh(study.pk)
    last = rows.filter(provisional=False)
    assert sum(row.n_judgments for row in last.filter(criterion="overall")) == 13
