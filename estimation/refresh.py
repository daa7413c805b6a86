"""From changed judgments to new estimates and the stopping rule's acts.

A refresh reads the marks, then the facts; it estimates, decides, and writes in one transaction.
"""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import BooleanField, F, OuterRef, Subquery, Value
from django.utils import timezone

from annotate.campaigns import facts
from annotate.campaigns.facts import CampaignDesign
from annotate.common import locks, marks
from annotate.common import rows as common_rows
from annotate.common.locks import LeaseHandle
from annotate.common.marks import ORDINARY, change_marked
from annotate.review import reviews
from annotate.work import scoring
from config import due
from estimation import deferred, history, scores, stopping
from estimation import facts as facts_module
from estimation import findings as findings_module
from estimation.findings import Contrast, Finding, contrasts
from estimation.findings import findings as found_of
from estimation.models import Agreement, Comparison, Decision, Estimate

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

    def __init__(self, lease: LeaseHandle) -> None:
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
                changes = facts.changes(campaign_id)
                if not changes or (done and ORDINARY.issuperset(changes.values())):
                    break
                _estimate(facts.design(campaign_id), changes, turn)
                done = True
            pause = max(pause, SPARING * (time.monotonic() - began))
        except TurnOver:
            done = True
        except Superseded:
            pass
    due.pause(name_of(campaign_id), seconds=pause)
    if facts.changes(campaign_id):
        change_marked.send_robust(sender=None, campaign_id=campaign_id)
    return done


def refresh_as_told(campaign_id: int) -> bool:
    """Refresh because of a message, unless it comes too early: then another one follows it."""
    return not due.is_early(name_of(campaign_id)) and refresh(campaign_id)


def catch_up() -> int:
    """Estimate the campaigns whose marks have waited, the longest first; return how many."""
    waiting = facts.marked_campaigns(before=timezone.now() - GRACE)
    return deferred.each(waiting, refresh_as_told, doing="estimating")


def findings(
    design: CampaignDesign, seen: facts_module.Evidence
) -> tuple[list[Finding], list[Contrast]]:
    compared = findings_module.judged(design, seen.systems, contrasts(design, seen))
    return found_of(design, seen), compared


def _estimate(design: CampaignDesign, changes: dict[int, str], turn: _Turn) -> None:
    """Estimate from all facts, and act on it. Raises TurnOver or Superseded: nothing is written."""
    seen = _see(design, turn)
    found, compared = findings(design, seen)
    # No campaign ends on judgments that the screens have not seen.
    small = seen.scores.judgment.size <= SCREENED_EACH_TIME
    if small or stopping.decide(design, found, compared, changes):
        reviews.screen(design.campaign_id)
    turn.renew()
    with transaction.atomic():
        # A decision without the judgments that wait for a score would rest on the short texts.
        # Those that came just now are left out whatever they say: others always come.
        decided = [] if seen.scores.waiting else stopping.decide(design, found, compared, changes)
        if decided:
            locks.campaign(design.campaign_id)  # first: who waits for it holds nothing
        if not marks.clear(changes):
            raise Superseded
        final = stopping.ends(decided) or (design.is_final and seen.scores.is_whole)
        rows = Estimate.objects.bulk_create(
            history.estimate_row(design, one, final=final) for one in found
        )
        pairs = Comparison.objects.bulk_create(
            history.comparison_row(design, one, final=final) for one in compared
        )
        if seen.scores.is_whole:  # otherwise an estimate may only lack its scores
            history.withdraw(design, found, compared)
        for work in deferred.DEFERRED:
            if work.is_due(design, seen.scores, changes.values()):
                work.ask(design.campaign_id)
        stopping.carry_out(decided, rows, pairs, evidence=lambda: history.keep(design, seen))


def _see(design: CampaignDesign, turn: _Turn) -> facts_module.Evidence:
    """Read what counts, after metrics and scores are up to date with it."""
    scores.ensure(design, progress=turn.go_on)
    scoring.ensure(design.campaign_id, progress=turn.go_on)
    seen = facts_module.evidence(design)
    if seen.scores.waiting and seen.scores.waiting > facts.waiting(design.campaign_id):
        scoring.renew(design.campaign_id, progress=turn.go_on)  # some have an earlier definition
        seen = facts_module.evidence(design)
    return seen


# Thins the history of estimates and of agreement, which grow with refreshes and rulings.
#
# A chart needs a row wherever the number of judgments has changed by a percent. What a decision
# cites, what is final, what was newest when the campaign closed and what is newest now stays, too.


STEP = 0.01  # the change of a row's number of judgments, as a share, after which another is kept
AGE = timedelta(minutes=10)  # younger rows all stay
IDLE = timedelta(days=7)  # a campaign without newer rows was thinned before
MOST = 20_000  # rows of a table that one run deletes; the next run goes on
BATCH = 500


# A table, the columns that tell its series from each other, and what cites its rows, if anything.
TABLES: tuple[tuple[type[Estimate | Comparison | Agreement], tuple[str, ...], Any], ...] = (
    (Estimate, ("system", "criterion"), Decision.estimates.through),
    (Comparison, ("first", "second", "criterion"), Decision.comparisons.through),
    (Agreement, ("criterion",), None),
)
_NEVER_FINAL = Value(True, BooleanField())


def thin_all() -> int:
    """Thin the histories of campaigns that were estimated lately; return of how many."""
    newest = Estimate.objects.filter(campaign=OuterRef("pk")).order_by("-id").values("id")[:1]
    active = Estimate.objects.filter(
        id__in=common_rows.by_campaign(Subquery(newest)), at__gte=timezone.now() - IDLE
    )
    found = active.order_by("campaign").values_list("campaign", flat=True)
    return deferred.each(list(found), thin, doing="thinning the history of")


def thin(campaign_id: int) -> int:
    """Delete old rows that nothing needs; return how many. Safe to repeat, and to interrupt."""
    return sum(_thin(campaign_id, *table) for table in TABLES)


def _thin(
    campaign_id: int,
    model: type[Estimate | Comparison | Agreement],
    columns: tuple[str, ...],
    citing: Any,
) -> int:
    old = model.objects.filter(campaign=campaign_id, at__lt=timezone.now() - AGE)
    provisional = F("provisional") if citing else _NEVER_FINAL
    rows = old.order_by("id").values_list("id", "n_judgments", provisional, "at", *columns)
    spare = _spare(rows.iterator(), closed_at=facts.closed_at(campaign_id))
    cited: set[int] = set()
    if citing:
        # Read after the rows: a decision is written in one transaction with what it cites.
        links = citing.objects.filter(decision__campaign=campaign_id)
        cited.update(links.values_list(model._meta.model_name, flat=True))
    gone = [pk for pk in spare if pk not in cited][:MOST]
    for start in range(0, len(gone), BATCH):
        model.objects.filter(pk__in=gone[start : start + BATCH]).delete()
    return len(gone)


def _spare(rows: Iterable[tuple[Any, ...]], *, closed_at: datetime | None) -> list[int]:
    """Return the ids of the rows between those that a chart needs.

    Rows come oldest first. What is kept does not depend on what was deleted before, so a second
    look finds nothing more.
    """
    kept: dict[tuple[Any, ...], int] = {}
    newest: dict[tuple[Any, ...], int] = {}
    at_closing: dict[tuple[Any, ...], int] = {}
    between = []
    for pk, n, provisional, at, *series in rows:
        key = tuple(series)
        newest[key] = pk
        if closed_at is not None and at <= closed_at:
            at_closing[key] = pk
        if key not in kept or abs(n - kept[key]) >= max(1, STEP * kept[key]):
            kept[key] = n
        elif provisional:
            between.append(pk)
    stays = {*newest.values(), *at_closing.values()}
    return [pk for pk in between if pk not in stays]
