"""From changed judgments to new estimates and the stopping rule's acts."""

import logging
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.selectors import scoring as scored
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, Scores
from annotate.services import change_marks, locks
from annotate.services.change_marks import ORDINARY
from annotate.services.locks import Held
from annotate.services.review import reviews
from annotate.services.work import scoring
from annotate.signals import change_marked
from annotate.states import PUT_OFF
from config import due, keeping
from estimation import data
from estimation.services import (
    agreement,
    catching_up,
    forecasting,
    history,
    looking,
    memory,
    metrics,
    quick,
    rankings,
    stopping,
)
from estimation.services.findings import Contrast, Finding, contrasts
from estimation.services.findings import findings as found_of
from estimation.services.memory import Memory
from estimation.services.quick import Superseded
from estimation.signals import kept_elsewhere

logger = logging.getLogger(__name__)

ROUNDS = 5
TURN = 10.0  # after this, other campaigns have their turn, and this one continues later
LEASE = timedelta(seconds=60)  # renewed during the work; a killed worker's lease ends after it
RENEW = LEASE.total_seconds() / 4
GRACE = timedelta(seconds=3)  # younger marks still have a message on its way


class TurnOver(Exception):
    """The computations before an estimate take longer than one turn."""


@dataclass
class _Turn:
    """A worker's time for one campaign, and the lease that keeps other workers away."""

    lease: Held
    over_at: float = field(default_factory=lambda: time.monotonic() + TURN)
    renewed_at: float = field(default_factory=time.monotonic)

    def go_on(self, *_progress: int) -> None:
        """Renew the lease from time to time; raises TurnOver when the turn is over."""
        if time.monotonic() >= self.over_at:
            raise TurnOver
        self.renew()

    def renew(self) -> None:
        now = time.monotonic()
        if now >= self.renewed_at + RENEW:
            self.lease.renew()
            self.renewed_at = now


def name_of(campaign_id: int) -> str:
    """Return the name of the campaign's refresh, for its lease and its messages."""
    return f"refresh:{campaign_id}"


def refresh(campaign_id: int) -> bool:
    """Bring the campaign's estimates up to date and act on them.

    It reads marks, then facts. One transaction removes those marks, writes the estimates and
    carries out the stopping rule's acts, so after a worker's death all of it is done again. One
    worker runs at a time; another returns at once. What comes meanwhile is announced again at the
    end and waits for the next turn, except what rulings and acts of the stopping rule change, and
    what comes while a round takes long.
    Returns False if there was nothing to do.
    """
    due.begin(name_of(campaign_id), spacing=settings.REFRESH_SECONDS)
    return _rounds(campaign_id)


def refresh_as_told(campaign_id: int) -> bool:
    """Refresh because of a message, unless another message of the campaign follows it."""
    if _hand_on(campaign_id):
        return False
    if not due.begin_if_due(name_of(campaign_id), spacing=settings.REFRESH_SECONDS):
        return False
    return _rounds(campaign_id)


def _hand_on(campaign_id: int) -> bool:
    """Leave the campaign to the process that remembers it, if another one does.

    To read a large one takes half a minute, in which nobody else could refresh it.
    """
    if not keeping.is_kept_elsewhere(name_of(campaign_id)):
        return False
    memory.forget(campaign_id)
    kept_elsewhere.send_robust(sender=None, campaign_id=campaign_id)
    return True


def _rounds(campaign_id: int) -> bool:
    done, left, first = False, _reasons(campaign_id), time.monotonic()
    for _round in range(ROUNDS):
        if not left:
            return done
        began = time.monotonic()
        with locks.hold(name_of(campaign_id), LEASE) as lease:
            if lease is None:
                return done
            try:
                done = _refresh(campaign_id, _Turn(lease)) or done
            except TurnOver:
                done = True
                break
        left = _reasons(campaign_id)
        if left <= ORDINARY and not _goes_on(campaign_id, first, began):
            break
    if left - {PUT_OFF}:
        change_marked.send_robust(sender=None, campaign_id=campaign_id)
    return done


def _goes_on(campaign_id: int, first: float, began: float) -> bool:
    """Return whether new judgments have their round at once, not by a message.

    They do where this round took longer than the time between two, so that its end is late
    already; but not for so long that other campaigns would wait.
    """
    now = time.monotonic()
    if now < began + settings.REFRESH_SECONDS or now >= first + TURN / 2:
        return False
    due.begin(name_of(campaign_id), spacing=settings.REFRESH_SECONDS)
    return True


def _reasons(campaign_id: int) -> set[str]:
    return set(counting.changes(campaign_id).values())


def catch_up() -> int:
    """Estimate the campaigns whose marks have waited, the longest first; return how many."""
    due = counting.marked_campaigns(before=timezone.now() - GRACE)
    return catching_up.each(due, _refresh_or_hand_on, doing="estimating")


def _refresh_or_hand_on(campaign_id: int) -> bool:
    return not _hand_on(campaign_id) and refresh(campaign_id)


def findings(brief: Brief, seen: data.Seen) -> tuple[list[Finding], list[Contrast]]:
    """Estimate every system × criterion and compare systems, from all judgments that count now."""
    compared = contrasts(brief, seen.systems, seen)
    return found_of(brief, seen.systems, seen), rankings.judged(brief, seen.systems, compared)


def _refresh(campaign_id: int, turn: _Turn) -> bool:
    """Run one round; False if there is nothing to do yet, or another worker has done it."""
    changes = counting.changes(campaign_id)
    if not changes:
        return False
    remembered = memory.of(campaign_id)
    epoch = change_marks.epoch(campaign_id)
    brief = counting.brief(campaign_id)
    try:
        if remembered.serves(brief, changes.values(), epoch=epoch):
            _keep(campaign_id, remembered)
            if set(changes.values()) == {PUT_OFF}:
                return False
            with suppress(quick.FactsNeeded):
                quick.estimate(brief, changes, remembered, progress=turn.go_on)
                return True
        _estimate(brief, changes, remembered, epoch, turn)
        _keep(campaign_id, remembered)
    except Superseded:
        memory.forget(campaign_id)
        return False
    except TurnOver:
        raise
    except Exception:
        memory.forget(campaign_id)
        raise
    return True


def _keep(campaign_id: int, remembered: Memory) -> None:
    if remembered.is_slow_to_read:
        keeping.keep(name_of(campaign_id))


def _estimate(
    brief: Brief, changes: dict[int, str], remembered: Memory, epoch: str, turn: _Turn
) -> None:
    """Estimate from all facts, and act on it."""
    began = time.monotonic()
    newest = scored.newest_judgment()
    before = remembered.scores()
    seen = _see(brief, turn)
    found, compared = findings(brief, seen)
    is_due = agreement.is_due(brief, seen.scores)
    is_older = forecasting.is_due(brief, seen.scores, reasons=changes.values())
    relook = looking.is_due(brief, seen.scores, reasons=changes.values())
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
        if is_due:
            agreement.ask(brief.campaign_id)
        if is_older:
            forecasting.ask(brief.campaign_id)
        if relook:
            looking.ask(brief.campaign_id)
        stopping.carry_out(decided, rows, pairs, evidence=lambda: history.keep(brief, seen))
        new_epoch = change_marks.begin_epoch(brief.campaign_id, changes.values())
    if before is not None and new_epoch is None:
        _recount(brief.campaign_id, remembered, before, seen, epoch)
    remembered.begin(
        brief, seen, found, compared, epoch=new_epoch or epoch, newest=newest, began=began
    )


def _recount(
    campaign_id: int, remembered: Memory, before: Scores, seen: data.Seen, epoch: str
) -> None:
    """Compare what was remembered with all facts; the facts replace it in any case."""
    differs = remembered.difference(before, seen.scores, epoch=epoch)
    if differs and _reasons(campaign_id) <= ORDINARY:
        logger.error("campaign %s was not remembered as it is: %s", campaign_id, differs)


def _see(brief: Brief, turn: _Turn) -> data.Seen:
    """Read what counts, after metrics, scores and screens are up to date with it."""
    metrics.ensure(brief, progress=turn.go_on)
    remembered = memory.of(brief.campaign_id)
    after = quick.score_new(brief.campaign_id, remembered, progress=turn.go_on)
    reviews.screen(brief.campaign_id)
    turn.renew()
    seen = data.see(brief)
    if not quick.is_followed(brief.campaign_id, seen.scores, after=after):
        scoring.renew(brief.campaign_id, progress=turn.go_on)
        scoring.ensure(brief.campaign_id, progress=turn.go_on)
        seen = data.see(brief)
    return seen
