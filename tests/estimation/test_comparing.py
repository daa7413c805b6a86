"""Paired differences: what is compared, what is kept, and how it is shown."""

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import facts
from annotate.models import Assignment, Campaign, System
from annotate.work import leasing, submitting
from estimation import facts as facts_module
from estimation import read, refresh
from estimation.models import Comparison, Estimate
from tests.factories import GOOD, campaign, change, person, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

POOR = {"fluency": 0, "redundancy": 0, "overall": -1}


def worse_beta(study: Campaign, *, count: int = 60, people: int = 8) -> None:
    """People find every text of beta poor, and most of the others good."""
    cast = [person(study, f"p{i}") for i in range(people)]
    for index in range(count):
        got = leasing.lease(cast[index % people].pk)
        if not isinstance(got, Assignment):
            break
        poor = "beta" in got.output.text or index % 5 == 0
        edit = f"Another text about the council, number {index}."
        raw = {**POOR, "edit": edit} if poor else GOOD
        submitting.submit_judgment(got.pk, participation_id=cast[index % people].pk, raw=raw)
    while refresh.refresh(study.pk):
        pass


@pytest.mark.slow
def test_every_pair_is_compared_on_the_primary_criteria_alone():
    study = campaign(systems=("alpha", "beta", "gamma"), items=30)
    worse_beta(study, count=90)
    newest = read.newest_comparisons([study.pk])
    pairs = [(row.first.name, row.second.name, row.criterion) for row in newest]
    assert pairs == [
        ("alpha", "beta", "overall"),
        ("alpha", "gamma", "overall"),
        ("beta", "gamma", "overall"),
    ]
    found = newest[0]
    assert found.difference > 0.5
    assert 0 < found.low < found.difference < found.high
    assert (found.estimator, found.interval, found.metrics) == (
        "balanced",
        "two_way",
        ["quality"],
    )


@pytest.mark.slow
def test_rows_are_added_and_never_changed():
    study = campaign(items=20)
    worse_beta(study, count=20)
    before = list(Comparison.objects.values())
    worse_beta(study, count=20)
    after = list(Comparison.objects.order_by("id").values())
    assert len(after) > len(before)
    assert after[: len(before)] == before
    assert len(read.newest_comparisons([study.pk])) == 1


@pytest.mark.slow
def test_the_earlier_stop_of_two_bounds_the_common_prefix():
    study = campaign(items=20, double_share=0)
    worse_beta(study, count=40)
    System.objects.filter(campaign=study, name="alpha").update(stop_position=8)
    design = facts.design(study.pk)
    (pair,) = facts_module.pairs(design, facts_module.evidence(design))
    assert [np.unique(sample.item).size for sample in pair.samples] == [8, 8]
    assert [sample.n_population for sample in pair.samples] == [20, 20]
    assert np.array_equal(*[np.unique(sample.item) for sample in pair.samples])


@pytest.mark.slow
def test_items_that_only_one_system_has_are_not_compared():
    some = [row for row in rows(20) if not (row.system == "beta" and row.item == "item-3")]
    study = campaign(rows_=some)
    worse_beta(study, count=50)
    assert {row.n_population for row in Comparison.objects.all()} == {19}


@pytest.mark.slow
def test_anytime_intervals_are_wider_and_stop_later():
    fixed = campaign(items=80, systems=("alpha",), targets={"overall": 0.9}, double_share=0)
    always = campaign(
        items=80, systems=("alpha",), targets={"overall": 0.9}, double_share=0, stop_mode="anytime"
    )
    for study in (fixed, always):
        worse_beta(study, count=40)
        study.refresh_from_db()
    one, other = (
        Estimate.objects.filter(campaign=study, criterion="overall").last()
        for study in (fixed, always)
    )
    assert fixed.status == "closed"
    assert other.interval == "sequence"
    assert other.width > one.width
    assert other.mean_high - other.mean_low > one.mean_high - one.mean_low


# --- the page and the API


def compared(study: Campaign, difference: float, low: float | None, high: float | None) -> None:
    alpha, beta = study.systems.all()
    Comparison.objects.create(
        campaign=study,
        first=alpha,
        second=beta,
        criterion="overall",
        estimator="regression",
        interval="two_way",
        estimand="population",
        metrics=["quality"],
        level=0.95,
        difference=difference,
        low=low,
        high=high,
        width=None if low is None or high is None else high - low,
        n_items=40,
        n_population=60,
        n_judgments=100,
        n_annotators=20,
        effective_annotators=18,
        std_error=None if low is None or high is None else (high - low) / 4,
        df=30.0,
    )


def page(client: Client, study: Campaign) -> str:
    return client.get(reverse("estimation:dashboard", args=[study.public_id])).content.decode()


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((0.3, 0.1, 0.5), "alpha ahead: 0 lies outside the interval"),
        ((-0.3, -0.5, -0.1), "beta ahead: 0 lies outside the interval"),
        ((0.1, -0.1, 0.3), "not distinguishable yet: 0 lies inside the interval"),
        ((0.1, None, None), "no interval yet"),
    ],
)
def test_the_dashboard_says_it_in_words(client: Client, numbers: Any, told: str) -> None:
    ada = user()
    client.force_login(ada)
    study = campaign(owner=ada)
    assert "Differences between systems" not in page(client, study)
    compared(study, *numbers)
    text = page(client, study)
    assert told in text
    assert "stopping when one interval excludes 0 is often wrong" in text
    assert not re.search(r"\bnan\b", text)  # a random id may hold these letters


def test_nothing_more_comes_after_closing(client: Client) -> None:
    ada = user()
    client.force_login(ada)
    study = campaign(owner=ada)
    compared(study, 0.1, -0.1, 0.3)
    assert "not distinguishable yet: 0 lies inside the interval" in page(client, study)
    change(study, status=Campaign.Status.CLOSED, closed_at=timezone.now())
    text = page(client, study)
    assert "not distinguishable: 0 lies inside the interval" in text
    assert "not distinguishable yet" not in text


def test_the_api_gives_the_newest_or_all(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    ada = user()
    client.force_login(ada)
    study = campaign(owner=ada)
    compared(study, 0.1, -0.1, 0.3)
    compared(study, 0.2, 0.1, 0.3)
    at = f"/api/v1/campaigns/{study.public_id}/comparisons/"
    with django_assert_max_num_queries(8):
        (row,) = client.get(at).json()["results"]
    assert (row["first"], row["second"], row["difference"]) == ("alpha", "beta", 0.2)
    everything = client.get(at, {"history": "1"}).json()["results"]
    assert [found["difference"] for found in everything] == [0.1, 0.2]
    client.force_login(user("eve"))
    assert client.get(at).status_code == 404
