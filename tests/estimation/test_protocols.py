"""A campaign keeps the protocol that it opened with, and estimates by it."""

import pytest

from annotate.campaigns import facts, life
from annotate.models import Campaign, Protocol
from estimation import facts as facts_module
from estimation.core import Sample, difference, estimate
from estimation.facts import scale_of
from tests.factories import campaign

pytestmark = [pytest.mark.django_db, pytest.mark.orm]

SCORES = [0, 1, 1, 0, -1, 0, 1, 1, -1, 0]
ITEMS, PEOPLE = [0, 0, 0, 1, 2, 2, 3, 4, 5, 5], [1, 2, 3, 1, 1, 2, 3, 2, 4, 5]
METRIC = [0.2, -0.4, -1.1, 0.9, 0.6, -0.7, 0.1, 0.3, -0.2, 0.5]


def brief_of(study: Campaign) -> facts.CampaignDesign:
    return facts.design(study.pk)


def criterion_of(design: facts.CampaignDesign, name: str = "overall"):
    return next(one for one in design.criteria if one.name == name)


def sample_of(design: facts.CampaignDesign, metric=METRIC) -> Sample:
    return Sample(SCORES, ITEMS, PEOPLE, 10, scale_of(criterion_of(design)), metric)


def test_opening_writes_what_the_instrument_and_the_plan_say():
    draft = campaign(is_open=False, metrics=("quality",))
    assert draft.protocol is None
    planned = facts.protocol_of(draft)
    life.open_(draft.pk)
    draft.refresh_from_db()
    assert Protocol.from_data(draft.protocol) == planned
    assert (planned.estimator, planned.metrics, planned.level) == ("balanced", ("quality",), 0.95)
    found = {name: (one.balance, one.person_share) for name, one in planned.criteria.items()}
    assert found == {
        "fluency": (0.15, 0.08),
        "redundancy": (0.07, 0.06),
        "overall": (0.16, 0.08),
        "edit": (0.03, 0.03),
    }


def test_what_is_opened_again_keeps_its_protocol():
    study = campaign()
    first = study.protocol
    Campaign.objects.filter(pk=study.pk).update(seed=study.seed + 1, level=0.9)
    life.pause(study.pk)
    life.open_(study.pk)
    study.refresh_from_db()
    assert study.protocol == first
    assert brief_of(study).protocol.seed == first["seed"]


def test_estimates_use_the_constants_of_the_protocol():
    study = campaign(metrics=("quality",))
    own = {**study.protocol, "criteria": {"overall": {"balance": 2.0, "person_share": 0.5}}}
    Campaign.objects.filter(pk=study.pk).update(protocol=own)
    design = brief_of(study)
    sample = sample_of(design)
    found = facts_module.estimated(design, criterion_of(design), sample)
    assert found == estimate(sample, balance=2.0, person_share=0.5)
    alone = facts_module.without_metrics(design, criterion_of(design), sample)
    assert alone.slopes == ()
    assert alone.method == found.method
    other = sample_of(design, METRIC[::-1])
    compared = facts_module.compared(design, criterion_of(design), sample, other)
    again = difference(sample, other, balance=2.0, person_share=0.5)
    assert (compared.estimate, compared.std_error) == (again.estimate, again.std_error)


@pytest.mark.parametrize(
    ("metric", "estimator"), [(None, "mean"), (METRIC, "regression")], ids=["without", "with"]
)
def test_a_campaign_of_an_earlier_version_keeps_regression_without_pull(metric, estimator):
    study = campaign(metrics=("quality",))
    old = {**study.protocol, "estimator": "regression", "criteria": {}}
    Campaign.objects.filter(pk=study.pk).update(protocol=old)
    design = brief_of(study)
    found = facts_module.estimated(design, criterion_of(design), sample_of(design, metric))
    assert found.method.estimator == estimator
    assert found.method.person_share == 0
    assert not found.variance.pulled
