"""Stored estimates of the exact weights are called `gls` since `balanced` names the closed form."""

from importlib import import_module

import pytest
from django.apps import apps

from estimation.models import Comparison, Estimate
from tests.estimation.test_comparing import worse_beta
from tests.factories import campaign

pytestmark = [pytest.mark.django_db, pytest.mark.orm]


@pytest.mark.slow
def test_the_migration_renames_what_was_balanced_and_nothing_else():
    study = campaign(items=10)
    worse_beta(study, count=20)
    first = Estimate.objects.earliest("pk")
    Estimate.objects.update(estimator="balanced")
    Comparison.objects.update(estimator="balanced")
    Estimate.objects.filter(pk=first.pk).update(estimator="regression")
    migration = import_module("estimation.migrations.0003_balanced_becomes_gls")
    forward = migration.Migration.operations[0]
    forward.code(apps, None)
    assert set(Comparison.objects.values_list("estimator", flat=True)) == {"gls"}
    assert set(Estimate.objects.values_list("estimator", flat=True)) == {"gls", "regression"}
    forward.reverse_code(apps, None)
    assert set(Estimate.objects.values_list("estimator", flat=True)) == {"balanced", "regression"}
