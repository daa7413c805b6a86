"""From changed judgments to new estimates and the stopping rule's acts.

A refresh reads the marks, then the facts; it estimates, decides, and writes in one transaction.
"""

import time
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.selectors import scoring as scored
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief
from annotate.services import change_marks, locks
from annotate.services.change_marks import ORDINARY
from annotate.services.locks import Held
from annotate.services.review import reviews
from annotate.services.work import scoring
from annotate.signals import change_marked
from config import due
from estimation import data
from estimation.services import (
    agreement,
    catching_up,
    forecasting,
    history,
    looking,
    metrics,
    rankings,
    stopping,
)
from estimation.services.findings import Contrast, Finding, contrasts
from estimation.services.findings import findings as found_of

ROUNDS = 5
SPARING = 3  # the next refresh waits for so many times what the last one took
SCREENED_EACH_TIME = 2000  # judgments; a larger campaign has its screens in a task of their own
TURN = 10.0  # seconds; after this, other campaigns have their turn, and this one continues later
LEASE = timedelta(seconds=60)  # renewed during the work; a killed worker's lease ends after it
RENEW = LEASE.total_seconds() / 4
GRACE = timedelta(seconds=3)  # younger marks still have a message on its way


class TurnOver(Exception):
    """The computations before an estimate take longer than one turn."""


class Superseded(Exception):
    """Another worker has written a result from facts at least as new."""


class _Turn:
    """A worker's time for one campaign, and the lease that keeps other workers away."""

    def __init__(self, lease: Held) -> None:
        self._lease = lease
        self._began = self._renewed = time.monotonic()

    def go_on(self, *_progress: int) -> None:
        """Renew the lease from time to time; raises TurnOver when the turn is over."""
        if time.monotonic() >= self._began + TURN:
            raise TurnOver
        self.renew()

    def renew(self) -> None:
        if time.monotonic() >= self._renewed + RENEW:
            self._lease.renew()
            self._renewed = time.monotonic()


def name_of(campaign_id: int) -> str:
    """Return the name of the campaign's refresh, for its lease and its messages."""
    return f"refresh:{campaign_id}"


def refresh(campaign_id: int) -> bool:
    """Bring the campaign's estimates up to date and act on them.

    One transaction removes the marks that were read, writes the estimates and carries out the
    stopping rule's acts, so after a worker's death all of it is done again. One worker runs at a
    time; another returns at once. What comes meanwhile is announced again at the end and waits
    for its message, except what rulings and acts of the stopping rule change.
    Returns False if there was nothing to do.
    """
    began, pause, done = time.monotonic(), settings.REFRESH_SECONDS, False
    with locks.hold(name_of(campaign_id), LEASE) as lease:
        if lease is None:
            return False
        turn = _Turn(lease)
        try:
            for _round in range(ROUNDS):
                changes = counting.changes(campaign_id)
                if not changes or (done and ORDINARY.issuperset(changes.values())):
                    break
                _estimate(counting.brief(campaign_id), changes, turn)
                done = True
            pause = max(pause, SPARING * (time.monotonic() - began))
        except TurnOver:
            done = True
        except Superseded:
            pass
    due.pause(name_of(campaign_id), seconds=pause)
    if counting.marks(campaign_id):
        change_marked.send_robust(sender=None, campaign_id=campaign_id)
    return done


def refresh_as_told(campaign_id: int) -> bool:
    """Refresh because of a message, unless it comes too early: then another one follows it."""
    return not due.is_early(name_of(campaign_id)) and refresh(campaign_id)


def catch_up() -> int:
    """Estimate the campaigns whose marks have waited, the longest first; return how many."""
    waiting = counting.marked_campaigns(before=timezone.now() - GRACE)
    return catching_up.each(waiting, refresh_as_told, doing="estimating")


def findings(brief: Brief, seen: data.Seen) -> tuple[list[Finding], list[Contrast]]:
    """Estimate every system × criterion and compare systems, from all judgments that count now."""
    compared = contrasts(brief, seen.systems, seen)
    return found_of(brief, seen.systems, seen), rankings.judged(brief, seen.systems, compared)


def _estimate(brief: Brief, changes: dict[int, str], turn: _Turn) -> None:
    """Estimate from all facts, and act on it. Raises TurnOver or Superseded: nothing is written."""
    seen = _see(brief, turn)
    found, compared = findings(brief, seen)
    # No campaign ends on judgments that the screens have not seen.
    if seen.scores.judgment.size <= SCREENED_EACH_TIME or stopping.decide(brief, found, compared):
        reviews.screen(brief.campaign_id)
    turn.renew()
    with transaction.atomic():
        if not change_marks.clear(changes):
            raise Superseded
        # A decision without the judgments that wait for a score would rest on the short texts.
        # Those that came just now are left out whatever they say: others always come.
        decided = [] if seen.scores.waiting else stopping.decide(brief, found, compared)
        final = stopping.ends(decided) or (brief.is_final and seen.scores.is_whole)
        rows = history.store_estimates(brief, found, final=final)
        pairs = history.store_comparisons(brief, compared, final=final)
        if seen.scores.is_whole:  # otherwise an estimate may only lack its scores
            history.withdraw(brief, found, compared)
        if agreement.is_due(brief, seen.scores):
            agreement.ask(brief.campaign_id)
        for task in (forecasting, looking):
            if task.is_due(brief, seen.scores, reasons=changes.values()):
                task.ask(brief.campaign_id)
        stopping.carry_out(decided, rows, pairs, evidence=lambda: history.keep(brief, seen))


def _see(brief: Brief, turn: _Turn) -> data.Seen:
    """Read what counts, after metrics and scores are up to date with it."""
    metrics.ensure(brief, progress=turn.go_on)
    scoring.ensure(brief.campaign_id, progress=turn.go_on)
    seen = data.see(brief)
    if seen.scores.waiting and seen.scores.waiting > scored.waiting(brief.campaign_id):
        scoring.renew(brief.campaign_id, progress=turn.go_on)  # some have an earlier definition
        seen = data.see(brief)
    return seen
