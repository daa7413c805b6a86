"""The protocol of a campaign's estimates: that of its opening, or the one it would open with."""

from annotate.instruments.base import Instrument
from annotate.models import Campaign, CriterionProtocol, Protocol, Target
from annotate.screening.screens import Settings
from annotate.selectors.studies import instruments

ESTIMATOR = "balanced"
METRIC_TRANSFORM = "normal_scores"
OF_PAIRS = "signed_scores"  # there a metric is the difference of two texts


def protocol_of(campaign: Campaign) -> Protocol:
    """Return what the campaign opened with; of a draft, what it would open with now."""
    if campaign.protocol is not None:
        return Protocol.from_data(campaign.protocol)
    return planned(campaign, instruments.of(campaign))


def planned(campaign: Campaign, instrument: Instrument) -> Protocol:
    """Return the protocol with which the campaign would open now."""
    targets = list(Target.objects.filter(campaign=campaign).order_by("pk"))
    return Protocol(
        estimator=ESTIMATOR,
        estimand=campaign.estimand,
        level=campaign.level,
        metrics=tuple(campaign.metrics),
        metric_transform=bounded_transform(instrument),
        seed=campaign.seed % 2**32,
        rule=campaign.stop_mode,
        targets={one.criterion: one.width for one in targets if one.width is not None},
        margins={one.criterion: one.margin for one in targets if one.margin is not None},
        planned_items=campaign.planned_items,
        criteria={
            one.name: CriterionProtocol(balance=one.balance, person_share=one.person_share)
            for one in instrument.criteria
        },
        screening=Settings.from_dict(campaign.screening).to_dict(),
    )


def takes_raw_metrics(campaign: Campaign) -> bool:
    """Return whether extreme values of the campaign's metrics may move its estimates."""
    if not campaign.metrics or campaign.protocol is None:
        return False
    return Protocol.from_data(campaign.protocol).metric_transform == "raw"


def bounded_transform(instrument: Instrument) -> str:
    """Return how metrics enter the estimates of new campaigns: no value is extreme then."""
    return OF_PAIRS if instrument.compares else METRIC_TRANSFORM
