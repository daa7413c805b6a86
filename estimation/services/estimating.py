"""From changed judgments to new estimates and the stopping rule's acts."""

import time
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.selectors.campaigns import counting, slots
from annotate.selectors.campaigns.counting import Brief, SystemOutputs
from annotate.selectors.work import scoring as scored
from annotate.services import locks
from annotate.services.change_marks import ORDINARY, clear
from annotate.services.locks import Held
from annotate.services.review import reviews
from annotate.services.work import scoring
from annotate.signals import change_marked
from config import due
from estimation import data, protocols
from estimation.core import Estimate
from estimation.services import agreement, catching_up, history, memory, metrics, rankings, stopping
from estimation.services.findings import Contrast, Finding, contrasts
from estimation.services.rule import rule_for

ROUNDS = 5
TURN = 10.0  # after this, other campaigns have their turn, and this one continues later
LEASE = timedelta(seconds=60)  # renewed during the work; a killed worker's lease ends after it
RENEW = LEASE.total_seconds() / 4
GRACE = timedelta(seconds=3)  # younger marks still have a message on its way


class Superseded(Exception):
    """Another worker has written a result from facts at least as new."""


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
    end and waits for the next turn, except what rulings and acts of the stopping rule change.
    Returns False if there was nothing to do.
    """
    due.begin(name_of(campaign_id), spacing=settings.REFRESH_SECONDS)
    done, left = False, _reasons(campaign_id)
    for _round in range(ROUNDS):
        if not left:
            return done
        with locks.hold(name_of(campaign_id), LEASE) as lease:
            if lease is None:
                return done
            try:
                done = _refresh(campaign_id, _Turn(lease)) or done
            except TurnOver:
                done = True
                break
        left = _reasons(campaign_id)
        if left <= ORDINARY:
            break
    if left:
        change_marked.send_robust(sender=None, campaign_id=campaign_id)
    return done


def _reasons(campaign_id: int) -> set[str]:
    return set(counting.changes(campaign_id).values())


def catch_up() -> int:
    """Estimate the campaigns whose marks have waited, the longest first; return how many."""
    due = counting.marked_campaigns(before=timezone.now() - GRACE)
    return catching_up.each(due, lambda campaign_id: refresh(campaign_id), doing="estimating")


def findings(brief: Brief, seen: data.Seen) -> tuple[list[Finding], list[Contrast]]:
    """Estimate every system × criterion and compare systems, from all judgments that count now."""
    systems = counting.systems(brief.campaign_id)
    unfinished = {system.system_id: _unfinished(system) for system in systems}
    whole = _with_excluded(brief, systems, seen)
    found = [
        _finding(
            brief, cell, unfinished=unfinished[cell.system.system_id], whole=whole.get(_key(cell))
        )
        for cell in data.cells(brief, systems, seen)
    ]
    return found, rankings.judged(brief, systems, contrasts(brief, systems, seen))


def _with_excluded(
    brief: Brief, systems: list[SystemOutputs], seen: data.Seen
) -> dict[tuple[int, str], Estimate]:
    """Return the estimates without exclusions, which show what excluded work changes."""
    if not counting.excluded(brief.campaign_id):
        return {}
    every = data.cells(brief, systems, data.see_everybody(brief, seen))
    return {_key(cell): _estimated(brief, cell) for cell in every}


def _key(cell: data.Cell) -> tuple[int, str]:
    return cell.system.system_id, cell.criterion.name


def _estimated(brief: Brief, cell: data.Cell) -> Estimate:
    return protocols.estimated(brief, cell.criterion, cell.sample)


def _refresh(campaign_id: int, turn: _Turn) -> bool:
    """Run one round; False if another worker has done it meanwhile."""
    marks = counting.marks(campaign_id)
    if not marks:
        return False
    try:
        _estimate(counting.brief(campaign_id), marks, turn)
    except Superseded:
        return False
    return True


def _estimate(brief: Brief, marks: list[int], turn: _Turn) -> None:
    seen = _see(brief, turn)
    found, compared = findings(brief, seen)
    is_due = agreement.is_due(brief, seen.scores)
    with transaction.atomic():
        if not clear(marks):
            raise Superseded
        # A decision without the judgments that wait for a score would rest on the short texts.
        decided = [] if seen.scores.waiting else stopping.decide(brief, found, compared)
        final = stopping.ends(decided) or (brief.is_final and not seen.scores.waiting)
        rows = history.store_estimates(brief, found, final=final)
        pairs = history.store_comparisons(brief, compared, final=final)
        if not seen.scores.waiting:  # otherwise an estimate may only lack its scores
            history.withdraw(brief, found, compared)
        if is_due:
            agreement.ask(brief.campaign_id)
        stopping.carry_out(decided, rows, pairs)


def _see(brief: Brief, turn: _Turn) -> data.Seen:
    """Read what counts, after metrics, scores and screens are up to date with it."""
    metrics.ensure(brief, progress=turn.go_on)
    _score_new(brief.campaign_id, turn)
    reviews.screen(brief.campaign_id)
    turn.renew()
    seen = data.see(brief)
    if seen.scores.waiting > scored.waiting(brief.campaign_id):  # some are outdated, or overlooked
        scoring.renew(brief.campaign_id, progress=turn.go_on)
        scoring.ensure(brief.campaign_id, progress=turn.go_on)
        seen = data.see(brief)
    return seen


def _score_new(campaign_id: int, turn: _Turn) -> None:
    """Score the judgments since the last look of this process."""
    known, newest = memory.of(campaign_id).scored, scored.newest_judgment()
    scoring.ensure(campaign_id, after=known.after, progress=turn.go_on)
    known.looked(newest)


def _unfinished(system: SystemOutputs) -> int:
    return 0 if system.stop_position is None else slots.unfinished_items(system.system_id)


def _finding(brief: Brief, cell: data.Cell, *, unfinished: int, whole: Estimate | None) -> Finding:
    has_metric = cell.sample.metric is not None
    main = _estimated(brief, cell)
    rule = rule_for(brief, cell.criterion, n_population=cell.sample.n_population)
    return Finding(
        system=cell.system,
        criterion=cell.criterion,
        estimate=main,
        mean=protocols.without_metrics(brief, cell.criterion, cell.sample) if has_metric else main,
        rule=rule,
        verdict=rule.verdict(main),
        unfinished=unfinished,
        with_excluded=whole,
    )
