"""The protocol of a campaign's estimates: that of its opening, or the one it would open with."""

from collections.abc import Sequence

from annotate.instruments.base import Criterion
from annotate.models import Campaign, CriterionProtocol, Protocol, Target
from annotate.screening.settings import Settings
from annotate.selectors.studies import instruments

ESTIMATOR = "balanced"


def protocol_of(campaign: Campaign) -> Protocol:
    """Return what the campaign opened with; of a draft, what it would open with now."""
    if campaign.protocol is not None:
        return Protocol.from_data(campaign.protocol)
    return planned(campaign, instruments.of(campaign).criteria)


def planned(campaign: Campaign, criteria: Sequence[Criterion]) -> Protocol:
    """Return the protocol with which the campaign would open now."""
    targets = list(Target.objects.filter(campaign=campaign).order_by("pk"))
    return Protocol(
        estimator=ESTIMATOR,
        estimand=campaign.estimand,
        level=campaign.level,
        metrics=tuple(campaign.metrics),
        seed=campaign.seed % 2**32,
        rule=campaign.stop_mode,
        targets={one.criterion: one.width for one in targets if one.width is not None},
        margins={one.criterion: one.margin for one in targets if one.margin is not None},
        planned_items=campaign.planned_items,
        criteria={
            one.name: CriterionProtocol(balance=one.balance, person_share=one.person_share)
            for one in criteria
        },
        screening=Settings.from_dict(campaign.screening).to_dict(),
    )
