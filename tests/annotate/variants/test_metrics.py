"""A metric that is registered with one line can be chosen, computed and used by an estimate."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import Campaign
from annotate.work import scoring
from estimation.metrics import METRICS
from estimation.models import Estimate, MetricScore
from tests.annotate.researcher import created, looked_at, owner_of, step_page
from tests.annotate.variants.vowels import VOWELS
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, VOWELS.name, VOWELS)


@pytest.fixture
def measured(ada: Client) -> Campaign:
    """Judged by three people, with the new metric as its control variate."""
    made = campaign(owner=owner_of(ada), items=8, metrics=("vowels",))
    take_turns([person(made, name) for name in "abc"], 14)
    scoring.ensure(made.pk)
    settle(made)
    return made


@pytest.mark.slow
def test_the_form_offers_it_and_a_campaign_can_have_it(ada: Client) -> None:
    form = step_page(ada, "questions")
    assert "vowels: Letters a, e, i, o and u, from 0 up" in form
    preview = looked_at(ada, metric_names=["vowels"])
    assert "vowels" in preview.content.decode()
    made = created(ada, metric_names=["vowels"])
    assert made.metrics == ["vowels"]


@pytest.mark.slow
def test_estimates_use_it_and_the_pages_and_the_api_name_it(
    ada: Client, measured: Campaign
) -> None:
    assert MetricScore.objects.filter(metric="vowels").exists()
    assert set(Estimate.objects.values_list("estimator", flat=True)) == {"balanced"}
    for name in ("dashboard", "numbers"):
        page = ada.get(reverse(f"estimation:{name}", args=[measured.public_id]))
        assert page.status_code == 200
        assert "vowels" in page.content.decode(), name
    shown = ada.get(f"/api/v1/campaigns/{measured.public_id}/")
    assert (shown.status_code, shown.json()["metrics"]) == (200, ["vowels"])
    assert ada.get(reverse("estimation:export", args=[measured.public_id])).status_code == 200
