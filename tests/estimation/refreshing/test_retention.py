"""The history is thinned: what charts, decisions and exports need stays."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from annotate.models import Campaign
from estimation import read, refresh, tasks
from estimation.models import Agreement, Comparison, Decision, Estimate
from tests.estimation.stored import estimate_row
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LONG_AGO = timezone.now() - timedelta(days=1)
COUNTS = [*range(2, 120), *range(120, 40, -4), *range(40, 400, 3)]


def row(study: Campaign, n: int, *, second: bool = False, **changes: object) -> Estimate:
    system = study.systems.order_by("pk")[int(second)]
    return estimate_row(study, system, width=None, n_items=n, n_judgments=n, **changes)


def pair(study: Campaign, n: int) -> Comparison:
    first, second = study.systems.order_by("pk")
    same = ("criterion", "estimator", "interval", "estimand", "level", "n_population")
    like = row(study, n)
    values = {name: getattr(like, name) for name in (*same, "n_annotators", "effective_annotators")}
    counts = {"n_items": n, "n_judgments": n}
    return Comparison(
        campaign=study, first=first, second=second, difference=0.1, **values, **counts
    )


@pytest.fixture
def study() -> Campaign:
    """With a history of a day ago, in two systems and two criteria."""
    made = campaign()
    Estimate.objects.bulk_create(
        row(made, n, second=second, criterion=criterion)
        for n in COUNTS
        for second in (False, True)
        for criterion in ("overall", "fluency")
    )
    Comparison.objects.bulk_create(pair(made, n) for n in COUNTS)
    aged()
    return made


def aged() -> None:
    Estimate.objects.update(at=LONG_AGO)
    Comparison.objects.update(at=LONG_AGO)


def counts(study: Campaign, criterion: str = "overall") -> list[int]:
    first = study.systems.order_by("pk")[0]
    mine = Estimate.objects.filter(system=first, criterion=criterion).order_by("pk")
    return list(mine.values_list("n_judgments", flat=True))


@pytest.mark.slow
def test_rows_stay_wherever_the_number_of_judgments_has_changed_by_a_percent(study):
    assert refresh.thin(study.pk) > 0
    left = counts(study)
    assert left[:100] == COUNTS[:100]  # one judgment of fewer than 100 is more than a percent
    assert len(left) < len(COUNTS)
    assert left[-1] == COUNTS[-1]
    assert all(abs(b - a) >= refresh.STEP * a for a, b in pairwise(left[:-1]))
    assert counts(study, "fluency") == left
    assert list(Comparison.objects.order_by("pk").values_list("n_judgments", flat=True)) == left


@pytest.mark.slow
def test_a_second_run_finds_nothing_more_and_an_interrupted_one_goes_on(study, monkeypatch):
    monkeypatch.setattr(refresh, "MOST", 7)
    runs = 0
    while refresh.thin(study.pk):
        runs += 1
    assert runs > 3
    left = counts(study)
    monkeypatch.undo()
    assert refresh.thin(study.pk) == 0
    assert counts(study) == left


@pytest.mark.slow
def test_what_a_decision_cites_is_never_thinned(study):
    """Not even where nothing of its series would be missed."""
    everything = Decision.objects.create(campaign=study, verb="close", reason="test", text="Ends.")
    cited = list(Estimate.objects.filter(n_judgments__in=(102, 110, 114)))
    pairs = list(Comparison.objects.filter(n_judgments=114))
    everything.estimates.set(cited)
    everything.comparisons.set(pairs)
    refresh.thin(study.pk)
    assert set(everything.estimates.all()) == set(cited)
    assert set(everything.comparisons.all()) == set(pairs)


@pytest.mark.slow
def test_final_rows_and_those_of_the_closing_stay(study):
    rows = Estimate.objects.filter(n_judgments=114)
    rows.update(provisional=False)
    closing = Estimate.objects.filter(n_judgments=110).order_by("pk").values_list("pk", flat=True)
    Estimate.objects.filter(pk__gt=max(closing)).update(at=LONG_AGO + timedelta(hours=1))
    Campaign.objects.filter(pk=study.pk).update(closed_at=LONG_AGO + timedelta(minutes=1))
    before = set(Estimate.objects.filter(n_judgments__in=(114, 110)))
    was = read.at_closing(study.pk, LONG_AGO + timedelta(minutes=1))
    refresh.thin(study.pk)
    assert before <= set(Estimate.objects.all())
    assert read.at_closing(study.pk, LONG_AGO + timedelta(minutes=1)) == was


@pytest.mark.slow
def test_the_newest_rows_and_young_ones_stay(study):
    newest = set(read.newest([study.pk])), set(read.newest_comparisons([study.pk]))
    assert all(newest)
    Estimate.objects.bulk_create(row(study, 398) for _ in range(5))
    refresh.thin(study.pk)
    assert Estimate.objects.filter(n_judgments=398).count() == 5
    assert {one.pk for both in newest for one in both} <= {
        *Estimate.objects.values_list("pk", flat=True),
        *Comparison.objects.values_list("pk", flat=True),
    }


@pytest.mark.slow
def test_the_task_looks_at_campaigns_that_were_estimated_lately(study):
    old = campaign()
    Estimate.objects.bulk_create(row(old, n) for n in COUNTS)
    Estimate.objects.filter(campaign=old).update(at=LONG_AGO - refresh.IDLE)
    assert tasks.thin_histories() == 1
    assert len(counts(old)) == len(COUNTS)
    assert len(counts(study)) < len(COUNTS)


@pytest.mark.slow
def test_rows_of_agreement_are_thinned_the_same_way(study):
    """Rulings add them as often as somebody rules."""
    made = [
        Agreement(
            campaign=study,
            criterion=criterion,
            distance="ordinal",
            level=0.95,
            n_outputs=n,
            n_judgments=n,
            n_annotators=n,
            digest=str(n),
        )
        for n in COUNTS
        for criterion in ("overall", "fluency")
    ]
    Agreement.objects.bulk_create(made)
    Agreement.objects.update(at=LONG_AGO)
    newest = set(read.newest_agreement(study.pk))
    young = Agreement.objects.create(
        campaign=study, criterion="edit", distance="interval", level=0.95, n_outputs=0,
        n_judgments=0, n_annotators=0,
    )  # fmt: skip
    refresh.thin(study.pk)
    for criterion in ("overall", "fluency"):
        left = Agreement.objects.filter(criterion=criterion).order_by("pk")
        assert list(left.values_list("n_judgments", flat=True)) == counts(study)
    assert newest | {young} <= set(Agreement.objects.all())
    assert refresh.thin(study.pk) == 0
