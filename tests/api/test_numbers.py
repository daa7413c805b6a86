"""The API about numbers: estimates and decisions."""

import pytest

from annotate.models import System
from estimation.models import Decision, Estimate

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def at(study, part):
    return f"/api/v1/campaigns/{study.public_id}/{part}"


def estimate(study, system, **given):
    fields = {
        "criterion": "overall",
        "estimator": "regression",
        "interval": "t",
        "estimand": "population",
        "level": 0.95,
        "estimate": 0.5,
        "mean_estimate": 0.4,
        "n_items": 3,
        "n_population": 6,
        "n_judgments": 4,
        "n_annotators": 2,
        "effective_annotators": 1.8,
    }
    return Estimate.objects.create(campaign=study, system=system, **{**fields, **given})


@pytest.fixture
def numbers(study):
    """Two moments of alpha, one of beta, and a decision."""
    alpha, beta = System.objects.filter(campaign=study)
    estimate(study, alpha)
    newer = estimate(study, alpha, estimate=0.6, low=0.5, high=0.7, width=0.2)
    estimate(study, beta)
    decided = Decision.objects.create(
        campaign=study, system=alpha, verb="stop_system", reason="target", text="Wide enough."
    )
    decided.estimates.add(newer)
    return newer


def test_the_newest_estimate_of_each_system(api, study, numbers):
    rows = api.get(at(study, "estimates/")).json()["results"]
    assert [(row["system"], row["estimate"], row["low"]) for row in rows] == [
        ("alpha", 0.6, 0.5),
        ("beta", 0.5, None),
    ]
    assert rows[1]["width"] is None


def test_the_history_comes_in_pages(api, study, numbers):
    first = api.get(at(study, "estimates/?history=1&page_size=2")).json()
    rest = api.get(first["next"]).json()
    assert [row["estimate"] for row in first["results"] + rest["results"]] == [0.5, 0.6, 0.5]
    assert rest["next"] is None


def test_decisions_name_their_estimates(api, study, numbers):
    Decision.objects.create(campaign=study, verb="close", reason="target", text="All done.")
    one, two = api.get(at(study, "decisions/")).json()["results"]
    assert (one["verb"], one["system"], one["estimates"]) == ("stop_system", "alpha", [numbers.pk])
    assert (two["system"], two["estimates"]) == (None, [])


def test_queries_do_not_grow(api, study, numbers, django_assert_max_num_queries):
    alpha = System.objects.filter(campaign=study).first()
    for _ in range(5):
        one = estimate(study, alpha)
        Decision.objects.create(campaign=study, system=alpha, text="x").estimates.add(one)
    api.get(at(study, "decisions/"))  # the first look at results is written down
    for part, most in (("estimates/", 8), ("estimates/?history=1", 6), ("decisions/", 7)):
        with django_assert_max_num_queries(most):
            api.get(at(study, part))


def test_an_estimate_says_what_the_metric_saved(api, study):
    alpha, beta = System.objects.filter(campaign=study)
    ends = {"low": 0.4, "high": 0.6, "width": 0.2, "mean_low": 0.35, "mean_high": 0.6}
    many = {"n_items": 50, "n_judgments": 60, **ends}
    estimate(study, alpha, metrics=["quality"], **many)
    estimate(study, beta, **many)
    helped, plain = api.get(at(study, "estimates/")).json()["results"]
    assert helped["metrics"] == ["quality"]
    assert helped["saving"]["judgments"] == 34
    assert helped["saving"]["money"] == "13.60"
    assert plain["saving"]["judgments"] is None
    assert "no metric" in plain["saving"]["why"]
