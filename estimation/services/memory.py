"""What a worker process remembers of campaigns between two refreshes.

It saves work and is never needed: it can be thrown away at any time.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from annotate.selectors import scoring
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, Scores, SystemOutputs
from annotate.selectors.campaigns.following import Followed, difference
from annotate.services.change_marks import ORDINARY
from annotate.states import CampaignStatus
from estimation import data
from estimation.services.findings import Contrast, Finding
from estimation.services.watermark import Watermark

CAMPAIGNS = 200  # remembered at a time, those that were refreshed last
ROWS = 4_000_000  # judgments and outputs that all of them may hold; about 50 bytes each
# Below so many judgments all facts are read each time. Otherwise when they have grown by this
# factor, but not before so many times as long as it took, so that new judgments need not wait
# for the facts again and again while many come; and in any case after so many seconds, or so
# many times as long.
LEAST = 200
GROWTH = 1.05
GROWING_SPARING = 10
PAUSE = 60.0
SPARING = 20
LONG = 1.0  # seconds; only one process remembers a campaign that takes longer to read
COLLECTING = (CampaignStatus.OPEN, CampaignStatus.PAUSED)


@dataclass
class Remembered:
    """A campaign as the last full refresh found it, with what has come since.

    findings: of each system. compared: every pair of them. read: how many judgments counted in
    full. took: seconds of that. until: when they are to be read again. grown_from: from when they
    are where they have grown.
    """

    brief: Brief
    epoch: str
    seen: data.Seen
    followed: Followed
    everybody: Followed | None
    findings: dict[int, list[Finding]]
    compared: list[Contrast]
    watermark: Watermark
    read: int
    took: float
    until: float
    grown_from: float

    def is_old(self) -> bool:
        """Return whether all facts are to be read again."""
        now, n = time.monotonic(), self.followed.n
        if n < LEAST or now >= self.until:
            return True
        return n >= GROWTH * self.read and now >= self.grown_from

    @property
    def rows(self) -> int:
        outputs = sum(system.output.size for system in self.seen.systems)
        return self.followed.size + (self.everybody.size if self.everybody else 0) + outputs


@dataclass
class Memory:
    """One campaign's. scored: up to where judgments have their scores."""

    scored: Watermark = field(default_factory=Watermark)
    facts: Remembered | None = None

    def serves(self, brief: Brief, reasons: Collection[str], *, epoch: str) -> bool:
        """Return whether it is enough to read what is new."""
        facts = self.facts
        if facts is None or facts.epoch != epoch or facts.brief != brief:
            return False
        if brief.status not in COLLECTING or not ORDINARY.issuperset(reasons):
            return False
        return not facts.is_old()

    def begin(
        self,
        brief: Brief,
        seen: data.Seen,
        found: list[Finding],
        compared: list[Contrast],
        *,
        epoch: str,
        newest: int,
        began: float,
    ) -> None:
        """Remember what a full refresh has read and found.

        newest: the newest judgment's id before it. began: when it began.
        """
        now, watermark = time.monotonic(), Watermark()
        took = now - began
        watermark.looked(newest)
        findings: dict[int, list[Finding]] = {}
        for finding in found:
            findings.setdefault(finding.system.system_id, []).append(finding)
        everybody = seen.everybody
        self.facts = Remembered(
            brief,
            epoch,
            seen,
            Followed(brief.campaign_id, seen.scores),
            None if everybody is None else _with_excluded(brief, everybody),
            findings,
            compared,
            watermark,
            read=seen.scores.judgment.size,
            took=took,
            until=now + max(PAUSE, SPARING * took),
            grown_from=now + GROWING_SPARING * took,
        )
        _keep_within_bounds()

    @property
    def is_slow_to_read(self) -> bool:
        """Return whether only one process is to read and remember the campaign."""
        return self.facts is not None and self.facts.took >= LONG

    def scores(self) -> Scores | None:
        return None if self.facts is None else self.facts.followed.scores()

    def follow(self) -> list[SystemOutputs]:
        """Read what is new; return the systems that it concerns."""
        assert self.facts is not None
        facts, newest = self.facts, scoring.newest_judgment()
        outputs = facts.followed.follow(after=facts.watermark.after)
        if facts.everybody is not None:
            more = facts.everybody.follow(after=facts.watermark.after)
            outputs = np.union1d(outputs, more)
        facts.watermark.looked(newest)
        facts.seen = replace(
            facts.seen,
            scores=facts.followed.scores(),
            everybody=None if facts.everybody is None else facts.everybody.scores(),
        )
        return [one for one in facts.seen.systems if _wrote(one, outputs)]

    def difference(self, before: Scores, full: Scores, *, epoch: str) -> str:
        """Say how what was remembered `before` differs from all facts; "" if it does not."""
        if self.facts is None or self.facts.epoch != epoch:
            return ""
        self.follow()
        return difference(before, full, self.facts.followed.scores())

    def moved(self) -> bool:
        """Return whether a system's sample ends elsewhere now."""
        assert self.facts is not None
        now = counting.standings(self.facts.brief.campaign_id)
        known = [(s.system_id, s.name, s.stop_position) for s in self.facts.seen.systems]
        return known != [(s.system_id, s.name, s.stop_position) for s in now]


def _with_excluded(brief: Brief, everybody: Scores) -> Followed:
    return Followed(brief.campaign_id, everybody, with_excluded=True)


def _wrote(system: SystemOutputs, outputs: NDArray[np.int64]) -> bool:
    if not system.output.size:
        return False
    place = np.minimum(np.searchsorted(system.output, outputs), system.output.size - 1)
    return bool((system.output[place] == outputs).any())


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


def _keep_within_bounds() -> None:
    """Forget the facts of those that were refreshed longest ago, until the rest fits."""
    with _lock:
        room = ROWS
        for one in reversed(list(_kept.values())):
            room -= one.facts.rows if one.facts else 0
            if room < 0:
                one.facts = None
