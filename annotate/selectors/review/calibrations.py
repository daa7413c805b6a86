"""The cut-offs of a campaign's screens, as a worker has calibrated them."""

from annotate.models import Calibration
from annotate.screening.base import UNCALIBRATED, Cutoffs


def cutoffs(campaign_id: int) -> Cutoffs:
    """Return the kept cut-offs; those that are safe in most campaigns before there are any."""
    kept = Calibration.objects.filter(campaign=campaign_id).values_list("cutoffs", flat=True)
    found = kept.first()
    return UNCALIBRATED if found is None else Cutoffs.from_dict(found)
