"""When the last judgments came and how long they took, as plain arrays."""

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from annotate.models import Judgment

Floats = NDArray[np.float64]

LOOKED_BACK = timedelta(days=4)
MOST = 20_000  # judgments


@dataclass(frozen=True)
class Came:
    """The newest judgments of a campaign, in the order in which they were stored.

    times: (T,) when they were submitted, in seconds since 1970.
    took: (T,) seconds from lease to submission.
    active: (M,) seconds at work on the page, where it said so.
    """

    times: Floats
    took: Floats
    active: Floats


def came(campaign_id: int) -> Came:
    """Return the last four days' judgments, at most 20,000; one query."""
    rows = Judgment.objects.filter(
        campaign=campaign_id, submitted_at__gt=timezone.now() - LOOKED_BACK
    ).order_by("-pk")
    found = list(rows.values_list("submitted_at", "assignment__leased_at", "active_seconds")[:MOST])
    found.reverse()
    return Came(
        np.array([at.timestamp() for at, _leased, _active in found]),
        np.array([max(0.0, (at - leased).total_seconds()) for at, leased, _active in found]),
        np.array([active for _at, _leased, active in found if active is not None]),
    )
