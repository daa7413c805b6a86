"""What a worker process remembers of campaigns between two refreshes.

It saves work and is never needed: it can be thrown away at any time.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from estimation.services.watermark import Watermark

CAMPAIGNS = 200  # remembered at a time, those that were refreshed last


@dataclass
class Memory:
    """One campaign's. scored: up to where judgments have their scores."""

    scored: Watermark = field(default_factory=Watermark)


_lock = threading.Lock()
_kept: OrderedDict[int, Memory] = OrderedDict()


def of(campaign_id: int) -> Memory:
    """Return what is remembered of a campaign; at first nothing."""
    with _lock:
        found = _kept.setdefault(campaign_id, Memory())
        _kept.move_to_end(campaign_id)
        while len(_kept) > CAMPAIGNS:
            _kept.popitem(last=False)
    return found


def forget(campaign_id: int | None = None) -> None:
    """Throw away what is remembered of this campaign, or of all."""
    with _lock:
        if campaign_id is None:
            _kept.clear()
        else:
            _kept.pop(campaign_id, None)
