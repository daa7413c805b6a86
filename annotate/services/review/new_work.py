"""Looks at people with new work between two looks at everybody.

A look at everybody takes as long as the campaign is large, so it comes once in a while. In between,
people with new work are looked at among a sample of the others (`screening.sampled`). Such a look
flags nobody: where it would, everybody is looked at, which decides. Until then, work that a ruling
has cleared counts as its annotator's.

All of this is a process's memory. It saves time, and can be thrown away at any moment.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable

from annotate.models import Campaign
from annotate.screening.base import LISTED, Columns, Verdict
from annotate.screening.sampled import SampledCrowd
from annotate.screening.screens import Settings, screen_all
from annotate.selectors.review import calibrations, screening
from estimation.core import Ints, distinct

SPARING = 10  # times its own duration until the next look of a kind
ROWS = 2_000_000  # judgments of all campaigns together; about 150 bytes each


class WatchedCampaign:
    """One campaign since the last look at everybody.

    flagged: what that look said. took: its seconds.
    """

    def __init__(self, columns: Columns, flagged: Iterable[Verdict], *, took: float) -> None:
        self.crowd = SampledCrowd(columns)
        self._newest = int(columns.order.max())
        self._said: set[tuple[int, str, str]] = set()
        self._remember(flagged)
        self._next_at = time.monotonic()
        self._everybody_at = self._next_at + SPARING * took
        self._is_suspicious = False

    def is_suspicious(self, campaign_id: int) -> bool:
        """Look at who has new work, unless it is too early; return whether all are to be looked at.

        True only once, and not too soon after the last look at everybody.
        """
        if time.monotonic() >= self._next_at:
            self._look(Campaign.objects.get(pk=campaign_id))
        found = self._is_suspicious and time.monotonic() >= self._everybody_at
        self._is_suspicious = self._is_suspicious and not found
        return found

    def _look(self, campaign: Campaign) -> None:
        began = time.monotonic()
        new = screening.new_columns(campaign, after=self._newest)
        if new is not None:
            self.crowd.add(new)
            self._newest = int(new.order.max())
            said = _said(campaign, self.crowd, distinct(new.annotator))
            self._is_suspicious |= self._remember(said)
        now = time.monotonic()
        self._next_at = now + SPARING * (now - began)

    def _remember(self, said: Iterable[Verdict]) -> bool:
        """Return whether some of it was not said before. Who is paused is listed, too."""
        new = {(one.annotator, one.screen, one.tier) for one in said} - self._said
        self._said |= new | {(who, screen, LISTED) for who, screen, _tier in new}
        return bool(new)


def _said(campaign: Campaign, crowd: SampledCrowd, people: Ints) -> list[Verdict]:
    """Return the verdicts that would flag one of these people."""
    settings, cutoffs = Settings.from_dict(campaign.screening), calibrations.cutoffs(campaign.pk)
    said = screen_all(crowd.around(people), settings, cutoffs, flagged_only=True)
    mine = set(people.tolist())
    return [one for one in said if one.annotator in mine]


_lock = threading.Lock()
_watched: OrderedDict[int, WatchedCampaign] = OrderedDict()


def watch(campaign_id: int, columns: Columns, said: Iterable[Verdict], *, took: float) -> None:
    """Begin anew after a look at everybody; forget what was begun longest ago until it fits."""
    flagged = [one for one in said if one.flagged]
    made = WatchedCampaign(columns, flagged, took=took)
    with _lock:
        _watched[campaign_id] = made
        _watched.move_to_end(campaign_id)
        while sum(len(one.crowd) for one in _watched.values()) > ROWS and len(_watched) > 1:
            _watched.popitem(last=False)


def is_suspicious(campaign_id: int) -> bool:
    """Return whether people with new work are to be flagged, as far as a sample shows.

    False where this process has not looked at everybody.
    """
    with _lock:
        watched = _watched.get(campaign_id)
    return watched is not None and watched.is_suspicious(campaign_id)


def forget() -> None:
    """Throw everything away."""
    with _lock:
        _watched.clear()
