"""When the cut-offs of a campaign's screens are made, and that its screens then use them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotate.models import Calibration, Campaign
from annotate.review import evidence, findings, reviews
from annotate.screening import calibration as simulation
from annotate.screening.base import Cutoffs
from tests.annotate.screening.test_screening_service import STORY, crowd
from tests.factories import campaign, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.slow]

STRICT = Cutoffs({}, (0.0, 0.0))  # everybody is past these


@pytest.fixture(autouse=True)
def _few_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "PEOPLE", 60)


def study_of(people: int, each: int) -> Campaign:
    long = [replace(row, output=f"{row.output} {STORY}") for row in rows(90)]
    study = campaign(owner=user(), rows_=long, targets={"overall": 0.01})
    grown(study, people, each)
    return study


def grown(study: Campaign, people: int, each: int) -> None:
    crowd(study, people=people, each=each)
    reviews.screen(study.pk)


def aged(study: Campaign, by: timedelta) -> None:
    """Let the kept cut-offs be so old."""
    Calibration.objects.filter(campaign=study).update(at=timezone.now() - by)


def test_nobody_is_simulated_before_fifty_judgments():
    study_of(7, 7)
    assert findings.calibrate_due() == 0
    assert not Calibration.objects.exists()


def test_cut_offs_are_kept_from_fifty_judgments_on():
    study = study_of(7, 8)
    assert findings.calibrate_due() == 1
    kept = Calibration.objects.get()
    assert (kept.campaign, kept.judgments, kept.settings) == (study, 56, study.screening)
    assert evidence.cutoffs(study.pk) == Cutoffs.from_dict(kept.cutoffs)
    assert findings.calibrate_due() == 0


@pytest.mark.parametrize(
    ("more", "older", "made"),
    [(14, 31, 1), (13, 31, 0), (14, 20, 0)],
    ids=["a quarter more", "less than a quarter more", "just made"],
)
def test_they_are_made_again_after_a_quarter_more_and_half_a_minute(more, older, made):
    study = study_of(7, 8)
    findings.calibrate_due()
    grown(study, people=1, each=more)
    aged(study, timedelta(seconds=older))
    assert findings.calibrate_due() == made
    assert Calibration.objects.get().judgments == 56 + made * more


def test_new_settings_are_followed_at_once():
    study = study_of(7, 8)
    findings.calibrate_due()
    flags = {"listed": 0.02, "paused": 0.001}
    Campaign.objects.filter(pk=study.pk).update(screening={**study.screening, "flags": flags})
    assert findings.calibrate_due() == 1
    assert Calibration.objects.get().settings["flags"] == flags


def test_a_campaign_is_screened_with_its_new_cut_offs(monkeypatch):
    study, used = study_of(7, 8), []
    monkeypatch.setattr(findings, "calibrated", lambda *_: STRICT)
    screen = reviews.screen

    def screened(campaign_id: int) -> Any:
        used.append(evidence.cutoffs(campaign_id))
        return screen(campaign_id)

    monkeypatch.setattr(reviews, "screen", screened)
    findings.calibrate_due()
    study.refresh_from_db()
    assert used == [STRICT]
    assert study.screened.startswith("56:")
